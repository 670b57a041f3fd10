"""The one address that the loop's page asks: a request goes in, its answer comes out.

Served beside Streamlit by the same process, as what phones ask is. Who has no ticket is refused
before anything that they send is read. It knows the wire; what a request means, `tab.py` knows.
"""

import asyncio
import gzip
import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pages.frame.assets import takes_gzip
from pages.frame.readers import network_in
from pages.frame.words import N_, Language, speaking, spoken_in, told
from pages.home.answer_queue import PLACES, AnswerQueue, FullError, QueuePlace
from pages.home.ticket import Ticket, read_ticket

LOGGER = logging.getLogger(__name__)
MAX_BODY = 1_500_000  # bytes: 200,000 ids, or as many characters of a prompt that is pasted
LARGE_BODY = 64_000  # bytes: more than a page asks, unless a long text is pasted
MIN_COMPRESSED = 4096  # bytes of a header: compressed in a third of a millisecond
MAX_LARGE = 8  # requests of more than that, which are read or wait
MAX_SECONDS = 10.0  # in which a request has to come whole
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Encoding": "identity",  # of most: logits hardly shrink, and it takes a millisecond
}
_THREADS = ThreadPoolExecutor(sum(PLACES.values()), "loop")
_QUEUE = AnswerQueue()
_large: set[Request] = set()


class RefusedError(Exception):
    """A request that is none of our page's, with its status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


async def answer(request: Request) -> Response:
    """Answers a request of this app's own page, which has a ticket, once it is its tab's turn."""
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    is_own = origin is None or origin.partition("://")[2] == request.headers.get("host")
    ticket, spoken = read_ticket(request.path_params["ticket"]), spoken_in(request)
    try:
        # a program that names no site may have a ticket
        if site not in (None, "same-origin") or not is_own:
            raise RefusedError(403, N_("Only this app's own page may ask that."))
        if ticket is None:
            raise RefusedError(403, N_("This server does not know your page: load it again."))
        async with asyncio.timeout(MAX_SECONDS):
            data = await _body(request)
        async with _QUEUE.place(ticket.tab, network_in(request.scope)) as place:
            if await request.is_disconnected():
                raise ClientDisconnect
            run = asyncio.get_running_loop().run_in_executor
            packed = await run(_THREADS, _answer, ticket, data, place, spoken)
        headers = _HEADERS
        n_header = int.from_bytes(packed[:4], "little")
        is_worth_it = n_header > max(MIN_COMPRESSED, len(packed) / 2)  # words, and few numbers
        if is_worth_it and takes_gzip(request.headers):
            packed = await run(_THREADS, gzip.compress, packed)
            headers = headers | {"Content-Encoding": "gzip"}
        return Response(packed, headers=headers, media_type="application/octet-stream")
    except ClientDisconnect:
        return Response(status_code=400)  # nobody reads it
    except RefusedError as error:
        refused = error
    except FullError:
        refused = RefusedError(429, N_("The page asks faster than it is answered: try again."))
    except TimeoutError:
        refused = RefusedError(408, N_("The request did not come whole."))
    finally:
        _large.discard(request)
    with speaking(spoken):
        return JSONResponse({"error": told(refused)}, refused.status, headers=_HEADERS)


async def _body(request: Request) -> bytes:
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > MAX_BODY:
            raise RefusedError(413, N_("That is too long for this server."))
        if len(data) > LARGE_BODY and request not in _large:
            if len(_large) >= MAX_LARGE:
                raise RefusedError(429, N_("The server reads other long texts: try again."))
            _large.add(request)
    return bytes(data)


def _answer(ticket: Ticket, data: bytes, place: QueuePlace, spoken: Language) -> bytes:
    """Answers in a thread, where a long request and a model that loads keep nobody waiting."""
    from pages.frame.component import encode_payload
    from pages.home.tab import tab_of  # torch and transformers come in behind the server

    began = time.thread_time()
    try:
        asked = json.loads(data)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise RefusedError(400, N_("That cannot be read: load the page again."))
    with speaking(spoken):
        try:
            tab = tab_of(ticket)
            place.is_remote = tab.is_remote
            return encode_payload(*tab.answer(asked))
        except ValueError as error:
            return encode_payload({"refusal": told(error)}, {})
        except Exception as error:  # whatever it was, a reader gets a sentence, the log the rest
            LOGGER.exception("A request failed")
            sentence = N_("That did not work, and the text stays: try again, or Reset.")
            raise RefusedError(400, sentence) from error
        finally:
            place.seconds = time.thread_time() - began


def routes(base: str) -> tuple[Route, ...]:
    """Returns the address of the loop, below the server's base path."""
    return (Route(f"{base}/loop/{{ticket}}", answer, methods=["POST"]),)

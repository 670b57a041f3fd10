"""The one address that the loop's page asks: a request goes in, its answer comes out.

Served beside Streamlit by the same process, as what phones ask is. Who has no ticket is refused
before anything that they send is read. It knows the wire; what a request means, `tab.py` knows.
"""

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pages.home.ticket import Ticket, read_ticket

LOGGER = logging.getLogger(__name__)
MAX_BODY = 4_000_000  # bytes: the ids of a long text, or a prompt that is pasted
MAX_WAITING = 4  # requests of one tab, the one that is under way included
MAX_SECONDS = 10.0  # in which a request has to come whole
N_THREADS = 32  # that answer: as many readers may wait for a server's model at once
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Encoding": "identity",  # logits hardly shrink, and packing them takes a millisecond
}
_THREADS = ThreadPoolExecutor(N_THREADS, "loop")
_turns: dict[str, tuple[asyncio.Lock, int]] = {}  # by tab: its lock, and how many have it or wait


class RefusedError(Exception):
    """A request that is none of our page's, with its status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


async def answer(request: Request) -> Response:
    """Answers a request of a page that has a ticket."""
    try:
        _check_origin(request)
        ticket = read_ticket(request.path_params["ticket"])
        if ticket is None:
            raise RefusedError(403, "This server does not know your page: load it again.")
        async with asyncio.timeout(MAX_SECONDS):
            data = await _body(request)
        packed = await _in_turn(ticket, data)
    except RefusedError as error:
        return JSONResponse({"error": str(error)}, error.status, headers=_HEADERS)
    except TimeoutError:
        return JSONResponse({"error": "The request did not come whole."}, 408, headers=_HEADERS)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody reads it
    return Response(packed, headers=_HEADERS, media_type="application/octet-stream")


async def _in_turn(ticket: Ticket, data: bytes) -> bytes:
    """Answers one request of a tab at a time; who waits here, waits in no thread."""
    lock, n = _turns.get(ticket.tab, (asyncio.Lock(), 0))
    if n >= MAX_WAITING:
        raise RefusedError(429, "The page asks faster than it is answered: try again.")
    _turns[ticket.tab] = lock, n + 1
    try:
        async with lock:
            return await asyncio.get_running_loop().run_in_executor(_THREADS, _answer, ticket, data)
    finally:
        lock, n = _turns.pop(ticket.tab)
        if n > 1:
            _turns[ticket.tab] = lock, n - 1


def _answer(ticket: Ticket, data: bytes) -> bytes:
    """Answers in a thread, where a long request and a model that loads keep nobody waiting."""
    from pages.home.tab import tab_of  # torch and transformers come in behind the server

    try:
        return tab_of(ticket).answer(_parsed(data))
    except ValueError as error:
        raise RefusedError(400, str(error)) from error
    except RefusedError:
        raise
    except Exception as error:  # whatever it was, a reader gets a sentence and the log the rest
        LOGGER.exception("A request failed")
        sentence = "That did not work, and the text stays: try again, or Reset."
        raise RefusedError(400, sentence) from error


def _check_origin(request: Request) -> None:
    """Refuses what another site's page sends; a program that names no site may have a ticket."""
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    is_own = urlsplit(origin).netloc == request.headers.get("host") if origin else True
    if site not in (None, "same-origin") or not is_own:
        raise RefusedError(403, "Only this app's own page may ask that.")


async def _body(request: Request) -> bytes:
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > MAX_BODY:
            raise RefusedError(413, "That is too long for this server.")
    return bytes(data)


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        request = json.loads(data)
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        raise RefusedError(400, "That cannot be read: load the page again.")
    return request


def routes(base: str) -> tuple[Route, ...]:
    """Returns the address of the loop, below the server's base path."""
    return (Route(f"{base}/loop/{{ticket}}", answer, methods=["POST"]),)

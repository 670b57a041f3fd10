"""The one address that the loop's page asks: an event goes in, what the page lacks comes out.

Served beside Streamlit by the same process, as what phones ask is. It knows the wire and secrets;
what an event means, and what answers it, `tab.py` knows.
"""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

MAX_BODY = 8_000_000  # bytes: a tab's record of eight long texts
MAX_SECONDS = 10.0  # in which an event has to come whole
N_THREADS = 32  # that answer: as many readers may wait for a server's model at once
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Encoding": "identity",  # logits hardly shrink, and packing them takes a millisecond
}
_THREADS = ThreadPoolExecutor(N_THREADS, "loop")


class Answers(Protocol):
    """What answers the events of one page."""

    turn: asyncio.Lock  # one event at a time; who sends one again waits here, in no thread

    def answer(self, event: dict[str, Any]) -> bytes:
        """Does what the event asks, and returns what the page lacks."""


TABS: WeakValueDictionary[str, Answers] = WeakValueDictionary()  # by secret, while a reader is here


class RefusedError(Exception):
    """A request that is none of our page's, with its status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


async def answer(request: Request) -> Response:
    """Answers an event of a page whose session is here."""
    try:
        _check_origin(request)
        async with asyncio.timeout(MAX_SECONDS):
            event = await _event(request)
        tab = TABS.get(request.path_params["secret"])
        if tab is None:
            raise RefusedError(404, "This server does not have your session.")
        async with tab.turn:
            run = asyncio.get_running_loop().run_in_executor
            packed = await run(_THREADS, tab.answer, event)
    except RefusedError as error:
        return JSONResponse({"error": str(error)}, error.status, headers=_HEADERS)
    except TimeoutError:
        return JSONResponse({"error": "The event did not come whole."}, 408, headers=_HEADERS)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody reads it
    return Response(packed, headers=_HEADERS, media_type="application/octet-stream")


def _check_origin(request: Request) -> None:
    """Refuses what another site's page sends; a program that names no site may know the secret."""
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    is_own = urlsplit(origin).netloc == request.headers.get("host") if origin else True
    if site not in (None, "same-origin") or not is_own:
        raise RefusedError(403, "Only this app's own page may ask that.")


async def _event(request: Request) -> dict[str, Any]:
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > MAX_BODY:
            raise RefusedError(413, "That is too long for this server.")
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise RefusedError(400, "That cannot be read: load the page again.")
    return event


def routes(base: str) -> tuple[Route, ...]:
    """Returns the address of the loop, below the server's base path."""
    return (Route(f"{base}/loop/{{secret}}", answer, methods=["POST"]),)

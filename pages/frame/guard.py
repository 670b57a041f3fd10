"""By which names the server answers, what its pages may load, and who may hold one in a frame.

A page of a stranger's can have its own name point at this machine (DNS rebinding): it is then asked
by that name, which no reader uses. Addresses, names without a dot and names of a local network are
nobody's to point; any other is allowed by Streamlit's `server.allowedHosts`.
"""

import asyncio
import ipaddress
import os
import re
import time
from base64 import b64encode
from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from model.sentences import cut
from pages.frame.connections import Sockets
from pages.frame.first_paint import PAGE

_LOCAL = (".local", ".localhost", ".lan", ".internal", ".home.arpa")  # of no public registry
_REFUSED = (
    "This server does not answer to the name {}. Open it by its address, or have its operator "
    "allow the name: --server.allowedHosts.\n"
)
_MAX_NAME = 60
MAX_PAUSE = 15.0  # seconds in which a body has to go on; an event's has to come whole in fewer
MIN_RATE = 4_000  # bytes a second of a body, on top of that pause
_LATE = PlainTextResponse("It did not come whole: try again.\n", status_code=408)
_PLAIN = re.compile(r"[\w.\-\[\]:]+")
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def hashes_of(markup: str) -> str:
    """Returns the scripts that stand in a page as a policy names them: what is put in is none."""
    digests = (sha256(found[1].encode()).digest() for found in _SCRIPT.finditer(markup))
    return " ".join(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)


# Streamlit imports a component's script from a blob that it makes, and styles its elements in
# place; its reader of protobuf counts in WebAssembly
_POLICY = (
    f"default-src 'self'; script-src 'self' blob: 'wasm-unsafe-eval' {hashes_of(PAGE)}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'"
)

_PARTS = ("text/javascript", "text/css")  # of a page, whose policy holds: there are 160 of them


class Guard:
    """Refuses what is asked by a stranger's name, and says whose frames may hold a page."""

    def __init__(self, app: ASGIApp) -> None:
        """Stands before the app."""
        self._app, self._sockets = app, Sockets()
        # where pages may be embedded: "*", or addresses such as https://school.example
        said = os.environ.get("ONE_TOKEN_EMBED_IN", "").replace(",", " ").replace(";", " ")
        ancestors = " ".join(["'self'", *said.split()])
        self._policy = f"frame-ancestors {ancestors}; {_POLICY}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hands a request on, if it is asked by a name of ours."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        host = Headers(scope=scope).get("host")
        if not is_ours(host):
            await _refuse(host, scope, receive, send)
            return

        policy = f"{self._policy}; connect-src 'self'{_sockets(host)}"

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
                if headers.get("content-type", "").partition(";")[0] not in _PARTS:
                    headers.setdefault("Content-Security-Policy", policy)
            await send(message)

        if scope["type"] == "websocket":
            await self._sockets.serve(self._app, scope, receive, send_guarded)
            return
        body = _Body(receive)
        try:
            await self._app(scope, body, send_guarded)
        except ClientDisconnect:  # in the middle of what it sent: nobody reads an answer
            if body.is_late:
                await _LATE(scope, receive, send)


class _Body:
    """Passes on a request's body; gives up on a client that stops in the middle, or is too slow."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._is_whole, self.is_late = receive, False, False
        self._n_bytes, self._began = 0, time.monotonic()

    async def __call__(self) -> Message:
        if self._is_whole:
            return await self._receive()
        left = self._began + MAX_PAUSE + self._n_bytes / MIN_RATE - time.monotonic()
        try:
            async with asyncio.timeout(min(left, MAX_PAUSE)):
                message = await self._receive()
        except TimeoutError:
            self.is_late = True
            return {"type": "http.disconnect"}
        self._n_bytes += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        return message


def is_ours(host: str | None) -> bool:
    """Tells whether a server may be asked by a name, with its port."""
    if config.get_option("server.allowedHosts"):
        return is_host_allowed(host)
    if not host:
        return host is None  # HTTP 1.0: no page of a browser asks so
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    name = name.strip("[]").rstrip(".").lower()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name.endswith(_LOCAL)
    return True


def _sockets(host: str | None) -> str:
    """Returns a server's websockets as a policy names them: in older browsers 'self' has none."""
    return f" ws://{host} wss://{host}" if host and _PLAIN.fullmatch(host) else ""


async def _refuse(host: str | None, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    answer = PlainTextResponse(_REFUSED.format(cut(repr(host), _MAX_NAME)), status_code=421)
    await answer(scope, receive, send)


def middleware() -> tuple[Middleware, ...]:
    """Returns what stands before all else."""
    return (Middleware(Guard),)

"""Asks an ASGI app one thing, without a server."""

import asyncio
import gzip
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.types import ASGIApp, Message, Scope

T = TypeVar("T")
GZIP = {"accept-encoding": "gzip, deflate, br"}


@dataclass(frozen=True)
class Answered:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as it was before it was compressed."""
        is_packed = self.headers.get("content-encoding") == "gzip"
        return (gzip.decompress(self.body) if is_packed else self.body).decode()


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine in a thread: after browser tests this one has a loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def ask(
    app: ASGIApp,
    path: str,
    headers: dict[str, str] | None = None,
    method: str = "GET",
    body: bytes = b"",
    client: str = "127.0.0.1",
) -> Answered:
    """Makes one request; by default as a browser does, who takes gzip."""
    given = [(k.encode(), v.encode()) for k, v in (GZIP if headers is None else headers).items()]
    scope: Scope = {
        **{"type": "http", "http_version": "1.1", "method": method, "scheme": "http"},
        **{"path": path, "raw_path": path.encode(), "query_string": b"", "root_path": ""},
        **{"headers": given, "client": (client, 1), "server": ("127.0.0.1", 80)},
    }
    sent: list[Message] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    async def respond() -> None:
        await app(scope, receive, send)

    run_apart(respond())
    start = next(message for message in sent if message["type"] == "http.response.start")
    named = {k.decode().lower(): v.decode() for k, v in start["headers"]}
    answered = b"".join(message.get("body", b"") for message in sent)
    return Answered(start["status"], named, answered)

"""Files that are sent to the server: bounded by number and bytes, and given back once read."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from pages.frame import uploads
from pages.frame.uploads import MAX_BYTES, MAX_FILES, MAX_SESSION_BYTES, Uploads, give_back
from tests.frame.asgi import ask, run_apart


def put(app: Any, size: str | None, session: str = "mine", path: str = uploads.PATH) -> int:
    headers = {} if size is None else {"content-length": size}
    return ask(app, f"{path}{session}/1", headers, "PUT").status


@pytest.mark.parametrize(
    ("held", "size", "status"),
    [
        ({}, "1000", 200),
        ({}, str(MAX_SESSION_BYTES + 1), 413),
        ({"mine": [MAX_SESSION_BYTES - 10]}, "10", 200),
        ({"mine": [MAX_SESSION_BYTES - 10]}, "11", 413),
        ({"other": [MAX_SESSION_BYTES]}, "11", 200),
        ({"mine": [0] * MAX_FILES}, "1", 413),
        ({"other": [MAX_BYTES]}, "1", 413),
        ({}, None, 411),
        ({}, "-1", 411),
        ({}, "9" * 5_000, 411),
        ({}, "²", 411),
    ],
)
def test_a_file_is_refused_unread_where_there_is_no_room(
    monkeypatch: pytest.MonkeyPatch, held: dict[str, list[int]], size: str | None, status: int
) -> None:
    monkeypatch.setattr(uploads, "held_bytes", lambda: held)
    reached: list[str] = []

    async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope["path"])
        await PlainTextResponse("")(scope, receive, send)

    app = Uploads(streamlit)
    if size == "²":
        size = "\u00b2"
    assert put(app, size) == status
    assert len(reached) == (status == 200)
    assert put(app, size, path="/base" + uploads.PATH) == status
    assert ask(app, f"{uploads.PATH}mine/1", {}, "DELETE").status == 200


def test_what_is_on_its_way_counts_until_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "held_bytes", dict)
    half = MAX_SESSION_BYTES // 2
    statuses: list[int] = []

    async def talk() -> None:
        go_on = asyncio.Event()

        async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
            await go_on.wait()
            await PlainTextResponse("")(scope, receive, send)

        app = Uploads(streamlit)

        async def send(message: Message) -> None:
            if "status" in message:
                statuses.append(message["status"])

        async def receive() -> Message:
            return {"type": "http.request"}

        length = [(b"content-length", str(half).encode())]
        scope = {
            "type": "http",
            "method": "PUT",
            "path": f"{uploads.PATH}mine/1",
            "headers": length,
        }
        asked = [asyncio.create_task(app(scope, receive, send)) for _ in range(4)]
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(*asked)
        await app(scope, receive, send)

    run_apart(talk())
    assert statuses == [413, 413, 200, 200, 200]


def test_a_file_that_was_read_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, Any] = {}
    manager = SimpleNamespace(
        add_file=lambda session, file: kept.update({file.file_id: (session, file.data)})
    )
    monkeypatch.setattr(uploads.runtime, "exists", lambda: True)
    instance = SimpleNamespace(uploaded_file_mgr=manager)
    monkeypatch.setattr(uploads.runtime, "get_instance", lambda: instance)
    monkeypatch.setattr(uploads, "get_script_run_ctx", lambda: SimpleNamespace(session_id="mine"))
    file: Any = SimpleNamespace(file_id="7", name="a.json", type="")
    give_back(file)
    assert kept == {"7": ("mine", b"")}

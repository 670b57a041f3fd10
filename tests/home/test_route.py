"""The address of the loop: who may ask, how much, how long; and who hangs up does no harm."""

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.applications import Starlette

from pages.home.route import MAX_BODY, TABS, routes

SECRET = "known"
EVENT = json.dumps({"kind": "state"}).encode()


class Echo:
    """Answers with what it was asked."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.asked: list[dict[str, Any]] = []

    def answer(self, event: dict[str, Any]) -> bytes:
        self.asked.append(event)
        return b"done"


@pytest.fixture
def tab() -> Echo:
    tab = TABS[SECRET] = Echo()
    return tab


def post(
    parts: Sequence[bytes | None],
    secret: str = SECRET,
    base: str = "",
    **headers: str,
) -> tuple[int, bytes]:
    """Posts a body in parts, where None waits and the end of a part that is b"" hangs up."""
    app = Starlette(routes=routes(base))
    scope = {
        "type": "http",
        "method": "POST",
        "path": f"{base}/loop/{secret}",
        "query_string": b"",
        "headers": [
            (b"host", b"here:1"),
            *((k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()),
        ],
    }
    sent: list[dict[str, Any]] = []
    left = list(parts)

    async def receive() -> dict[str, Any]:
        part = left.pop(0)
        if part is None:
            await asyncio.sleep(60)
        if part == b"":
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as thread:  # in this one Playwright's loop may be running
        thread.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


def test_an_event_is_answered_below_any_base_path(tab: Echo) -> None:
    assert post([EVENT[:5], EVENT[5:]]) == (200, b"done")
    assert post([EVENT], base="/tokens") == (200, b"done")
    assert tab.asked == [json.loads(EVENT)] * 2


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),  # a program
        ({"origin": "http://here:1"}, 200),
        ({"origin": "https://here:1", "sec_fetch_site": "same-origin"}, 200),
        ({"origin": "http://there:1"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site", "origin": "http://here:1"}, 403),
    ],
)
def test_only_the_apps_own_page_may_ask(tab: Echo, headers: dict[str, str], status: int) -> None:
    assert post([EVENT], **headers)[0] == status
    assert len(tab.asked) == (status == 200)


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([b"[]"], 400),
        ([b"{"], 400),
        ([b"\xff"], 400),
        ([b"[" * 100_000], 400),
        ([b"x" * 65_536] * (MAX_BODY // 65_536 + 1), 413),
        ([EVENT[:5], b""], 400),  # who hangs up reads nothing
        ([EVENT[:5], None], 408),
    ],
)
def test_what_is_no_event_does_nothing(
    tab: Echo, parts: list[bytes | None], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.home.route.MAX_SECONDS", 0.2)
    found, body = post(parts)
    assert (found, tab.asked) == (status, [])
    assert not body or json.loads(body)["error"].endswith(".")


def test_a_secret_that_is_unknown_here_is_said_so(tab: Echo) -> None:
    assert post([EVENT], secret="another")[0] == 404
    assert tab.asked == []

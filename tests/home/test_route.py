"""The address of the loop: who may ask, how much, how long; and who hangs up does no harm."""

import asyncio
import gzip
import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette

from pages.home import route
from pages.home import tab as tab_module
from pages.home.answer_queue import MAX_WAITING
from pages.home.route import MAX_BODY, routes
from pages.home.ticket import Ticket
from tests.driving.home_page import header_of
from tests.home.home_text import post_to

TICKET = Ticket("tab", "storyteller", "float32")
EVENT = json.dumps({"kind": "open"}).encode()


class Echo:
    """Answers with what it was asked."""

    is_remote = False

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.fails: Exception | None = None

    def answer(self, event: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        if self.fails:
            raise self.fails
        self.asked.append(event)
        return {"done": True}, {}


def post(parts: Sequence[bytes | None], *, ticket: str = "", **how: str) -> tuple[int, bytes]:
    """Posts a body in parts, by default with a ticket of this app."""
    return post_to(ticket or TICKET.write(), parts, **how)


@pytest.fixture
def tab(monkeypatch: pytest.MonkeyPatch) -> Echo:
    tab = Echo()
    monkeypatch.setattr(tab_module, "tab_of", {TICKET: tab}.__getitem__)
    return tab


def test_an_event_is_answered_below_any_base_path(tab: Echo) -> None:
    for status, packed in (post([EVENT[:5], EVENT[5:]]), post([EVENT], base="/tokens")):
        assert (status, header_of(packed)) == (200, {"done": True, "arrays": []})
    assert tab.asked == [json.loads(EVENT)] * 2


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),  # a program
        ({"origin": "http://here:1"}, 200),
        ({"origin": "https://here:1", "sec_fetch_site": "same-origin"}, 200),
        ({"origin": "http://there:1"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://["}, 403),
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


@pytest.mark.parametrize("ticket", ["another", "a.b", "." * 2000, f"{TICKET.write()}x"])
def test_who_has_no_ticket_is_refused_before_anything_is_read(tab: Echo, ticket: str) -> None:
    class Unread(list[bytes]):
        def pop(self, _index: Any = -1) -> bytes:
            raise AssertionError("the body was read")

    status, body = post(Unread([EVENT]), ticket=ticket)
    assert (status, tab.asked) == (403, [])
    assert json.loads(body)["error"].endswith(".")


def test_what_fails_is_said_in_one_sentence(tab: Echo) -> None:
    tab.fails = ValueError("One sentence.")
    status, packed = post([EVENT])
    assert (status, header_of(packed)["refusal"]) == (200, "One sentence.")
    tab.fails = RuntimeError("/a/path\nmore")
    status, packed = post([EVENT])
    said = json.loads(packed)["error"]
    assert status == 400
    assert said.endswith(".")
    assert "/a/path" not in said


def test_of_one_tab_a_few_requests_wait_and_no_more(
    tab: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = threading.Event()

    def slow(event: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        let_go.wait(20)
        tab.asked.append(event)
        return {}, {}

    monkeypatch.setattr(tab, "answer", slow)

    async def many() -> list[int]:
        asking = [asyncio.create_task(request()) for _ in range(MAX_WAITING + 3)]
        done, _ = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        assert {task.result() for task in done} == {429}
        let_go.set()
        return await asyncio.gather(*asking)

    async def request() -> int:
        sent: list[int] = []
        headers = [(b"host", b"here:1")]
        path = f"/loop/{TICKET.write()}"
        scope = {"type": "http", "method": "POST", "path": path, "headers": headers}

        parts = [{"type": "http.request", "body": EVENT, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if not parts:
                await asyncio.sleep(60)  # nobody hangs up
            return parts.pop()

        async def send(message: dict[str, Any]) -> None:
            sent.append(message.get("status", 0))

        await app(scope | {"query_string": b""}, receive, send)
        return sent[0]

    app = Starlette(routes=routes(""))
    with ThreadPoolExecutor(1) as thread:
        statuses = thread.submit(lambda: asyncio.run(many())).result()
    assert sorted(statuses) == [200] * MAX_WAITING + [429] * 3
    assert len(tab.asked) == MAX_WAITING


@pytest.mark.parametrize(
    ("n_text", "n_logits", "offers", "is_smaller"),
    [
        (9000, 0, "gzip", True),
        (9000, 0, "identity", False),
        (100, 0, "gzip", False),  # nothing to gain
        (600, 4096, "gzip", False),  # logits hardly shrink: each press would wait for nothing
        (9000, 65_536, "gzip", False),
    ],
)
def test_an_answer_of_many_words_is_compressed(
    tab: Echo,
    monkeypatch: pytest.MonkeyPatch,
    n_text: int,
    n_logits: int,
    offers: str,
    is_smaller: bool,
) -> None:
    header = {"fields": "a" * n_text}
    arrays = {"logits": np.zeros(n_logits, np.float32)}
    monkeypatch.setattr(tab, "answer", lambda _: (header, arrays))
    status, packed = post([EVENT], accept_encoding=offers)
    assert status == 200
    if is_smaller:
        assert len(packed) < n_text / 4
        packed = gzip.decompress(packed)
    assert header_of(packed)["fields"] == header["fields"]


def test_who_has_hung_up_is_not_answered(tab: Echo) -> None:
    assert post([EVENT, b""]) == (400, b"")
    assert tab.asked == []


def test_few_long_texts_are_held_at_a_time(tab: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    long = [b" " * route.LARGE_BODY, EVENT]
    assert post(long)[0] == 200
    assert not route._large
    monkeypatch.setattr(route, "MAX_LARGE", 0)
    assert post(long)[0] == 429
    assert post([EVENT])[0] == 200
    assert len(tab.asked) == 2

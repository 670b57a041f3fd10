"""What the page holds is what Python says, whatever was lost; and little is sent for it."""

from __future__ import annotations

import base64
import json
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page, WebSocketRoute, expect

from benchmarks import home_page
from benchmarks.home_page import PATIENCE, Reader, changed
from model.loading import LanguageModel, load_model
from pages.frame.component import encode_payload
from pages.home.payload import describe
from pages.home.replica import Listed, Replica, count_common, difference, written
from pages.home.session import Session

PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=4)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)
    ),
    max_leaves=12,
)


def change_of(old: Any, new: Any) -> Any:
    """The change as it comes out of a message."""
    replica, page = Replica(), home_page.Replica()
    page.take("live", replica.answer({"value": old}, {}))
    replica.hear(page.versions)
    return read(replica.answer({"value": new}, {}))["change"]


def read(message: bytes) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(message[4 : 4 + int.from_bytes(message[:4], "little")])
    return header


@given(VALUES, VALUES)
def test_a_change_makes_the_new_value_of_the_old_one(old: Any, new: Any) -> None:
    assert changed({"value": old}, change_of(old, new)) == {"value": new}


@given(st.lists(st.integers(0, 1), max_size=9), st.lists(st.integers(0, 1), max_size=9))
def test_lists_have_in_common_what_they_begin_with(first: list[int], second: list[int]) -> None:
    n = count_common(first, second)
    assert first[:n] == second[:n]
    assert n == min(len(first), len(second)) or first[n] != second[n]


def test_only_new_entries_are_written() -> None:
    asked: list[int] = []

    def write(entry: int) -> int:
        asked.append(entry)
        return -entry

    old, new = Listed([1, 2], write), Listed([1, 2, 3], write)
    assert difference({"rows": old}, {"rows": new}) == {"in": {"rows": {"keep": 2, "add": [-3]}}}
    assert asked == [3]


state_of = partial(describe, presenter=False, hide_bars=False)


class Tab:
    """A session and the page that shows it, with a wire between them that can lose messages."""

    def __init__(self, lm: LanguageModel, prompt: str = "Once upon a time") -> None:
        self.session = Session(lm, prompt)
        self.replica, self.page = Replica(), home_page.Replica()
        self.n_bytes: dict[str, int] = {}  # of the headers of the last two messages
        self.run()

    def run(self, *lost: str) -> None:
        """Runs the page's fragment; messages of these components do not arrive."""
        session = self.session
        told = self.replica.foreseen(session.ack) if session.is_foreseen else None
        self._tell("live", self.replica.answer(*told or state_of(session)), lost)
        following = session.prefetch_next()
        if following is not None:
            self._tell("prefetch", self.replica.ahead(*state_of(following)), lost)

    def _tell(self, name: str, message: bytes, lost: tuple[str, ...]) -> None:
        self.n_bytes[name] = int.from_bytes(message[:4], "little")
        if name not in lost:
            self.page.take(name, message)

    def do(self, event: dict[str, Any], *lost: str) -> None:
        """Sends an event and runs what answers it."""
        self.replica.hear(self.page.versions)
        self.session.handle({"n": self.session.ack + 1, **event})
        self.run(*lost)

    def assert_same(self) -> None:
        header, _ = state_of(self.session)
        assert self.page.headers["live"][1] == json.loads(json.dumps(written(header)))


NEXT = {"kind": "next"}
EVENTS: list[dict[str, Any]] = [
    NEXT,
    NEXT,
    {"kind": "force", "token_id": 300},
    {"kind": "tokenise", "text": "The dragon 🐉"},
    NEXT,
    {"kind": "inspect", "position": 5},
    {"kind": "next", "controls": {"greedy": True}},
    {"kind": "back"},
    NEXT,
    {"kind": "branch", "position": 7},
    NEXT,
    NEXT,
    {"kind": "switch", "id": 0},
    {"kind": "rewind", "position": 7},
    {"kind": "finish", "count": 20},
    {"kind": "guess", "text": "cat"},
    {"kind": "prompt", "text": "Es war 🎈 einmal"},
    NEXT,
    {"kind": "reset"},
    {"kind": "force", "token_id": 0},
    {"kind": "unheard of"},
]


@pytest.mark.parametrize("lost", [(), ("prefetch",), ("live",), ("live", "prefetch")])
def test_the_page_holds_what_python_says_whatever_was_lost(
    storyteller: LanguageModel, lost: tuple[str, ...]
) -> None:
    tab = Tab(storyteller)
    tab.assert_same()
    for i, event in enumerate(EVENTS):
        tab.do(event, *(lost if i % 3 == 1 else ()))
        if i % 3 == 1 and "live" in lost:
            tab.do({"kind": "resend"})
        tab.assert_same()


def test_two_tabs_and_a_reload_and_another_model_know_nothing_of_each_other(
    storyteller: LanguageModel,
) -> None:
    first, second = Tab(storyteller), Tab(storyteller, "The cat")
    for tab in (first, second, first, second):
        tab.do(NEXT)
        tab.assert_same()
    first.page = home_page.Replica()  # a reload: nothing is held, and no event asks
    first.run()
    first.assert_same()
    ack, first.session = first.session.ack, Session(load_model("scribbler"), "One day")
    first.session.ack = ack
    first.do(NEXT)
    first.assert_same()


def test_a_press_sends_as_much_at_a_thousand_tokens_as_at_ten(storyteller: LanguageModel) -> None:
    tab, sizes = Tab(storyteller), []
    for n_tokens in (10, 1000):
        while len(tab.session.active.choices) < n_tokens:
            token_id = 300 + len(tab.session.active.choices) % 100
            force = {"n": tab.session.ack + 1, "kind": "force", "token_id": token_id}
            tab.session.handle(force)
        tab.run()
        tab.do(NEXT)
        assert tab.session.is_foreseen
        tab.assert_same()
        sizes.append(dict(tab.n_bytes))
    assert all(size["live"] < 200 for size in sizes), "what was sent ahead is confirmed"
    assert sizes[1]["prefetch"] < 1.2 * sizes[0]["prefetch"]


def test_what_was_sent_ahead_is_not_sent_again() -> None:
    replica, page = Replica(), home_page.Replica()
    logits = np.zeros(50_000, np.float32)
    page.take("live", replica.answer({"ids": [1]}, {"logits": np.ones(50_000, np.float32)}))
    page.take("prefetch", replica.ahead({"ids": [1, 2]}, {"logits": logits}))
    replica.hear(page.versions)
    assert len(replica.answer({"ids": [1, 2], "ack": 0}, {"logits": logits})) < 300


CHANGED = """async (pairs) => {
  const { Replica } = await import('/pages/home/live/replica.js');
  const arrays = {};
  return pairs.map(([whole, change]) => {
    const page = new Replica();
    page.take('answer', { header: { version: 1, base: null, whole }, arrays });
    const header = { version: 2, base: 1, change, kept: [] };
    return page.take('answer', { header, arrays }).header;
  });
}"""
OF_THE_PAGE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"ids": [1, 2], "link": "?run=9"}, {"ids": [1, 2, 3], "link": "?run=10"}),
    ({"ids": [1, 2]}, {"ids": []}),
    ({"forced": [], "a": None}, {"forced": [4], "a": {"b": [1]}}),
    ({"branches": [{"ids": [1]}, {"ids": [2]}]}, {"branches": [{"ids": [1, 5]}, {"ids": [2]}]}),
    ({"branches": [{"ids": [1]}]}, {"branches": [{"ids": [1]}, {"ids": [2]}]}),
    ({"joined": {"3": "é"}}, {"joined": {}}),
    ({"a": {"b": {"c": 1, "d": True}}}, {"a": {"b": {"c": None, "d": True}}}),
]


@pytest.mark.browser
def test_the_page_reads_a_change_as_python_writes_it(scripts: Page) -> None:
    pairs = [[{"value": old}, change_of(old, new)] for old, new in OF_THE_PAGE]
    assert scripts.evaluate(CHANGED, pairs) == [{"value": new} for _, new in OF_THE_PAGE]


MOUNT = """async (text) => {
  globalThis.LIVE_CSS = '';
  const { mountLive } = await import('/pages/home/live/mount.js');
  const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const place = document.body.appendChild(document.createElement('div'));
  const parentElement = place.attachShadow({ mode: 'open' });
  const sent = [];
  mountLive({ data, parentElement, setTriggerValue: (_, event) => sent.push(event) });
  return sent;
}"""


@pytest.mark.browser
def test_a_page_that_holds_nothing_asks_for_all(scripts: Page) -> None:
    message = encode_payload(
        {"version": 9, "follows": None, "base": 8, "change": {}, "kept": []}, {}
    )
    (event,) = scripts.evaluate(MOUNT, base64.b64encode(message).decode())
    assert event == {"kind": "resend", "n": 0, "branch": None, "holds": []}


@pytest.mark.browser
def test_an_event_that_was_lost_is_sent_again(page: Page, url: str) -> None:
    lost: list[int] = []

    def pass_on(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def take(message: str | bytes) -> None:
            numbers = [event["n"] for event in home_page.read_events(message)]
            if numbers == [1] and not lost:
                lost.extend(numbers)
            else:
                server.send(message)

        route.on_message(take)

    page.route_web_socket("**/_stcore/stream", pass_on)
    reader = Reader(page, url, is_tapped=False).open(prompt="Once upon a time")
    n_before = reader.chips.count()
    reader.button("Next").evaluate("(node) => { for (let i = 0; i < 4; i += 1) node.click(); }")
    expect(reader.chips).to_have_count(n_before + 4, timeout=PATIENCE)
    expect(reader.live.locator(".token.is-pending")).to_have_count(0)
    page.wait_for_function(
        "() => new URLSearchParams(location.search).get('run')?.startsWith('4~')"
    )
    assert lost == [1]
    tokens = reader.tokens()
    page.reload()
    expect(reader.chips).to_have_count(n_before + 4, timeout=PATIENCE)
    assert reader.tokens() == tokens

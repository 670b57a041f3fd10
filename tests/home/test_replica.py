"""What the page holds is what Python says, whatever was lost; and little is sent for it."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page

from benchmarks import home_page
from benchmarks.home_page import changed
from model.loading import LanguageModel, load_model
from pages.frame.component import encode_payload
from pages.home.replica import Listed, Replica, count_common, difference
from pages.home.session import Session
from tests.home.conftest import do, header_of
from tests.home.test_session_properties import Tab

PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=4)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)
    ),
    max_leaves=12,
)
BITS = st.lists(st.integers(0, 1), max_size=9)


def change_of(old: Any, new: Any) -> Any:
    """The change as it comes out of a message."""
    replica, page = Replica(), home_page.Replica()
    page.take("live", replica.answer({"value": old}, {}))
    replica.hear(page.versions)
    return header_of(replica.answer({"value": new}, {}))["change"]


@given(VALUES, VALUES)
def test_a_change_makes_the_new_value_of_the_old_one(old: Any, new: Any) -> None:
    assert changed({"value": old}, change_of(old, new)) == {"value": new}


@given(BITS, BITS)
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


def test_two_tabs_and_a_reload_and_another_model_know_nothing_of_each_other(
    storyteller: LanguageModel,
) -> None:
    first, second = Tab(storyteller), Tab(storyteller, "The cat")
    for tab in (first, second, first, second):
        tab.do("next")
        tab.assert_same()
    first.page = home_page.Replica()  # a reload: nothing is held, and no event asks
    first.run()
    first.assert_same()
    ack, first.session = first.session.ack, Session(load_model("scribbler"), "One day")
    first.session.ack = ack
    first.do("next")
    first.assert_same()


def test_a_press_sends_as_much_at_three_hundred_tokens_as_at_ten(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.home.session.MAX_PREFETCH_SECONDS", 60.0)  # on a busy machine too
    tab, sizes = Tab(storyteller), []
    for n_tokens in (10, 300):
        while len(tab.session.active.choices) < n_tokens:
            do(tab.session, "force", token_id=300 + len(tab.session.active.choices) % 100)
        tab.run()
        tab.do("next")
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
  const { default: mountLive } = await import('/pages/home/live/mount.js');
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

"""What a tab sends twice is done once, and what it kept is read as a stranger's input."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.home_page import merged
from pages.home.session import Session
from pages.home.tab import Tab
from pages.home.tab_record import read_record
from tests.home.conftest import do, tab_record
from tests.tiny_models import tiny

PROMPT = "the cat"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = ("model", "controls", "active", "branches")
OF_A_BRANCH = ("id", "ids", "logprob", "query")


@pytest.fixture
def tab() -> Tab:
    return Tab(Session(tiny("llama"), PROMPT))


def state(tab: Tab) -> dict[str, Any]:
    return merged({}, tab.answer({"kind": "state"}))


def test_an_event_that_is_sent_twice_is_done_once(tab: Tab) -> None:
    for n in (0, 0, 1, 0, 1):
        tab.answer({"n": n, "kind": "next"})
    assert len(tab.session.active.choices) == 2
    for n in (None, "2", 1.5):
        tab.answer({"n": n, "kind": "next"})
    assert (len(tab.session.active.choices), tab.ack) == (2, 1)


def test_a_session_that_was_lost_is_taken_back(tab: Tab) -> None:
    before = Session(tab.session.lm, "another text", seed=3)
    for kind in ("next", "next", "branch", "next"):
        do(before, kind, position=len(before.generation.ids) - 1)
    tab.answer({"n": 0, "kind": "restore", "record": tab_record(before)})
    after = tab.session
    assert [text.ids for text in after.branches] == [text.ids for text in before.branches]
    assert (after.active.number, after.notice) == (before.active.number, None)
    assert tab_record(do(after, "switch", id=0)) == tab_record(do(before, "switch", id=0))
    assert state(tab)["outside"], "the toolbar shows another seed"


def test_texts_of_another_model_wait_for_the_page_around_the_component(tab: Tab) -> None:
    record = tab_record(tab.session) | {"model": "another"}
    tab.answer({"n": 0, "kind": "restore", "record": record})
    assert tab.record is not None
    assert state(tab)["outside"] is True


@pytest.mark.parametrize(
    "change",
    [
        {"model": []},
        {"model": {}},
        {"active": {}},
        {"controls": [1]},
        {"branches": {"a": 1}},
        {"branches": [None]},
        {"of": {"logprob": 10**400}},
        {"of": {"logprob": float("nan")}},
        {"of": {"logprob": "1"}},
        {"of": {"ids": "12"}},
        {"of": {"ids": [1.5]}},
        {"of": {"id": True}},
        {"of": {"query": 7}},
    ],
)
def test_a_record_that_cannot_be_read_is_refused_once_and_next_works(
    tab: Tab, change: dict[str, Any]
) -> None:
    """Two of these have ended a session for good."""
    record = tab_record(tab.session)
    record["branches"][0] |= change.get("of", {})
    record |= {name: value for name, value in change.items() if name != "of"}
    before = tab.session
    tab.answer({"n": 0, "kind": "restore", "record": record})
    assert tab.session is before
    assert tab.record is None
    assert before.notice is not None
    assert "cannot be read" in before.notice.text
    tab.answer({"n": 1, "kind": "next"})
    assert (len(before.active.choices), before.notice) == (1, None)


@given(st.sampled_from([*FIELDS, *OF_A_BRANCH]), JSON)
def test_no_record_whatever_breaks_the_reader(name: str, value: Any) -> None:
    record = tab_record(Session(tiny("llama"), PROMPT))
    if name in FIELDS:
        record[name] = value
    else:
        record["branches"][0][name] = value
    with suppress(ValueError):
        read_record(record)

"""The page's session beside the app's: the same events bring the same state, whatever they are."""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.in_page import InPage, floats
from model.loading import LanguageModel
from pages.home.controls import Controls
from pages.home.link import follow_or_say, read_link
from pages.home.page import _begin
from pages.home.payload import columns_of, describe
from pages.home.session import Session
from pages.home.told import Part

TOLERANCE = 1e-4  # of a logit; what follows from logits is compared by it too
OWN = {"model", "code", "timing", "cache", "seconds", "bytes_held"}  # of each engine
HOT = Controls(temperature=1.3, top_k=40, use=("temperature", "top_k")).to_page()
STRICT = Controls(greedy=True, repetition_penalty=1.4, order="vllm").to_page()
AIMED = Controls(mirostat=3, order="llama.cpp", use=("temperature", "top_k")).to_page()

EVENTS = st.one_of(
    st.sampled_from([{"kind": kind} for kind in ("next", "next", "back", "reset", "settings")]),
    st.builds(lambda c: {"kind": "next", "controls": c}, st.sampled_from([HOT, STRICT, AIMED])),
    st.builds(lambda c: {"kind": "settings", "controls": c}, st.sampled_from([HOT, AIMED])),
    st.builds(lambda i: {"kind": "force", "token_id": i}, st.integers(-1, 4097)),
    st.builds(lambda n: {"kind": "finish", "count": n}, st.integers(1, 5)),
    st.builds(
        lambda kind, at: {"kind": kind, "position": at},
        st.sampled_from(["rewind", "branch", "inspect"]),
        st.integers(-1, 12),
    ),
    st.builds(lambda i: {"kind": "switch", "id": i}, st.integers(0, 9)),
    st.builds(
        lambda run, forced: {"kind": "again", "query": f"prompt=a&run={run}&forced={forced}"},
        st.sampled_from(["3", "9~seed:4~top_k:7", "many"]),
        st.sampled_from(["", "2:262", "1:4096"]),
    ),
    st.builds(
        lambda kind, text: {"kind": kind, "text": text},
        st.sampled_from(["prompt", "tokenise", "guess"]),
        st.sampled_from(["Once upon", "", " 🎈", "dog", "\ud83d", "<|endoftext|>"]),
    ),
)


def in_python(session: Session) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The state as the app's page puts it together, as JSON holds it."""
    fields, rows = describe(session), columns_of(session, 0)
    parts = [value for value in fields.values() if isinstance(value, Part)]
    said = {k: v.write() if isinstance(v, Part) else v for k, v in fields.items()}
    prompt_ids, joined = said.pop("prompt_ids"), dict(said.pop("prompt_joined"))
    completed = enumerate(rows.pop("joined"), len(prompt_ids))
    header = said | {
        "ids": prompt_ids + rows.pop("id"),
        "joined": joined | {place: text for place, text in completed if text is not None},
        "steps": rows,
    }
    arrays = {name: array for part in parts for name, array in part.arrays.items()}
    return json.loads(json.dumps(header)), arrays


def same(theirs: Any, ours: Any, at: str = "state") -> None:
    """Asserts that two values are alike, numbers that come from logits but for their rounding."""
    if isinstance(ours, Mapping):
        assert theirs.keys() | OWN == ours.keys() | OWN, at
        for name in ours.keys() - OWN:
            same(theirs[name], ours[name], f"{at}.{name}")
    elif isinstance(ours, list | tuple):
        assert len(theirs) == len(ours), at
        for i, (first, second) in enumerate(zip(theirs, ours, strict=True)):
            same(first, second, f"{at}[{i}]")
    elif isinstance(ours, float):
        assert math.isclose(theirs, ours, rel_tol=2 * TOLERANCE, abs_tol=2 * TOLERANCE), at
    else:
        assert theirs == ours, at


def assert_same_state(told: dict[str, Any], session: Session) -> None:
    header, arrays = in_python(session)
    same({name: told["header"][name] for name in header.keys() - OWN}, header)
    assert told["arrays"].keys() == arrays.keys()
    for name, array in arrays.items():
        assert np.abs(floats(told["arrays"][name]) - array).max() < TOLERANCE


@given(events=st.lists(EVENTS, min_size=1, max_size=12), seed=st.integers(0, 2**31 - 1))
@settings(max_examples=15)
def test_the_same_events_bring_the_same_state(
    in_page: InPage, storyteller: LanguageModel, events: list[dict[str, Any]], seed: int
) -> None:
    query = {"prompt": "The cat sat", "seed": str(seed)}
    told = in_page("open", query=query)
    session = Session(storyteller, query["prompt"], seed)
    for event in events:
        assert_same_state(told, session)
        told = in_page("answer", event=event)
        session.handle(event)
    assert_same_state(told, session)


@pytest.mark.parametrize(
    "query",
    [
        {"prompt": "Once", "seed": "3", "forced": "1:262", "run": "4~seed:3~top_p:0.5;2~seed:9"},
        {"prompt": "🎈", "temperature": "2", "run": "3", "top_k": "x", "seed": "7"},
        {"run": "3", "forced": "1:4096"},
        {"prompt": "\ud83d", "run": "2"},
        {"prompt": "🎈" * 700},
    ],
    ids=lambda query: str(query)[:40],
)
def test_a_link_opens_as_it_does_in_the_app(
    in_page: InPage, storyteller: LanguageModel, query: dict[str, str]
) -> None:
    told, link = in_page("open", query=query), read_link(query, "storyteller")
    problems = list(link.problems)
    session = _begin(storyteller, link, problems)
    assert session is not None
    follow_or_say(session, link, problems)
    assert_same_state(told, session)


def test_a_link_of_another_model_opens_its_prompt_and_says_so(in_page: InPage) -> None:
    header = in_page("open", query={"model": "gpt2", "prompt": "Once", "run": "2"})["header"]
    assert header["notice"]["kind"] == "error"
    assert "gpt2" in header["notice"]["text"]
    assert header["ids"] == [0, *header["ids"][1:]]
    assert header["n_prompt"] == len(header["ids"]) == 2


def test_a_tab_s_texts_are_written_again_and_what_is_none_changes_nothing(in_page: InPage) -> None:
    in_page("open", query={"prompt": "Once", "seed": "3"})
    for event in ({"kind": "finish", "count": 4}, {"kind": "branch", "position": 4}):
        before = in_page("answer", event=event)["header"]
    texts = [*before["branches"], {"id": before["branch"], "query": before["query"]}]
    record = {"branches": texts, "active": before["branch"], "controls": before["controls"]}
    in_page("open", query={})
    told = in_page("answer", event={"kind": "restore", "record": record})["header"]
    for name in ("ids", "branch", "branches", "seed", "controls", "notice"):
        same(told[name], before[name])
    for wrong in ({}, {**record, "active": 9}, {**record, "branches": [{"id": 0, "query": ""}]}):
        after = in_page("answer", event={"kind": "restore", "record": wrong})["header"]
        assert after["notice"]["kind"] == "error"
        assert after["ids"] == told["ids"]

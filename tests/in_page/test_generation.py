"""Back and forth in the page: a text that was cropped or forked is what a fresh one would be."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import encode
from tests.driving.in_page import InPage, floats

PROMPT = "The cat sat on the"
BYTES_PER_TOKEN = 2 * 8 * 4 * 32 * 4  # keys and values, layers, heads, numbers, bytes
ACTS = st.one_of(
    st.tuples(st.just("step"), st.one_of(st.none(), st.integers(0, 4095))),
    st.tuples(st.just("rewind"), st.integers(0, 4)),
    st.tuples(st.just("fork"), st.none()),
    st.tuples(st.just("back to"), st.integers(0, 3)),
)


@given(acts=st.lists(ACTS, max_size=14), seed=st.integers(0, 2**31 - 1))
@settings(max_examples=15)
def test_no_crop_and_no_fork_leaves_a_trace(
    in_page: InPage, acts: list[tuple[str, Any]], seed: int
) -> None:
    """Ids are what was done; logits a fresh prefill's to the last bit; the cache what it says."""
    seen = in_page("acts", ids=[0, 409, 623], seed=seed, acts=acts)
    for after, expected in zip(seen, ids_after(acts, seen), strict=True):
        assert after["ids"] == expected
        ids = after["ids"]
        n_read = len(ids) - (ids[3:] != [] and ids[-1] == 0)  # no pass runs after an end
        length, n_bytes, n_held = after["cache"]
        assert (length, n_bytes) == (n_read, n_read * BYTES_PER_TOKEN)
        assert n_held >= n_bytes
    for after in seen[-1:]:
        n_read = after["cache"][0]
        fresh = in_page("logits", ids=after["ids"][:n_read], changed={})
        assert after["logits"] == fresh


def ids_after(acts: list[tuple[str, Any]], seen: list[Any]) -> Iterator[list[int]]:
    """The ids that follow from what was done; a token that was drawn is taken as it came."""
    text, parked = [0, 409, 623], list[list[int]]()
    for (act, argument), after in zip(acts, seen, strict=True):
        if act == "step" and not (len(text) > 3 and text[-1] == 0):
            text.append(after["ids"][-1] if argument is None else argument)
        elif act == "rewind":
            del text[max(3, len(text) - argument) :]
        elif act == "fork":
            parked.append(text)
            text = list(text)
        elif act == "back to" and parked:
            text = parked[argument % len(parked)]
        yield text


def test_a_past_position_is_looked_back_at_as_it_was(in_page: InPage) -> None:
    ids = in_page("write", ids=[0, 409, 623], seed=1, settings={}, n=20)["ids"]
    for position in (1, 2, 3, 9, len(ids) - 1):
        fresh = in_page("logits", ids=ids[:position], changed={})
        assert in_page("lookBack", ids=ids, position=position) == fresh


@pytest.mark.parametrize("chosen", [{"temperature": 0.7, "top_p": 0.8}, {"mirostat": 3.0}])
def test_a_step_is_on_record_as_it_is_in_python(
    in_page: InPage, storyteller: LanguageModel, chosen: dict[str, float]
) -> None:
    ids, began = encode(storyteller, PROMPT), time.monotonic()
    told = in_page("write", ids=ids, seed=4, settings=chosen, n=12, forced={"3": 300, "8": 4000})
    ours = Generation(storyteller, ids, seed=4)
    for place, theirs in enumerate(told["steps"]):
        forced_id = {3: 300, 8: 4000}.get(place)
        step = ours.step(Settings(**chosen), token_id=forced_id)
        assert theirs["token_id"] == step.token_id
        assert theirs["pointer"] == step.pointer
        counts = ("n_input", "cache_tokens", "cache_bytes")
        for name in ("forced", "rank", "phase", "is_shared", *counts):
            assert theirs[name] == getattr(step, name), name
        for name in ("logprob", "prob", "entropy", "chosen_prob"):
            assert np.isclose(theirs[name], getattr(step, name), rtol=1e-4, atol=1e-6), name
        best = step.candidates[0]
        assert theirs["top_id"] == best.token_id
        assert np.isclose(theirs["top_prob"], best.probs[0], rtol=1e-4)
        assert theirs["memory"] == pytest.approx(vars(step.memory), abs=1e-3)
        assert theirs["seconds"] > 0
    assert sum(theirs["seconds"] for theirs in told["steps"]) < time.monotonic() - began
    assert np.abs(floats(told["last"]) - ours.logits).max() < 1e-4


def test_storage_holds_64_positions_and_doubles_for_the_next(in_page: InPage) -> None:
    """The first token comes from a pass over all 64, the second from that of the 65th."""
    told = in_page("write", ids=[0, *range(300, 363)], seed=0, settings={}, n=2)
    held = [step["bytes_held"] for step in told["steps"]]
    assert held == [64 * BYTES_PER_TOKEN, 128 * BYTES_PER_TOKEN]


def test_the_context_ends_a_text(in_page: InPage) -> None:
    full = {"max_position_embeddings": 7}
    told = in_page("write", ids=[0, 409, 623], seed=0, settings={}, n=9, changed=full)
    assert (len(told["ids"]), told["finished"]) == (7, "length")

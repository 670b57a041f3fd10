"""Masks compared, many draws, votes, and the detector of loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.draw import draw, uniform_at
from model.sampling.experiments import (
    MASKS_ALONE,
    Loop,
    apply_alone,
    count_draws,
    divergence,
    find_loop,
    first_word,
    jaccard,
)

LOGITS = np.log(np.array([0.5, 0.25, 0.15, 0.1], dtype=np.float32))


def test_masks_alone_keep_what_their_rules_say() -> None:
    before = LOGITS.copy()
    values = {"greedy": 0.0, "temperature": 2.0, "top_k": 3, "top_p": 0.7, "min_p": 0.25}
    values |= {"epsilon": 0.12, "top_n_sigma": 1.0}
    kept = [apply_alone(LOGITS, name, value).kept.sum() for name, value in values.items()]
    assert kept == [1, 4, 3, 2, 3, 3, 1]
    assert (before == LOGITS).all()


def test_overlap_and_divergence_by_hand() -> None:
    two, three = apply_alone(LOGITS, "top_k", 2), apply_alone(LOGITS, "top_k", 3)
    assert jaccard(two, three) == pytest.approx(2 / 3)
    assert divergence(two, three) == pytest.approx(math.log(0.9 / 0.75))
    assert divergence(three, two) == math.inf
    assert divergence(two, two) == 0


@given(st.lists(st.floats(-20, 20, width=32), min_size=2, max_size=30))
def test_no_mask_is_nearer_to_another_than_to_itself(numbers: list[float]) -> None:
    logits = np.array(numbers, dtype=np.float32)
    values = {"top_k": 3, "top_n_sigma": 1.0, "temperature": 0.7}
    stages = [apply_alone(logits, name, values.get(name, 0.5)) for name in MASKS_ALONE]
    for one in stages:
        assert jaccard(one, one) == 1
        assert divergence(one, one) == 0
        assert all(0 <= jaccard(one, other) <= 1 for other in stages)
        assert all(divergence(one, other) >= 0 for other in stages)


def test_ten_thousand_draws_are_ten_thousand_times_the_loop_s_own() -> None:
    stage = apply_alone(LOGITS, "top_k", 3)
    counts = count_draws(stage, 500, seed=7)
    singly = [draw(stage, uniform_at(7, i)) for i in range(500)]
    assert counts.tolist() == np.bincount(singly, minlength=4).tolist()
    assert counts[3] == 0


@pytest.mark.parametrize(
    ("text", "word"),
    [(" Water. She", "water"), ("\n\"Don't", "don't"), (" ...", "(none)"), (" été,", "été")],
)
def test_the_first_word_is_the_answer(text: str, word: str) -> None:
    assert first_word(text) == word


@pytest.mark.parametrize(
    ("ids", "loop"),
    [
        ([1, 2, 3, 4, 5, 6, 7], None),
        ([9, 1, 2, 1, 2, 1, 2], Loop(1, 2, 3.0)),
        ([5, 5, 5, 5, 5], None),  # three times, but too short to be sure
        ([4, 5, 5, 5, 5, 5, 5], Loop(1, 1, 6.0)),
        ([1, 2, 3, 1, 2, 3, 1, 2], None),  # not yet three times
        ([0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1], Loop(1, 3, 10 / 3)),
        ([1, 2, 1, 2, 1, 2, 9], None),  # it got out
        ([], None),
    ],
)
def test_the_detector_sees_loops_and_nothing_else(ids: list[int], loop: Loop | None) -> None:
    assert find_loop(ids) == loop


@given(
    st.lists(st.integers(0, 3), max_size=8),
    st.lists(st.integers(4, 9), min_size=2, max_size=6),
    st.integers(3, 6),
)
def test_a_phrase_repeated_is_found_whatever_stands_before(
    before: list[int], phrase: list[int], times: int
) -> None:
    found = find_loop(before + phrase * times)
    assert found is not None
    assert len(phrase) % found.period == 0
    assert found.start == len(before)

"""What holds for every game: bounds in order, shares that sum to 1, a score that is proper."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.guess.game import prob_of
from model.guess.parsing import read_line
from model.guess.records import GuessRead
from model.guess.shannon import entropy_bounds, isotonic_fit, lower_bound, upper_bound

N_VOCAB = 60
ROUNDS = st.lists(
    st.tuples(st.integers(1, 8), st.integers(1, 12)).map(
        # the rank among n guesses, or a miss where it is beyond them
        lambda pair: (pair[1] if pair[1] <= pair[0] else None, pair[0])
    ),
    min_size=1,
    max_size=30,
)


@given(ROUNDS)
def test_the_lower_bound_never_exceeds_the_upper(rounds: list[tuple[int | None, int]]) -> None:
    lower, upper = entropy_bounds([r for r, _ in rounds], [n for _, n in rounds], N_VOCAB)
    assert -1e-9 <= lower <= upper + 1e-9
    assert upper <= math.log2(N_VOCAB) + 1e-9


@given(st.lists(st.integers(1, N_VOCAB), min_size=1, max_size=30))
def test_evened_counts_sum_to_one_and_never_rise(ranks: list[int]) -> None:
    blocks = isotonic_fit([(rank, rank) for rank in ranks])
    starts = [0, *(last for last, _ in blocks[:-1])]
    assert sum(
        (last - start) * prob for start, (last, prob) in zip(starts, blocks, strict=True)
    ) == pytest.approx(1)
    probs = [prob for _, prob in blocks]
    assert probs == sorted(probs, reverse=True)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=20))
def test_the_bounds_are_the_plain_sums_where_nothing_has_to_be_evened(weights: list[float]) -> None:
    q = np.sort(np.array(weights) / sum(weights))[::-1]
    blocks = [(i, float(prob)) for i, prob in enumerate(q, start=1)]
    places = np.arange(1, len(q) + 1)
    plain_lower = float((places * (q - np.append(q[1:], 0)) * np.log2(places)).sum())
    assert upper_bound(blocks) == pytest.approx(float(-(q * np.log2(q)).sum()), abs=1e-9)
    assert lower_bound(blocks) == pytest.approx(plain_lower, abs=1e-9)


@given(
    st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(0, 100)), max_size=6),
    st.sampled_from(["percent", "hands"]),
)
def test_a_line_that_is_read_leaves_something_for_the_other_tokens(
    pairs: list[tuple[str, int]], unit: str
) -> None:
    line = " ".join(f"{word} {number}" for word, number in pairs)
    try:
        shares = read_line(line, unit)  # type: ignore[arg-type]  # a unit's name
    except ValueError:
        assert unit == "percent"
        assert sum(number for _, number in pairs) > 100
        return
    assert sum(shares.values()) < 1
    assert all(share > 0 for share in shares.values())


@given(st.lists(st.floats(0.02, 1), min_size=2, max_size=6), st.integers(0, 5))
def test_nobody_pays_less_than_by_writing_what_they_believe(
    weights: list[float], moved: int
) -> None:
    belief = np.array(weights) / sum(weights) * 0.9
    honest = _mean_bits(belief, belief)
    other = belief.copy()
    other[moved % len(other)] *= 0.5
    assert honest < _mean_bits(belief, other)


def _mean_bits(belief: np.ndarray, written: np.ndarray) -> float:
    guesses = [GuessRead("x", "x", i, 1, float(share)) for i, share in enumerate(written)]
    true = [*belief, *[(1 - belief.sum()) / (N_VOCAB - len(belief))] * (N_VOCAB - len(belief))]
    return -sum(p * math.log2(prob_of(guesses, i, N_VOCAB)) for i, p in enumerate(true))

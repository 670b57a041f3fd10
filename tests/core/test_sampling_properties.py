"""What holds for every distribution and every setting, not for a few examples."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from model.chi_square import chi_square
from model.draw import draw, rank_order, summarise, uniform_at
from model.masks import log_softmax
from model.records import FloatArray, IntArray
from model.sampling import ORDERS, Settings, process
from model.settings import SETTINGS, STAGE_NAMES, Setting

LARGEST = float(np.finfo(np.float32).max)
MAY_TAKE_THE_BEST = {"typical_p", "xtc"}
scores = st.one_of(
    st.floats(-20, 20, width=32),
    st.integers(-3, 3).map(float),  # ties
    st.just(-math.inf),
    st.sampled_from([1e4, -1e4, LARGEST, -LARGEST]),
)
logits = (
    st.lists(scores, min_size=1, max_size=24)
    .filter(lambda row: max(row) > -math.inf)
    .map(lambda row: np.array(row, dtype=np.float32))
)
texts = st.lists(st.integers(0, 30), max_size=12)
pointers = st.floats(0, 1, exclude_max=True)
fractions = st.floats(1e-6, 1)
orders = st.one_of(st.sampled_from(list(ORDERS.values())), st.permutations(STAGE_NAMES).map(tuple))
NAMED: dict[str, st.SearchStrategy[float]] = {
    "temperature": st.one_of(st.just(0), st.just(1), st.floats(1e-6, 1e6), st.floats(0.1, 3)),
    "top_k": st.integers(0, 30),
    "top_p": st.one_of(st.just(1), fractions),
    "min_p": st.one_of(st.just(0), fractions),
    "typical_p": st.one_of(st.just(1), fractions),
    "epsilon": st.one_of(st.just(0), st.floats(0, 0.999)),
    "eta": st.one_of(st.just(0), st.floats(0, 0.999)),
    "min_k": st.one_of(st.just(0), st.floats(0, 100)),
    "top_h": st.one_of(st.just(0), fractions),
    "p_less": st.integers(0, 1),
    "top_n_sigma": st.one_of(st.just(0), st.floats(0, 4)),
    "repetition_penalty": st.one_of(st.just(1), st.floats(0.001, 1000), st.floats(0.5, 2)),
    "generated_only": st.integers(0, 1),
    "presence_penalty": st.one_of(st.just(0), st.floats(-1000, 1000), st.floats(-2, 2)),
    "frequency_penalty": st.one_of(st.just(0), st.floats(-1000, 1000), st.floats(-2, 2)),
    "dry": st.one_of(st.just(0), st.floats(0, 1000)),
    "xtc": st.one_of(st.just(0), fractions),
    "mirostat": st.one_of(st.just(0), st.just(0), st.floats(0.01, 12)),
}


def within(row: Setting) -> st.SearchStrategy[float]:
    """Values of a setting that is not named above, within its bounds, neutral half of the time."""
    low, high = max(row.bounds[0], -5), min(row.bounds[1], 5)
    if isinstance(row.neutral, int):
        return st.integers(int(low), int(high))
    return st.one_of(st.just(row.neutral), st.floats(low, high))


settings = st.builds(
    Settings,
    order=orders,
    **{name: NAMED[name] if name in NAMED else within(row) for name, row in SETTINGS.items()},
)


def is_uniform(pointers: FloatArray) -> bool:
    """Kolmogorov and Smirnov's test at p = 0.001."""
    pointers, ends = np.sort(pointers), np.arange(len(pointers) + 1) / len(pointers)
    distance = max((ends[1:] - pointers).max(), (pointers - ends[:-1]).max())
    return bool(distance < 1.95 / math.sqrt(len(pointers)))


def fits(counts: IntArray, probs: FloatArray) -> bool:
    """Chi-square test at p = 0.001."""
    return chi_square(counts, probs).p_value > 0.001


@given(logits, texts, settings, st.integers(0, 12))
def test_every_stage_is_a_distribution_over_what_it_kept(
    logits: FloatArray, ids: list[int], settings: Settings, n_prompt: int
) -> None:
    before = logits.copy()
    stages = process(logits, ids, settings, n_prompt)
    assert np.array_equal(logits, before)
    assert np.array_equal(stages[0].kept, logits > -math.inf), "underflow is no removal"
    assert [stage.name for stage in stages] == ["raw", *settings.stage_names]
    for stage in stages:
        assert stage.kept.any()
        assert stage.probs.sum() == pytest.approx(1)
        assert not stage.probs[~stage.kept].any()
        assert np.array_equal(stage.kept, stage.scores > -math.inf)
        assert 0 <= stage.entropy <= math.log(stage.kept.sum()) + 1e-9
    for given_stage, stage in pairwise(stages):
        assert not (stage.kept & ~given_stage.kept).any()
        assert stage.kept[given_stage.order[0]] or stage.name in MAY_TAKE_THE_BEST
        lost = given_stage.kept & ~stage.kept
        assert stage.removed_mass == pytest.approx(given_stage.probs[lost].sum())
        worst = rank_order(stage.scores)[stage.kept.sum() - 1]
        assert stage.boundary_id == (worst if lost.any() else None)


@given(logits)
def test_neutral_settings_are_the_softmax(logits: FloatArray) -> None:
    (stage,) = process(logits, [1, 2], Settings())
    shifted = logits.astype(float) - logits.max()
    softmax = np.exp(shifted) / np.exp(shifted).sum()
    assert stage.probs == pytest.approx(softmax)
    assert np.exp(log_softmax(np.array([logits, logits])))[1] == pytest.approx(softmax)


@given(logits, st.floats(1e-6, 1), st.floats(1, 1e6))
def test_temperature_changes_neither_order_nor_tokens_and_a_colder_one_has_less_entropy(
    logits: FloatArray, cold: float, hot: float
) -> None:
    stages = [process(logits, [], Settings(temperature=value))[-1] for value in (cold, 1, hot)]
    for colder, stage in pairwise(stages):
        assert np.array_equal(rank_order(colder.scores), rank_order(stage.scores))
        assert np.array_equal(colder.kept, stage.kept)
        assert colder.entropy <= stage.entropy + 1e-9


@given(logits, settings, pointers)
def test_a_pointer_draws_the_token_whose_piece_of_the_bar_holds_it(
    logits: FloatArray, settings: Settings, pointer: float
) -> None:
    stage = process(logits, [0, 1], settings)[-1]
    order = rank_order(stage.scores)
    token_id = draw(stage, pointer)
    end = np.cumsum(stage.probs[order])[order.tolist().index(token_id)]
    assert stage.kept[token_id]
    assert stage.probs[token_id] > 0
    assert end - stage.probs[token_id] - 1e-12 <= pointer <= end + 1e-12


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_pointers_along_a_text_are_uniform(seed: int) -> None:
    pointers = np.array([uniform_at(seed, position) for position in range(5000)])
    assert is_uniform(pointers)
    pairs = (pointers[:-1] * 5).astype(int) * 5 + (pointers[1:] * 5).astype(int)
    assert fits(np.bincount(pairs, minlength=25), np.full(25, 1 / 25))


def test_pointers_of_neighbouring_seeds_are_independent() -> None:
    pointers = np.array(
        [[uniform_at(seed, position) for position in range(20)] for seed in range(1000)]
    )
    assert is_uniform(pointers.ravel())
    assert is_uniform(pointers[:, 0])
    assert abs(np.corrcoef(pointers[:-1].ravel(), pointers[1:].ravel())[0, 1]) < 0.05


@pytest.mark.parametrize("share", [0.2, 0.9])
def test_xtc_is_due_as_often_as_it_says_and_tells_nothing_of_the_draw(share: float) -> None:
    logits, settings = np.log(np.array([0.5, 0.3, 0.2])), Settings(xtc=share, order=("xtc",))
    pointers = np.array([uniform_at(11, position) for position in range(5000)])
    is_due = np.array(
        [process(logits, [], settings, 0, pointer)[-1].kept.sum() == 1 for pointer in pointers]
    )
    n_due = int(is_due.sum())
    assert fits(np.array([n_due, 5000 - n_due]), np.array([share, 1 - share]))
    assert is_uniform(pointers[is_due])
    assert is_uniform(pointers[~is_due])


def test_draws_follow_the_distribution() -> None:
    logits = np.random.default_rng(3).normal(0, 1.5, 12)
    stage = process(logits, [], Settings(temperature=0.8, top_k=8))[-1]
    drawn = [draw(stage, uniform_at(7, position)) for position in range(20_000)]
    assert fits(np.bincount(drawn, minlength=12), stage.probs)  # none of what is not kept


@given(logits=logits, temperature=st.floats(1, 2), limit=st.integers(1, 4))
def test_what_is_held_of_a_distribution_gives_its_probabilities_to_a_millionth(
    logits: FloatArray, temperature: float, limit: int
) -> None:
    held = summarise(logits, limit=limit)
    assume(held.ids is not None)
    assert held.n_tail == len(logits) - limit
    assert (held.tail_counts > 0).all()
    best = float(logits.max())
    true = np.exp((np.sort(logits.astype(np.float64))[::-1] - best) / temperature)
    of_means = np.exp((held.tail_logits - best) / temperature)
    tail = held.tail_counts * of_means * (1 + held.tail_variances / temperature**2 / 2)
    told = np.exp((held.logits.astype(np.float64) - best) / temperature)
    assert told / (told.sum() + tail.sum()) == pytest.approx(true[:limit] / true.sum(), abs=1e-6)

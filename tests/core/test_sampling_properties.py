"""What holds for every distribution and every setting, not for a few examples."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from model.chi_square import chi_square
from model.draw import draw, rank_order, summarise, uniform_at
from model.records import BoolArray, FloatArray, IntArray
from model.sampling import ORDERS, Settings, process
from model.settings import STAGE_NAMES

LARGEST = float(np.finfo(np.float32).max)
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
fractions = st.floats(1e-6, 1)
orders = st.one_of(st.sampled_from(list(ORDERS.values())), st.permutations(STAGE_NAMES).map(tuple))
settings = st.builds(
    Settings,
    temperature=st.one_of(st.just(0), st.just(1), st.floats(1e-6, 1e6), st.floats(0.1, 3)),
    top_k=st.integers(0, 30),
    top_p=st.one_of(st.just(1), fractions),
    min_p=st.one_of(st.just(0), fractions),
    typical_p=st.one_of(st.just(1), fractions),
    epsilon=st.one_of(st.just(0), st.floats(0, 0.999)),
    eta=st.one_of(st.just(0), st.floats(0, 0.999)),
    top_n_sigma=st.one_of(st.just(0), st.floats(0, 4)),
    repetition_penalty=st.one_of(st.just(1), st.floats(0.001, 1000), st.floats(0.5, 2)),
    presence_penalty=st.one_of(st.just(0), st.floats(-1000, 1000), st.floats(-2, 2)),
    frequency_penalty=st.one_of(st.just(0), st.floats(-1000, 1000), st.floats(-2, 2)),
    dry=st.one_of(st.just(0), st.floats(0, 1000)),
    xtc=st.one_of(st.just(0), fractions),
    order=orders,
)


def is_uniform(coins: FloatArray) -> bool:
    """Kolmogorov and Smirnov's test at p = 0.001."""
    coins, ends = np.sort(coins), np.arange(len(coins) + 1) / len(coins)
    distance = max((ends[1:] - coins).max(), (coins - ends[:-1]).max())
    return bool(distance < 1.95 / math.sqrt(len(coins)))


def fits(counts: IntArray, probs: FloatArray) -> bool:
    """Chi-square test at p = 0.001."""
    return chi_square(counts, probs).p_value > 0.001


def kept_by(logits: FloatArray, **values: Any) -> BoolArray:
    """Which tokens one setting alone leaves."""
    return process(logits, [], Settings(order=STAGE_NAMES, **values))[-1].kept


@given(logits, texts, settings, st.integers(0, 12))
def test_every_stage_is_a_distribution_over_what_it_kept(
    logits: FloatArray, ids: list[int], settings: Settings, n_prompt: int
) -> None:
    before = logits.copy()
    stages = process(logits, ids, settings, n_prompt)
    assert np.array_equal(logits, before)
    assert [stage.name for stage in stages] == ["raw", *settings.stage_names]
    for stage in stages:
        assert stage.kept.any()
        assert stage.probs.sum() == pytest.approx(1)
        assert not stage.probs[~stage.kept].any()
        assert np.array_equal(stage.kept, stage.scores > -math.inf)
        assert 0 <= stage.entropy <= math.log(stage.kept.sum()) + 1e-9
    for given_stage, stage in pairwise(stages):
        assert not (stage.kept & ~given_stage.kept).any()
        lost = given_stage.kept & ~stage.kept
        assert stage.removed_mass == pytest.approx(given_stage.probs[lost].sum())
        if lost.any():
            worst = rank_order(stage.scores)[stage.kept.sum() - 1]
            assert stage.boundary_id == worst
        else:
            assert stage.boundary_id is None


@given(logits)
def test_neutral_settings_are_the_softmax(logits: FloatArray) -> None:
    (stage,) = process(logits, [1, 2], Settings())
    shifted = logits.astype(float) - logits.max()
    assert stage.probs == pytest.approx(np.exp(shifted) / np.exp(shifted).sum())


@given(logits, st.floats(1e-6, 1e6))
def test_temperature_never_changes_the_order_nor_removes_a_token(
    logits: FloatArray, temperature: float
) -> None:
    raw, *rest = process(logits, [], Settings(temperature=temperature))
    for stage in rest:
        assert np.array_equal(rank_order(stage.scores), rank_order(raw.scores))
        assert np.array_equal(stage.kept, raw.kept)


@given(logits, st.floats(0.1, 0.9), st.floats(1.1, 5))
def test_a_colder_distribution_has_less_entropy(
    logits: FloatArray, cold: float, hot: float
) -> None:
    entropies = [process(logits, [], Settings(temperature=t))[-1].entropy for t in (cold, 1, hot)]
    assert entropies[0] <= entropies[1] + 1e-9
    assert entropies[1] <= entropies[2] + 1e-9


@given(logits, st.integers(1, 30))
def test_top_k_keeps_k_and_the_ties_of_the_last(logits: FloatArray, k: int) -> None:
    kept = kept_by(logits, top_k=k)
    falling = np.sort(logits)[::-1]
    least = max(falling[min(k, len(logits)) - 1], -LARGEST)
    assert np.array_equal(kept, logits >= least)
    assert kept.sum() >= min(k, np.isfinite(logits).sum())


@given(logits, st.floats(1e-6, 0.999))
def test_top_p_keeps_the_smallest_set_that_reaches_p(logits: FloatArray, p: float) -> None:
    (raw,) = process(logits, [], Settings())
    order = rank_order(logits)
    n_kept = kept_by(logits, top_p=p).sum()
    assert kept_by(logits, top_p=p)[order[:n_kept]].all()
    assert raw.probs[order[:n_kept]].sum() >= p - 1e-9
    assert raw.probs[order[: n_kept - 1]].sum() <= p + 1e-9


@given(logits, st.floats(1e-6, 0.999))
def test_typical_reaches_its_mass(logits: FloatArray, mass: float) -> None:
    (raw,) = process(logits, [], Settings())
    assert raw.probs[kept_by(logits, typical_p=mass)].sum() >= mass - 1e-9


@pytest.mark.parametrize(
    ("name", "values", "tightens"),
    [
        ("top_k", st.integers(1, 30), "down"),
        ("top_p", fractions, "down"),
        ("typical_p", fractions, "down"),
        ("min_p", fractions, "up"),
        ("epsilon", st.floats(1e-6, 0.999), "up"),
        ("top_n_sigma", st.floats(0.001, 9), "down"),
    ],
)
def test_a_tighter_mask_keeps_no_token_that_a_looser_one_drops(
    name: str, values: SearchStrategy[float], tightens: str
) -> None:
    @given(logits, values, values)
    def check(logits: FloatArray, one: float, other: float) -> None:
        low, high = sorted([one, other])
        tight, loose = (low, high) if tightens == "down" else (high, low)
        assert not (kept_by(logits, **{name: tight}) & ~kept_by(logits, **{name: loose})).any()

    check()


@given(logits, st.floats(1e-6, 0.999))
def test_eta_is_never_stricter_than_epsilon(logits: FloatArray, cutoff: float) -> None:
    assert not (kept_by(logits, epsilon=cutoff) & ~kept_by(logits, eta=cutoff)).any()


@given(logits, settings)
def test_only_typical_xtc_and_penalties_can_take_the_best_token(
    logits: FloatArray, settings: Settings
) -> None:
    names = [name for name in settings.stage_names if "penalty" not in name]
    assume(not {"typical_p", "xtc"} & set(names))
    stages = process(logits, [], settings)
    assert stages[-1].kept[rank_order(logits)[0]]


@given(logits, texts, st.floats(1.001, 1000), st.floats(0.001, 1000))
def test_penalties_lower_every_token_of_the_text_and_no_other(
    logits: FloatArray, ids: list[int], factor: float, amount: float
) -> None:
    used = np.isin(np.arange(len(logits)), ids)
    finite = np.isfinite(logits)
    penalties: list[dict[str, Any]] = [
        {"repetition_penalty": factor},
        {"presence_penalty": amount},
        {"frequency_penalty": amount},
    ]
    for values in penalties:
        raw, stage = process(logits, ids, Settings(order=tuple(values), **values))
        assert (stage.scores[used & finite] <= raw.scores[used & finite]).all()
        moved = used & finite & (np.abs(raw.scores) < 1e5) & (raw.scores != 0)
        assert (stage.scores[moved] < raw.scores[moved]).all()
        assert np.array_equal(stage.scores[~used], raw.scores[~used])


@given(logits, settings, st.floats(0, 1, exclude_max=True))
def test_a_coin_draws_the_token_whose_piece_of_the_bar_holds_it(
    logits: FloatArray, settings: Settings, coin: float
) -> None:
    stage = process(logits, [0, 1], settings)[-1]
    order = rank_order(stage.scores)
    ends = np.cumsum(stage.probs[order])
    token_id = draw(stage, coin)
    row = order.tolist().index(token_id)
    assert stage.kept[token_id]
    assert stage.probs[token_id] > 0
    assert ends[row] - stage.probs[token_id] - 1e-12 <= coin <= ends[row] + 1e-12


@given(logits, settings, st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_a_larger_coin_never_draws_a_better_token(
    logits: FloatArray, settings: Settings, one: float, other: float
) -> None:
    stage = process(logits, [], settings)[-1]
    rank = {int(token_id): i for i, token_id in enumerate(rank_order(stage.scores))}
    low, high = sorted([one, other])
    assert rank[draw(stage, low)] <= rank[draw(stage, high)]


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_coins_along_a_text_are_uniform(seed: int) -> None:
    coins = np.array([uniform_at(seed, position) for position in range(5000)])
    assert is_uniform(coins)
    pairs = (coins[:-1] * 5).astype(int) * 5 + (coins[1:] * 5).astype(int)
    assert fits(np.bincount(pairs, minlength=25), np.full(25, 1 / 25))


def test_coins_of_neighbouring_seeds_are_independent() -> None:
    coins = np.array(
        [[uniform_at(seed, position) for position in range(20)] for seed in range(1000)]
    )
    assert is_uniform(coins.ravel())
    assert is_uniform(coins[:, 0])
    assert abs(np.corrcoef(coins[:-1].ravel(), coins[1:].ravel())[0, 1]) < 0.05


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_xtc_is_due_as_often_as_it_says_and_tells_nothing_of_the_draw(share: float) -> None:
    logits, settings = np.log(np.array([0.5, 0.3, 0.2])), Settings(xtc=share, order=("xtc",))
    coins = np.array([uniform_at(11, position) for position in range(5000)])
    is_due = np.array(
        [process(logits, [], settings, 0, coin)[-1].kept.sum() == 1 for coin in coins]
    )
    n_due = int(is_due.sum())
    assert fits(np.array([n_due, 5000 - n_due]), np.array([share, 1 - share]))
    assert is_uniform(coins[is_due])
    assert is_uniform(coins[~is_due])


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
    best = float(logits.max())
    true = np.exp((np.sort(logits.astype(np.float64))[::-1] - best) / temperature)
    of_means = np.exp((held.tail_logits - best) / temperature)
    tail = held.tail_counts * of_means * (1 + held.tail_variances / temperature**2 / 2)
    told = np.exp((held.logits.astype(np.float64) - best) / temperature)
    assert told / (told.sum() + tail.sum()) == pytest.approx(true[:limit] / true.sum(), abs=1e-6)

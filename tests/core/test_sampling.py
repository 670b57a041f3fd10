"""What no oracle says: bounds by hand, what is recorded, which settings make sense, the pointer.

The four tokens have the probabilities 1/2, 1/4, 1/8 and 1/8 at temperature 1, but for rounding.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from model.draw import (
    agreement,
    candidates,
    count_draws,
    draw,
    draw_from,
    rank_order,
    summarise,
    uniform_at,
)
from model.generation import Generation
from model.loading import LanguageModel
from model.masks import (
    DRY_BASE,
    MASKS,
    OF_PROBS,
    PENALTIES,
    TOP_H_MOST,
    XTC_THRESHOLD,
    divergence,
)
from model.records import Stage
from model.sampling import ORDERS, Settings, process
from model.settings import SETTINGS, STAGE_NAMES

HALVES = np.log2([8.0, 4.0, 2.0, 2.0]) * math.log(2)  # probabilities 1/2, 1/4, 1/8, 1/8
INF = math.inf


def made(**values: Any) -> Settings:
    """Settings from values of any type, as a link or the page may hold them."""
    return Settings(**values)


def last(logits: ArrayLike, ids: Sequence[int] = (), **settings: Any) -> Stage:
    """The distribution to draw from."""
    return process(np.array(logits, dtype=float), ids, made(**settings))[-1]


def kept(logits: ArrayLike, ids: Sequence[int] = (), **settings: Any) -> list[int]:
    """The ids that can still be drawn."""
    return np.flatnonzero(last(logits, ids, **settings).kept).tolist()


def test_a_token_that_stands_on_the_bound_is_kept() -> None:
    best, second, *_ = last(HALVES).probs
    assert kept(HALVES, epsilon=second) == kept(HALVES, min_p=second / best) == [0, 1]
    assert kept(HALVES, typical_p=second) == [1]  # it reaches the mass by itself
    # of 0, 0, 2, 2 the deviation is 1: two of them below the best is exactly 0
    assert kept([0, 2, -INF, 0, 2], top_n_sigma=2, order=STAGE_NAMES) == [0, 1, 3, 4]


DYADIC = np.array([0.5, 0.25, 0.125, 0.125])  # exact, and so are their sums and logarithms


@pytest.mark.parametrize(
    ("name", "value", "n_kept"),
    [
        *(
            ("mirostat", mu, n)
            for mu, n in ((0.5, 1), (1, 1), (1.99, 1), (2, 2), (2.99, 2), (3, 4))
        ),
        *(("min_p", p, n) for p, n in ((1, 1), (0.51, 1), (0.5, 2), (0.26, 2), (0.25, 4))),
        *(("top_p", p, n) for p, n in ((0.5, 1), (0.51, 2), (0.75, 2), (0.76, 3), (0.875, 3))),
    ],
)
def test_what_stands_exactly_on_the_bound_is_in(name: str, value: float, n_kept: int) -> None:
    assert name in OF_PROBS
    assert np.flatnonzero(MASKS[name](DYADIC, value)).tolist() == list(range(n_kept))


def test_a_top_choice_stands_on_its_bound_and_what_underflows_weighs_nothing() -> None:
    tops = MASKS["xtc"](np.array([0.4, 0.3, XTC_THRESHOLD, XTC_THRESHOLD, 0.05, 0.05]), True)
    assert tops.tolist() == [False, False, False, True, True, True]
    assert MASKS["top_h"](np.array([0.0, 0.0, -800.0]), 1.0).tolist() == [True, True, False]


def test_dry_grows_no_more_once_float32_could_not_hold_it() -> None:
    lengths = np.array([1, 2, 3, 159, 160, 161, 999])
    taken = -PENALTIES["dry"](np.zeros(7), lengths, 2.0)
    most = 2 * DRY_BASE**158
    assert taken[:3].tolist() == [0, 2, 2 * DRY_BASE]
    assert taken[3:] == pytest.approx([most / DRY_BASE, most, most, most], rel=1e-12)
    assert most / 2 < float(np.finfo(np.float32).max) < most / 2 * DRY_BASE


def test_draws_are_counted_by_the_pointers_of_their_seed() -> None:
    stage = last(HALVES)
    for seeds, seed in (((), 0), ((7,), 7)):
        drawn = [draw(stage, uniform_at(seed, position)) for position in range(200)]
        assert count_draws(stage, 200, *seeds).tolist() == np.bincount(drawn, minlength=4).tolist()


def test_zero_is_greedy_after_the_penalties_and_the_lowest_id_wins_a_tie() -> None:
    stage = last([1, 3, 3, 0], temperature=0, top_k=2)
    assert (stage.name, stage.entropy, stage.boundary_id) == ("greedy", 0, 1)
    assert stage.probs.tolist() == [0, 1, 0, 0]
    assert kept([2, 4], ids=[1], repetition_penalty=2, temperature=0) == [0]
    # it stands in temperature's place, or last
    assert made(temperature=0, top_k=2, order="llama.cpp").stage_names == ("top_k", "greedy")
    assert made(temperature=0, order=()).stage_names == ("greedy",)


def test_penalties_count_the_prompt_unless_generated_tokens_alone_are_meant() -> None:
    """Prompt 0 1 2 0 1, generated 0 1: DRY sees 0 1 before a 2 in the prompt alone."""
    logits, ids = np.array([4.0, -4.0, 2.0, 1.0]), [0, 1, 2, 0, 1, 0, 1]

    def scores(**values: Any) -> list[float]:
        order = ("repetition_penalty", "dry", "presence_penalty")
        return process(logits, ids, made(order=order, **values), 5)[-1].scores.tolist()

    assert scores(repetition_penalty=2) == [2, -8, 1, 1]
    assert scores(repetition_penalty=2, generated_only=1) == [2, -8, 2, 1]
    assert scores(dry=1) == [4 - 1.75**0, -4, 2 - 1.75**0, 1]
    assert scores(dry=1, generated_only=1) == [4, -4, 2, 1]
    assert scores(presence_penalty=1) == scores(presence_penalty=1, generated_only=1)
    assert process(logits, ids, made(generated_only=1), 5)[-1].name == "raw", "no stage by itself"
    with pytest.raises(ValueError, match="order"):
        made(order=("generated_only",))


def test_the_token_before_a_text_that_ends_one_ends_it_later_under_a_penalty(
    storyteller: LanguageModel,
) -> None:
    """Its logit is positive here: divided where it is counted, and else left as it is."""
    text, (end_id,) = Generation(storyteller, "The cat sat."), storyteller.end_ids
    assert text.ids[0] == end_id
    logits = text.logits.astype(float)
    probs = {}
    for generated_only in (0, 1):
        settings = made(repetition_penalty=1.3, generated_only=generated_only)
        probs[generated_only] = process(text.logits, text.ids, settings, len(text.ids))[-1].probs
        counted = set(text.ids) if not generated_only else set[int]()
        expected = [
            logit if i not in counted else logit / 1.3 if logit >= 0 else logit * 1.3
            for i, logit in enumerate(logits)
        ]
        weights = np.exp(np.array(expected) - max(expected))
        np.testing.assert_allclose(probs[generated_only], weights / weights.sum(), rtol=1e-9)
    assert probs[0][end_id] < 0.7 * probs[1][end_id]


@pytest.mark.parametrize(("order", "expected"), [("transformers", [0]), ("llama.cpp", [0, 1])])
def test_temperature_before_or_after_top_p_keeps_different_sets(
    order: str, expected: list[int]
) -> None:
    assert kept([3, 2, 1], temperature=0.5, top_p=0.8, order=order) == expected


@pytest.mark.parametrize(("toss", "n_kept"), [(0.25, 1), (0.5, 4)])
def test_xtc_is_due_where_the_toss_is_below_its_chance(toss: float, n_kept: int) -> None:
    settings = made(xtc=0.5, order=("xtc",))
    assert process(np.zeros(4), [], settings, pointer=toss / 2**27)[-1].kept.sum() == n_kept


@pytest.mark.parametrize(("share", "n_kept"), [(0.25, 1), (0.5, 2), (1.0, 4)])
def test_top_h_keeps_what_reaches_its_share_exactly(share: float, n_kept: int) -> None:
    assert kept([0, 0, 0, 0], top_h=share) == list(range(n_kept))


def test_each_stage_says_what_it_did() -> None:
    raw, top_k = process(HALVES, [], Settings(top_k=2))
    assert (raw.name, raw.removed_mass, raw.boundary_id) == ("raw", 0, None)
    assert raw.scores.tolist() == HALVES.tolist()
    assert raw.entropy == pytest.approx(1.75 * math.log(2))
    assert (top_k.name, top_k.removed_mass, top_k.boundary_id) == ("top_k", pytest.approx(0.25), 1)
    assert top_k.scores.tolist() == [HALVES[0], HALVES[1], -INF, -INF]
    assert top_k.probs == pytest.approx([2 / 3, 1 / 3, 0, 0])


@pytest.mark.parametrize(
    ("logits", "remedy"),
    [
        ([1.0, math.nan], "NaN or .inf: give numbers"),
        ([1.0, INF], "NaN or .inf: give numbers"),
        ([-INF, -INF], "allow at least one token"),
        ([], r"pass one row, \(vocab,\)"),
        ([[1.0, 2.0]], r"pass one row, \(vocab,\)"),
    ],
)
def test_logits_that_are_no_distribution_are_refused_with_the_remedy(
    logits: list[Any], remedy: str
) -> None:
    with pytest.raises(ValueError, match=remedy):
        process(np.array(logits), [], Settings())


def test_settings_are_neutral_by_themselves_and_equal_by_value() -> None:
    assert Settings() == made(top_k=None, order="transformers")
    assert Settings().stage_names == ()
    assert hash(Settings(temperature=2)) == hash(made(temperature=np.float32(2)))
    assert type(made(top_k=3.0).top_k) is int
    assert made(order="vllm").order == ORDERS["vllm"] == made(order=list(ORDERS["vllm"])).order
    # a stage that the order lacks does nothing
    assert made(top_k=1, eta=0.5, typical_p=0.9, order="vllm").stage_names == ("top_k",)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("temperature", [-1, 1e-7, 1e7]),
        ("top_k", [-1, 2.5, 10**400]),
        ("top_p", [0, -0.1, 1.1]),
        ("min_p", [-0.1, 1.1]),
        ("typical_p", [0, 1.1]),
        ("epsilon", [-0.1, 1]),
        ("eta", [-0.1, 1]),
        ("top_n_sigma", [-1, 1e7]),
        ("min_k", [-1, 1e7]),
        ("top_h", [-0.1, 1.1]),
        ("p_less", [-1, 2, 0.5]),
        ("repetition_penalty", [0, -1, 1e4]),
        ("presence_penalty", [-1e4, 1e4]),
        ("frequency_penalty", [-1e4, 1e4]),
        ("dry", [-0.1, 1e4]),
        ("xtc", [-0.1, 1.1]),
        ("mirostat", [-0.1, 101]),
    ],
)
def test_a_value_out_of_range_names_the_remedy(name: str, values: list[Any]) -> None:
    for value in [*values, math.nan, INF, -INF, True, "0.5", [1], None]:
        if value is not None or name not in ("top_k", "p_less"):
            with pytest.raises(ValueError, match=rf"^{name} is .{{1,50}}: choose .+\.$"):
                Settings(**{name: value})


@pytest.mark.parametrize(
    ("order", "remedy"),
    [
        ("gpt", "choose one of transformers, vllm"),
        ("x" * 100_000, r"^order is .{1,40}: choose"),  # whatever the link holds
        (("top_k", "raw"), "use stages from temperature"),
        (("top_k", "top_k"), "name each stage once"),
        (5, "use stages from"),
        (([],), "use stages from"),
    ],
)
def test_an_unknown_order_names_the_remedy(order: Any, remedy: str) -> None:
    with pytest.raises(ValueError, match=remedy):
        Settings(order=order)


def test_the_pointer_falls_on_the_drawn_piece_of_the_bar() -> None:
    stage = last(HALVES)
    pointers = [0, 0.49, 0.5, 0.74, 0.75, 0.87, 0.875, 0.99]
    assert [draw(stage, pointer) for pointer in pointers] == [0, 0, 1, 1, 2, 2, 3, 3]
    # from the best token to the worst, ties by id
    stage = last(HALVES[::-1])
    for way in (
        lambda pointer: draw(stage, pointer),
        lambda pointer: draw_from(stage.probs, pointer),
    ):
        assert [way(pointer) for pointer in (0, 0.5, 0.75, 0.875)] == [3, 2, 0, 1]


def test_pointers_are_fixed_for_good() -> None:
    # printed once and kept: a link must replay the same text in years to come
    expected = [0.6524484863740322, 0.7012121095215252, 0.3871241409757855]
    assert [uniform_at(0, position) for position in range(3)] == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rank_order_breaks_ties_by_id(dtype: type) -> None:
    scores = np.random.default_rng(0).integers(-25, 25, 5000).astype(dtype)
    scores[:3] = -INF, -0.0, -INF
    assert rank_order(scores).tolist() == np.argsort(-scores, kind="stable").tolist()


def test_candidates_are_the_best_rows_with_every_stage() -> None:
    stages = process(HALVES, [], Settings(top_k=1))
    first, second = candidates(stages, "token {}".format, drawn_id=0, n=2)
    assert (first.token_id, second.token_id, second.label) == (0, 1, "token 1")
    assert (second.logit, second.kept) == (HALVES[1], (True, False))
    assert second.probs == pytest.approx((0.25, 0))
    # the drawn token is there once, wherever it ranks
    assert [row.token_id for row in candidates(stages, str, drawn_id=3, n=2)] == [0, 1, 3]


def test_a_small_vocabulary_is_kept_whole() -> None:
    logits = np.array([1.0, -INF, 2.0], dtype=np.float32)
    held = summarise(logits, limit=3)
    assert (held.ids, held.logits.tolist(), held.n_tail) == (None, logits.tolist(), 0)
    assert held.logits is not logits


def test_a_large_vocabulary_is_cut_to_its_best_and_a_histogram_that_suffices_to_normalise() -> None:
    logits = np.random.default_rng(0).normal(0, 3, 20_000).astype(np.float32)
    logits[7] = -INF
    held, order = summarise(logits, limit=500), rank_order(logits)
    assert held.ids is not None
    assert held.ids.tolist() == order[:500].tolist()
    assert held.logits.tolist() == logits[order[:500]].tolist()
    assert len(held.tail_counts) <= 256
    # the first bin is the best token of the tail, the last one what is ruled out
    assert (held.tail_counts[0], held.tail_logits[0]) == (1, logits[order[500]])
    assert (held.tail_counts[-1], held.tail_logits[-1]) == (1, -INF)
    for temperature in (0.5, 1, 2, 5):
        true = np.exp(logits[order[500:]].astype(float) / temperature).sum()
        of_means = held.tail_counts * np.exp(held.tail_logits / temperature)
        told = of_means * (1 + held.tail_variances / temperature**2 / 2)
        assert told.sum() == pytest.approx(true, rel=1e-6)


def test_penalties_count_the_first_and_the_last_id_and_none_beyond() -> None:
    logits, strong = np.zeros(4, np.float32), Settings(presence_penalty=1, order=ORDERS["vllm"])
    for ids, counted in (([0], [0]), ([3], [3]), ([4, -1], []), ([0, 3, 4, 9], [0, 3])):
        last = process(logits, ids, strong)[-1]
        assert np.flatnonzero(last.scores < 0).tolist() == counted


def test_what_a_setting_says_of_its_mask_are_the_mask_s_numbers() -> None:
    said = {name: SETTINGS[name].says for name in ("dry", "top_h", "xtc")}
    assert f"{DRY_BASE:g}" in said["dry"]
    assert str(TOP_H_MOST) in said["top_h"]
    assert f"{100 * XTC_THRESHOLD:g} %" in said["xtc"]


@pytest.mark.parametrize(("answers", "share"), [("a", 1), ("ab", 0), ("aab", 1 / 3), ("aa", 1)])
def test_answers_agree_as_often_as_two_of_them_are_the_same(answers: str, share: float) -> None:
    assert agreement(answers) == pytest.approx(share)


def test_a_divergence_is_0_of_the_same_and_10_000_where_the_other_rules_it_out() -> None:
    first, second = np.array([0.0, -INF]), np.array([-INF, 0.0])
    assert divergence(first, first) == 0
    assert divergence(first, second) == 10_000

"""Each strategy on a distribution small enough to work out by hand.

The four tokens have the probabilities 1/2, 1/4, 1/8 and 1/8 at temperature 1, but for rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from model import masks
from model.draw import candidates, draw, draw_from, rank_order, summarise, uniform_at
from model.records import Stage
from model.sampling import ORDERS, Settings, process
from model.settings import STAGE_NAMES

HALVES = np.log2([8.0, 4.0, 2.0, 2.0]) * math.log(2)  # probabilities 1/2, 1/4, 1/8, 1/8
INF = math.inf


def made(**values: Any) -> Settings:
    """Settings from values of any type, as a link or the page may hold them."""
    return Settings(**values)


def last(logits: ArrayLike, ids: Sequence[int] = (), n_prompt: int = 0, **settings: Any) -> Stage:
    """The distribution to draw from."""
    return process(np.array(logits, dtype=float), ids, made(**settings), n_prompt)[-1]


def kept(logits: ArrayLike, ids: Sequence[int] = (), **settings: Any) -> list[int]:
    """The ids that can still be drawn."""
    return list(np.flatnonzero(last(logits, ids, **settings).kept))


class TestMasks:
    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ({"top_k": 1}, [0]),
            ({"top_k": 2}, [0, 1]),
            ({"top_k": 3}, [0, 1, 2, 3]),  # ties at the third score are all kept
            ({"top_k": 99}, [0, 1, 2, 3]),
            ({"top_p": 0.4}, [0]),  # the token that crosses p is kept
            ({"top_p": 0.499}, [0]),
            ({"top_p": 0.501}, [0, 1]),
            ({"top_p": 0.874}, [0, 1, 2]),  # of two equals the lower id comes first
            ({"top_p": 0.876}, [0, 1, 2, 3]),
            ({"top_p": 1e-300}, [0]),
            ({"min_p": 0.249}, [0, 1, 2, 3]),  # 1/8 is a quarter of 1/2
            ({"min_p": 0.251}, [0, 1]),
            ({"min_p": 1}, [0]),
            ({"epsilon": 0.124}, [0, 1, 2, 3]),
            ({"epsilon": 0.126}, [0, 1]),
            ({"epsilon": 0.99}, [0]),  # the best token is kept in any case
            # surprises in bits 1, 2, 3, 3; entropy 1.75: nearest is token 1, then 0, then others
            ({"typical_p": 0.2}, [1]),
            ({"typical_p": 0.7}, [0, 1]),
            ({"typical_p": 0.8}, [0, 1, 2, 3]),
            # entropy 1.75 bits: the cutoff falls from 0.4 to sqrt(0.4) * 2 ** -1.75 = 0.188
            ({"epsilon": 0.4}, [0]),
            ({"eta": 0.4}, [0, 1]),
        ],
    )
    def test_keeps_what_its_definition_says(
        self, settings: dict[str, Any], expected: list[int]
    ) -> None:
        assert kept(HALVES, **settings) == expected

    @pytest.mark.parametrize(
        ("logits", "settings", "expected"),
        [
            # mean 3, deviation sqrt(5) = 2.236: the cuts are at 4.88, 3.76, 1.53 and below all
            ([6, 4, 2, 0], {"top_n_sigma": 0.5}, [0]),
            ([6, 4, 2, 0], {"top_n_sigma": 1}, [0, 1]),
            ([6, 4, 2, 0], {"top_n_sigma": 2}, [0, 1, 2]),
            ([6, 4, 2, 0], {"top_n_sigma": 9}, [0, 1, 2, 3]),
            # of 0, 0, 2, 2 the deviation is 1: two of them below the best is exactly 0
            ([0, 2, -INF, 0, 2], {"top_n_sigma": 2}, [0, 1, 3, 4]),
            ([0, 2, -INF, 0, 2], {"top_n_sigma": 1.99}, [1, 4]),
            # all equal: what ties at the cut is kept, but by top-p
            ([1, 1, 1, 1], {"top_p": 0.5}, [0, 1]),
            ([1, 1, 1, 1], {"top_n_sigma": 0.1}, [0, 1, 2, 3]),
        ],
    )
    def test_bounds_and_ties(
        self, logits: list[float], settings: dict[str, Any], expected: list[int]
    ) -> None:
        assert kept(logits, order=STAGE_NAMES, **settings) == expected

    def test_a_token_that_stands_on_the_bound_is_kept(self) -> None:
        best, second, *_ = last(HALVES).probs
        assert kept(HALVES, epsilon=second) == [0, 1]
        assert kept(HALVES, min_p=second / best) == [0, 1]
        assert kept(HALVES, typical_p=second) == [1]  # it reaches the mass by itself

    def test_typical_may_remove_the_best_token_and_the_rest_is_still_a_distribution(self) -> None:
        stage = last(HALVES, typical_p=0.2, temperature=0.5, order="llama.cpp")
        assert stage.probs.tolist() == [0, 1, 0, 0]
        assert draw(stage, 0.999) == 1


class TestTemperature:
    def test_zero_is_greedy_and_the_lowest_id_wins_a_tie(self) -> None:
        stage = last([1, 3, 3, 0], temperature=0)
        assert stage.name == "greedy"
        assert stage.probs.tolist() == [0, 1, 0, 0]
        assert stage.entropy == 0
        assert stage.boundary_id == 1
        assert all(draw(stage, coin) == 1 for coin in (0.0, 0.5, 1 - 2**-53))

    def test_greedy_follows_the_penalties_and_ends_the_pipeline(self) -> None:
        settings = Settings(temperature=0, repetition_penalty=2, top_k=2, top_p=0.5)
        stages = process(np.array([3.0, 2.0]), [0], settings)
        assert [stage.name for stage in stages] == ["raw", "repetition_penalty", "greedy"]
        assert draw(stages[-1], 0) == 1

    def test_greedy_stands_in_temperatures_place_or_last(self) -> None:
        assert made(temperature=0, top_k=2, order="llama.cpp").stage_names == ("top_k", "greedy")
        assert Settings(temperature=0, order=()).stage_names == ("greedy",)


class TestPenalties:
    def test_a_penalty_removes_nothing_and_sorts_again(self) -> None:
        stages = process(np.array([3.0, 2.0, 1.0]), [0], Settings(repetition_penalty=4, top_k=1))
        assert (stages[1].removed_mass, stages[1].boundary_id) == (0, None)
        assert np.flatnonzero(stages[2].kept).tolist() == [1]

    def test_tokens_that_a_penalty_makes_equal_rank_by_id(self) -> None:
        assert kept([2, 4], ids=[1], repetition_penalty=2, temperature=0) == [0]

    def test_ids_beyond_the_logits_are_left_out(self) -> None:
        assert last([1, 2], ids=[7, -1], repetition_penalty=2).scores.tolist() == [1, 2]


class TestPipeline:
    def test_each_stage_says_what_it_did(self) -> None:
        raw, top_k = process(HALVES, [], Settings(top_k=2))
        assert raw.name == "raw"
        assert raw.scores.tolist() == HALVES.tolist()
        assert raw.entropy == pytest.approx(1.75 * math.log(2))
        assert (raw.removed_mass, raw.boundary_id) == (0, None)
        assert top_k.scores.tolist() == [HALVES[0], HALVES[1], -INF, -INF]
        assert top_k.probs == pytest.approx([2 / 3, 1 / 3, 0, 0])
        assert top_k.kept.tolist() == [True, True, False, False]
        assert top_k.removed_mass == pytest.approx(0.25)
        assert top_k.boundary_id == 1

    def test_a_stage_that_the_order_lacks_does_nothing(self) -> None:
        settings = made(top_k=1, eta=0.5, typical_p=0.9, order="vllm")
        assert settings.stage_names == ("top_k",)

    def test_underflow_is_not_removal(self) -> None:
        raw = last([0.0, -1e4])
        assert raw.probs.tolist() == [1, 0]
        assert raw.kept.all()

    @pytest.mark.parametrize(
        ("logits", "remedy"),
        [
            ([1.0, math.nan], "load the model in float32"),
            ([1.0, INF], "load the model in float32"),
            ([-INF, -INF], "allow at least one token"),
            ([], r"pass one row, \(vocab,\)"),
            ([[1.0, 2.0]], r"pass one row, \(vocab,\)"),
        ],
    )
    def test_logits_that_are_no_distribution_are_refused_with_the_remedy(
        self, logits: list[Any], remedy: str
    ) -> None:
        with pytest.raises(ValueError, match=remedy):
            process(np.array(logits), [], Settings())


class TestSettings:
    def test_defaults_are_neutral(self) -> None:
        assert Settings().stage_names == ()
        assert Settings() == made(top_k=None, order="transformers")

    def test_is_hashable_and_equal_by_value(self) -> None:
        assert hash(Settings(temperature=2)) == hash(made(temperature=np.float32(2)))
        assert type(made(top_k=3.0).top_k) is int

    def test_order_may_be_a_preset_a_list_or_a_tuple(self) -> None:
        assert made(order="vllm").order == ORDERS["vllm"]
        assert made(order=["top_k", "top_p"]).order == ("top_k", "top_p")

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
            ("repetition_penalty", [0, -1, 1e4]),
            ("presence_penalty", [-1e4, 1e4]),
            ("frequency_penalty", [-1e4, 1e4]),
            ("dry", [-0.1, 1e4]),
            ("xtc", [-0.1, 1.1]),
        ],
    )
    def test_a_value_out_of_range_names_the_remedy(self, name: str, values: list[Any]) -> None:
        for value in [*values, math.nan, INF, -INF, True, "0.5", [1], None]:
            if (name, value) != ("top_k", None):
                with pytest.raises(ValueError, match=rf"^{name} is .{{1,50}}: choose .+\.$"):
                    Settings(**{name: value})

    @pytest.mark.parametrize(
        ("order", "remedy"),
        [
            ("gpt", "choose one of transformers, vllm"),
            (("top_k", "raw"), "use stages from temperature"),
            (("top_k", "top_k"), "name each stage once"),
            (5, "use stages from"),
            (([],), "use stages from"),
        ],
    )
    def test_an_unknown_order_names_the_remedy(self, order: Any, remedy: str) -> None:
        with pytest.raises(ValueError, match=remedy):
            Settings(order=order)

    def test_a_message_stays_one_short_sentence_whatever_the_link_holds(self) -> None:
        with pytest.raises(ValueError, match=r"^order is .{1,40}: choose") as error:
            made(order="x" * 100_000)
        assert len(str(error.value)) < 200


class TestDraw:
    def test_the_coin_falls_on_the_drawn_piece_of_the_bar(self) -> None:
        (stage,) = process(HALVES, [], Settings())
        coins = [0, 0.49, 0.5, 0.74, 0.75, 0.87, 0.875, 0.99]
        assert [draw(stage, coin) for coin in coins] == [0, 0, 1, 1, 2, 2, 3, 3]
        # from the best token to the worst, ties by id
        (stage,) = process(HALVES[::-1].copy(), [], Settings())
        assert [draw(stage, coin) for coin in (0, 0.5, 0.75, 0.875)] == [3, 2, 0, 1]
        assert [draw_from(stage.probs, coin) for coin in (0, 0.5, 0.75, 0.875)] == [3, 2, 0, 1]

    def test_coins_are_fixed_for_good(self) -> None:
        # printed once and kept: a link must replay the same text in years to come
        expected = [0.6524484863740322, 0.7012121095215252, 0.3871241409757855]
        assert [uniform_at(0, position) for position in range(3)] == expected

    def test_rank_order_breaks_ties_by_id(self) -> None:
        scores = np.array([1.0, 3.0, -INF, 3.0, 0.0, -0.0, -INF])
        assert rank_order(scores).tolist() == [1, 3, 0, 4, 5, 2, 6]
        scores = np.random.default_rng(0).integers(0, 50, 5000).astype(np.float32)
        assert rank_order(scores).tolist() == np.argsort(-scores, kind="stable").tolist()


class TestRecords:
    def test_candidates_are_the_best_rows_with_every_stage(self) -> None:
        stages = process(HALVES, [], Settings(top_k=1))
        rows = candidates(stages, "token {}".format, n=2)
        assert [row.token_id for row in rows] == [0, 1]
        assert rows[1].label == "token 1"
        assert rows[1].logit == HALVES[1]
        assert rows[1].probs == pytest.approx((0.25, 0))
        assert rows[1].kept == (True, False)
        # the drawn token is there once, wherever it ranks
        assert [row.token_id for row in candidates(stages, str, 2, include=[3, 0])] == [0, 1, 3]
        assert [row.token_id for row in candidates(stages, str, 99)] == [0, 1, 2, 3]

    def test_a_small_vocabulary_is_kept_whole(self) -> None:
        logits = np.array([1.0, -INF, 2.0], dtype=np.float32)
        held = summarise(logits, limit=3)
        assert held.ids is None
        assert held.logits.tolist() == logits.tolist()
        assert held.n_tail == 0
        assert held.logits is not logits

    def test_a_large_vocabulary_is_cut_to_its_best_and_a_histogram(self) -> None:
        logits = np.random.default_rng(0).normal(0, 3, 20_000).astype(np.float32)
        logits[7] = -INF
        held = summarise(logits, limit=500, n_bins=64)
        order = rank_order(logits)
        assert held.ids is not None
        assert held.ids.tolist() == order[:500].tolist()
        assert held.logits.tolist() == logits[order[:500]].tolist()
        assert len(held.tail_counts) == len(held.tail_logits) <= 64
        assert held.n_tail == 19_500
        # the first bin is the best token of the tail, the last one what is ruled out
        assert (held.tail_counts[0], held.tail_logits[0]) == (1, logits[order[500]])
        assert (held.tail_counts[-1], held.tail_logits[-1]) == (1, -INF)

    @pytest.mark.parametrize("temperature", [0.5, 1, 2, 5])
    def test_the_histogram_suffices_to_normalise(self, temperature: float) -> None:
        logits = np.random.default_rng(1).normal(0, 3, 100_000).astype(np.float32)
        held = summarise(logits)
        tail = np.sort(logits.astype(float))[: held.n_tail]
        true = np.exp(tail / temperature).sum()
        of_means = np.exp(held.tail_logits / temperature)
        told = held.tail_counts * of_means * (1 + held.tail_variances / temperature**2 / 2)
        assert told.sum() == pytest.approx(true, rel=1e-6)

    @pytest.mark.parametrize("n_vocab", [6, 7, 8, 70])
    @pytest.mark.parametrize("n_ruled_out", [0, 2])
    def test_a_tail_of_any_size_is_counted_whole(self, n_vocab: int, n_ruled_out: int) -> None:
        logits = np.arange(n_vocab, dtype=np.float32)
        logits[:n_ruled_out] = -INF
        held = summarise(logits, limit=5, n_bins=8)
        assert held.n_tail == n_vocab - 5
        assert (held.tail_counts > 0).all()
        assert not np.isnan(held.tail_logits).any()


def test_log_softmax_sums_to_one_and_survives_great_logits() -> None:
    rows = np.array([[0, math.log(2), math.log(5)], [1000.0, 1000.0, -1000.0]])
    expected = [[1 / 8, 2 / 8, 5 / 8], [0.5, 0.5, 0.0]]
    assert np.exp(masks.log_softmax(rows)) == pytest.approx(np.array(expected))

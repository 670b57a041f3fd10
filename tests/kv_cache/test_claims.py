"""The claims of the cache lesson, on the shipped model."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest

from model.flops import growth_exponent, predict_text
from model.generation import Generation
from model.job import finish
from model.kv_cache.experiments import look_into, race
from model.kv_cache.records import Race
from model.loading import LanguageModel
from viz.kv_cache.bytes_chart import bytes_figure

PROMPT = "The cat sat on the"


@pytest.fixture(scope="module")
def raced(storyteller: LanguageModel) -> Race:
    return finish(race(storyteller, Generation(storyteller, PROMPT).ids, 48, n_runs=1))


def test_c06_prefill_lays_all_columns_of_the_prompt_then_each_step_one(
    storyteller: LanguageModel,
) -> None:
    generation = Generation(storyteller, PROMPT)
    grid = look_into(generation)
    assert grid is not None
    assert grid.keys.shape[2] == grid.n_prompt == grid.n_new == generation.n_prompt
    for n_more in (1, 2, 3):
        generation.step()
        grid = look_into(generation)
        assert grid is not None
        assert (grid.n_new, grid.keys.shape[2]) == (1, generation.n_prompt + n_more)


def test_c24_keys_and_values_of_past_tokens_never_change(storyteller: LanguageModel) -> None:
    generation = Generation(storyteller, PROMPT)
    before = look_into(generation)
    for _ in range(5):
        generation.step()
    after = look_into(generation)
    assert before is not None
    assert after is not None
    assert np.array_equal(before.keys, after.keys[:, :, : generation.n_prompt])
    assert np.array_equal(before.values, after.values[:, :, : generation.n_prompt])


def test_c24_cached_and_recomputed_agree_but_for_rounding(raced: Race) -> None:
    gap = raced.gap
    assert gap is not None
    assert 0 < gap.keys < 1e-4
    assert 0 < gap.values < 1e-4
    assert 0 < max(step.logit_gap for step in raced.steps) < 1e-4
    assert all(step.same_best for step in raced.steps)


def test_c25_work_grows_with_the_square_without_the_cache_and_with_the_length_with_it(
    storyteller: LanguageModel, raced: Race
) -> None:
    assert all(check.counted == check.predicted for check in raced.checks)
    lengths = [step.n_tokens for step in raced.steps]
    recomputed, read = predict_text(storyteller, len(lengths))
    without = list(accumulate(float(flops.total) for flops in recomputed))
    cached = list(accumulate(float(flops.total) for flops in read))
    assert growth_exponent(lengths, without) == pytest.approx(2, abs=0.1)
    assert growth_exponent(lengths, cached) == pytest.approx(1, abs=0.05)
    # attention alone grows faster than the length on both sides
    attention = list(accumulate(float(flops.attention) for flops in read))
    assert growth_exponent(lengths, attention) == pytest.approx(2, abs=0.1)


def test_c26_picture_formula_and_tensors_agree_to_the_byte(storyteller: LanguageModel) -> None:
    generation, shape = Generation(storyteller, PROMPT), storyteller.cache_shape
    for _ in range(3):
        generation.step()
        assert generation.cache_bytes == generation.cache_tokens * shape.bytes_per_token
        assert generation.cache is not None
        real = sum(layer.keys.nbytes + layer.values.nbytes for layer in generation.cache.layers)
        assert real == generation.cache_bytes
        grid = look_into(generation)
        assert grid is not None
        cells = grid.keys.size * grid.key_bytes + grid.values.size * grid.value_bytes
        assert cells == real
    chart = bytes_figure(generation.cache_tokens, real, generation.bytes_held, shape)
    assert "agree to the byte" in chart.caption
    assert "8 query heads share 4" in chart.caption

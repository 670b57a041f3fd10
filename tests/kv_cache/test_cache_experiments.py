"""The cache's experiments on tiny models: sizes by hand, FLOPs by hand, rewinds and prefixes."""

from __future__ import annotations

import pytest
import torch

from model import kv_cache
from model.fast.block_cache import whole_blocks
from model.flops import growth_exponent, layer_weights, predict_flops
from model.generation import Generation
from model.kv_cache.experiments import Race, common_start, look_into, reuse_prefix, watch_rewind
from model.records import Flops
from tests.tiny_models import CROPPABLE, tiny

PROMPT = [5, 6, 7, 8, 9, 10]
DENSE = ("gpt2", "llama", "qwen2", "qwen3", "gemma2", "gemma3", "mistral", "gpt_neox", "phi")


def written(architecture: str, n_tokens: int = 6) -> Generation:
    generation = Generation(tiny(architecture), PROMPT)
    for token_id in range(40, 40 + n_tokens):
        generation.step(token_id=token_id)
    return generation


def test_a_grid_has_a_column_per_token_and_the_measure_of_each_key() -> None:
    generation = written("llama")
    grid = look_into(generation)
    assert grid is not None
    assert grid.keys.shape == grid.values.shape == (2, 2, 12)
    assert (grid.n_prompt, grid.n_new, len(grid.labels)) == (6, 1, 12)
    assert generation.cache is not None
    key = generation.cache.layers[1].keys[0, 1, 3].double()
    assert grid.keys[1, 1, 3] == pytest.approx(float(key.square().mean().sqrt()), rel=1e-5)
    assert grid.key_bytes == 8 * 4


@pytest.mark.parametrize("architecture", ["mamba", "openai_gpt"])
def test_a_model_without_keys_by_position_has_no_grid(architecture: str) -> None:
    assert look_into(written(architecture)) is None


@pytest.mark.parametrize("architecture", CROPPABLE)
def test_a_crop_frees_nothing_and_the_next_pass_empty_blocks(architecture: str) -> None:
    generation = written(architecture)
    ids, in_use = list(generation.ids), generation.cache_bytes
    before, cropped, after = watch_rewind(generation, 3)
    assert [m.n_tokens for m in (before, cropped, after)] == [12, 8, 9]
    assert cropped.bytes_held == before.bytes_held
    assert cropped.bytes_in_use == before.bytes_in_use * 8 // 12
    assert after.bytes_in_use == before.bytes_in_use * 9 // 12
    assert after.bytes_held == before.bytes_in_use // 12 * whole_blocks(9)
    assert (generation.ids, generation.cache_bytes) == (ids, in_use), "it was a copy"


def test_a_cache_that_cannot_be_cropped_says_so() -> None:
    with pytest.raises(ValueError, match="cannot be cropped"):
        watch_rewind(written("mamba"), 2)
    with pytest.raises(ValueError, match="cannot be cropped"):
        reuse_prefix(tiny("qwen3_next"), PROMPT, PROMPT)


def test_flops_of_a_tiny_llama_by_hand() -> None:
    # hidden 32, 4 heads and 2 KV heads of 8, inner 48, 2 layers, vocabulary 290
    per_layer = 32 * 32 + 2 * 32 * 16 + 32 * 32 + 3 * 32 * 48
    lm = tiny("llama")
    assert layer_weights(lm) == 2 * per_layer
    head = 2 * 290 * 32
    assert predict_flops(lm, 1, 9) == Flops(2 * 2 * per_layer + head, 4 * 10 * 2 * 4 * 8)
    assert predict_flops(lm, 5, 0) == Flops(5 * 2 * 2 * per_layer + head, 4 * 25 * 2 * 4 * 8)


@pytest.mark.parametrize("architecture", DENSE)
def test_torchs_counter_and_the_formula_agree_to_the_operation(architecture: str) -> None:
    race = Race(tiny(architecture), PROMPT, 8, n_runs=1)
    for _ in range(8):
        race.advance()
    checks = race.check_flops()
    assert {check.n_past for check in checks} == {0, 1, 3, 5, 7}
    for check in checks:
        assert check.counted == check.predicted
        assert check.counted.attention > 0


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "mistral", "deepseek", "mamba"])
def test_both_sides_of_a_race_read_the_same_ids_and_agree(architecture: str) -> None:
    race = Race(tiny(architecture), PROMPT, 16)
    while not race.is_done:
        race.advance()
    assert race.ids[:6] == PROMPT
    assert not set(race.ids[6:]) & race.lm.end_ids
    assert [step.n_tokens for step in race.steps] == list(range(1, 17))
    assert max(step.logit_gap for step in race.steps) < 1e-4
    gap = race.compare_states()
    if architecture == "mamba":
        assert gap is None
    else:
        assert gap is not None
        assert max(gap.keys, gap.values) < 1e-4


def test_a_race_needs_a_cache_and_a_length_that_the_model_reads() -> None:
    with pytest.raises(ValueError, match="takes no cache"):
        Race(tiny("openai_gpt"), PROMPT, 8)
    with pytest.raises(ValueError, match="between 2 and 96"):
        Race(tiny("llama"), PROMPT, 97)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_a_power_law_gives_its_exponent_back(power: float) -> None:
    lengths = list(range(1, 65))
    assert growth_exponent(lengths, [3 * n**power for n in lengths]) == pytest.approx(power)


def test_too_few_lengths_give_no_exponent() -> None:
    assert growth_exponent([1, 2, 3], [1.0, 2.0, 3.0]) is None
    assert growth_exponent([], []) is None


@pytest.mark.parametrize("architecture", CROPPABLE)
def test_a_reused_prefix_gives_the_logits_of_a_fresh_reading(architecture: str) -> None:
    lm = tiny(architecture)
    first, second = [*range(5, 25), 30, 31], [*range(5, 25), 40, 41, 42]
    reuse = reuse_prefix(lm, first, second, n_runs=1)
    assert (reuse.n_common, reuse.n_reused, reuse.n_first) == (20, 20, 22)
    assert len(reuse.labels) == 23
    assert reuse.logit_gap < 1e-4
    assert reuse.same_best


def test_the_same_prompt_twice_still_reads_its_last_token() -> None:
    reuse = reuse_prefix(tiny("llama"), PROMPT, PROMPT, n_runs=1)
    assert (reuse.n_common, reuse.n_reused) == (6, 5)


def test_prompts_with_nothing_in_common_are_read_whole() -> None:
    reuse = reuse_prefix(tiny("llama"), PROMPT, PROMPT[::-1], n_runs=1)
    assert (reuse.n_common, reuse.n_reused) == (0, 0)
    assert reuse.logit_gap == 0


def test_a_common_start_ends_at_the_first_difference() -> None:
    assert common_start([1, 2, 3], [1, 2, 4, 3]) == 2
    assert common_start([1, 2], [1, 2, 3]) == 2
    assert common_start([], [1]) == 0


def test_looking_into_a_cache_changes_nothing() -> None:
    generation = written("llama")
    assert generation.cache is not None
    before = [layer.keys.clone() for layer in generation.cache.layers]
    look_into(generation)
    assert all(
        torch.equal(old, layer.keys)
        for old, layer in zip(before, generation.cache.layers, strict=True)
    )
    assert kv_cache.bytes_in_use(generation.cache, 12) == 12 * 2 * 2 * 2 * 8 * 4

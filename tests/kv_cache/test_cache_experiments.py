"""The cache's experiments on tiny models: sizes by hand, FLOPs by hand, and rewinds."""

import numpy as np
import pytest

from model.flops import growth_exponent, layer_weights, predict_flops
from model.generation import Generation
from model.job import Job, finish
from model.kv_cache import experiments
from model.kv_cache.block_cache import whole_blocks
from model.kv_cache.experiments import look_into, race, watch_rewind
from model.kv_cache.records import Race
from model.loading import LanguageModel
from model.passes import PassError
from model.records import Flops
from tests.jobs import run_until
from tests.nightly import by_night
from tests.tiny_models import CROPPABLE, passes_of, tiny
from viz.kv_cache.bytes_chart import bytes_figure

PROMPT = [5, 6, 7, 8, 9, 10]


def written(architecture: str, n_tokens: int = 6) -> Generation:
    generation = Generation(tiny(architecture), PROMPT)
    for token_id in range(40, 40 + n_tokens):
        generation.step(token_id=token_id)
    return generation


def test_c06_c24_c26_each_step_adds_a_column_of_known_bytes_and_changes_none(
    storyteller: LanguageModel,
) -> None:
    generation = Generation(storyteller, "The cat sat on the")
    n_prompt, shape = generation.n_prompt, storyteller.cache_shape
    before = look_into(generation)
    assert before is not None
    assert before.keys.shape[2] == before.n_prompt == before.n_new == n_prompt
    for n_more in (1, 2, 3):
        generation.step()
        grid = look_into(generation)
        assert grid is not None
        assert (grid.n_new, grid.keys.shape[2]) == (1, n_prompt + n_more)
        assert np.array_equal(before.keys, grid.keys[:, :, :n_prompt])
        assert np.array_equal(before.values, grid.values[:, :, :n_prompt])
        # picture, formula and tensors, to the byte
        cells = grid.keys.size * grid.key_bytes + grid.values.size * grid.value_bytes
        assert generation.cache is not None
        real = sum(layer.keys.nbytes + layer.values.nbytes for layer in generation.cache.layers)
        by_formula = generation.cache_tokens * shape.bytes_per_token
        assert cells == real == by_formula == generation.cache_bytes
    caption = bytes_figure(generation.cache_tokens, real, generation.bytes_held, shape).caption
    assert "agree to the byte" in caption
    assert "8 query heads share 4" in caption


def test_a_grid_has_the_measure_of_each_key_and_a_model_without_keys_has_none() -> None:
    generation = written("llama")
    grid = look_into(generation)
    assert grid is not None
    assert grid.keys.shape == grid.values.shape == (2, 2, len(grid.labels))
    assert generation.cache is not None
    key = generation.cache.layers[1].keys[0, 1, 3].double()
    assert grid.keys[1, 1, 3] == pytest.approx(float(key.square().mean().sqrt()), rel=1e-5)
    assert look_into(written("mamba")) is look_into(written("openai_gpt")) is None


@pytest.mark.parametrize("architecture", by_night(CROPPABLE))
def test_a_crop_frees_nothing_and_the_next_pass_empty_blocks(architecture: str) -> None:
    generation = written(architecture)
    ids, in_use = list(generation.ids), generation.cache_bytes
    before, cropped, after = watch_rewind(generation, 3)
    assert [m.n_tokens for m in (before, cropped, after)] == [12, 8, 9]
    assert before.bytes_in_use == 12 * generation.lm.cache_shape.bytes_per_token
    assert cropped.bytes_held == before.bytes_held
    assert cropped.bytes_in_use == before.bytes_in_use * 8 // 12
    assert after.bytes_in_use == before.bytes_in_use * 9 // 12
    assert after.bytes_held == before.bytes_in_use // 12 * whole_blocks(9)
    assert (generation.ids, generation.cache_bytes) == (ids, in_use), "it was a copy"


def test_a_cache_that_cannot_be_cropped_says_so() -> None:
    with pytest.raises(ValueError, match="cannot be cropped"):
        watch_rewind(written("mamba"), 2)


def test_flops_of_a_tiny_llama_by_hand() -> None:
    # hidden 32, 4 heads and 2 KV heads of 8, inner 48, 2 layers, vocabulary 290
    per_layer = 32 * 32 + 2 * 32 * 16 + 32 * 32 + 3 * 32 * 48
    lm = tiny("llama")
    assert layer_weights(lm) == 2 * per_layer
    head = 2 * 290 * 32
    assert predict_flops(lm, 1, 9) == Flops(2 * 2 * per_layer + head, 4 * 10 * 2 * 4 * 8)
    assert predict_flops(lm, 5, 0) == Flops(5 * 2 * 2 * per_layer + head, 4 * 25 * 2 * 4 * 8)


@pytest.mark.parametrize(
    "architecture",
    by_night(["gpt2", "llama", "qwen2", "qwen3", "gemma2", "gemma3", "mistral", "gpt_neox", "phi"]),
)
def test_c25_torchs_counter_and_the_formula_agree_to_the_operation(architecture: str) -> None:
    checks = finish(race(tiny(architecture), PROMPT, 8, n_runs=1)).checks
    assert {check.n_past for check in checks} == {0, 1, 3, 5, 7}
    for check in checks:
        assert check.counted == check.predicted
        assert check.counted.attention > 0


@pytest.mark.parametrize(
    "architecture", by_night(["gpt2", "llama", "mistral", "deepseek", "mamba"])
)
def test_c24_both_sides_of_a_race_read_the_same_ids_and_agree(architecture: str) -> None:
    lm = tiny(architecture)
    with passes_of(lm) as read:
        found = finish(race(lm, PROMPT, 16, n_runs=1))
    text = max(read, key=len)
    assert text[:6] == PROMPT
    assert not set(text[6:]) & lm.end_ids
    assert [step.n_tokens for step in found.steps] == list(range(1, 17))
    assert max(step.logit_gap for step in found.steps) < 1e-4
    assert all(step.same_best for step in found.steps)
    assert (found.gap is None) == (architecture == "mamba")
    if found.gap is not None:
        assert max(found.gap.keys, found.gap.values) < 1e-4


def stopped_race(after: int) -> Job[Race]:
    job = Job(race(tiny("llama"), PROMPT, 12, n_runs=1))
    run_until(job, after)
    job.stop()
    return job


def test_a_race_that_is_stopped_checks_what_it_reached_and_keeps_it_without_memory_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = stopped_race(after=3).found
    assert found is not None
    assert len(found.steps) == 3
    assert found.gap is not None
    assert {check.n_past for check in found.checks} == {0, 1, 2}
    assert stopped_race(after=0).found is None

    def run_out(*_: object) -> None:
        raise PassError("The memory of cuda ran out.")

    monkeypatch.setattr(experiments, "_compare_states", run_out)
    job = stopped_race(after=2)
    assert job.notice == "The memory of cuda ran out."
    assert job.found is not None
    assert (len(job.found.steps), job.found.checks) == (2, ())


def test_a_race_needs_a_cache_and_a_length_that_the_model_reads() -> None:
    with pytest.raises(ValueError, match="takes no cache"):
        next(race(tiny("openai_gpt"), PROMPT, 8))
    with pytest.raises(ValueError, match="between 2 and 96"):
        next(race(tiny("llama"), PROMPT, 97))


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_a_power_law_gives_its_exponent_back(power: float) -> None:
    lengths = list(range(1, 65))
    assert growth_exponent(lengths, [3 * n**power for n in lengths]) == pytest.approx(power)
    assert growth_exponent([1, 2, 3], [1.0, 2.0, 3.0]) is None, "too few"

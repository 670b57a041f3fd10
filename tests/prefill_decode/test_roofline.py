"""What bounds a pass, by hand: FLOPs, bytes, floors and ceilings; batches, and padding in them."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from model import passes
from model.fast.engines import MANUAL, PLAIN
from model.flops import predict_flops
from model.job import Progress, finish
from model.kv_cache.block_cache import whole_blocks
from model.loading import LanguageModel
from model.prefill_decode import batching, ceilings
from model.prefill_decode.batching import measure_batches, point_of, weight_bytes_read
from model.prefill_decode.ceilings import buffer_bytes, measure_copy, measure_matmul, measure_read
from model.prefill_decode.padding import COUNTED, NEITHER, OTHER_END, RIGHT, compare_padding
from model.prefill_decode.records import Ceilings, RoofPoint, Timed
from model.prefill_decode.roofline import measure_floors, measure_roofline, narrow_twin
from tests.tiny_models import passes_of, tiny

TOP = Ceilings(100.0, 80.0, 1000.0, {PLAIN: 3.0}, 0.1, 9, 1 << 20)


def limit_passes(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Let the memory run out where a pass reads more tokens."""
    whole = passes.run_pass

    def small_memory(lm: LanguageModel, n_input: int, model_pass: Any) -> Any:
        if n_input > most:
            raise passes.explain(lm, n_input, torch.OutOfMemoryError())
        return whole(lm, n_input, model_pass)

    monkeypatch.setattr(passes, "run_pass", small_memory)


def point(flops: int, weights: int) -> RoofPoint:
    return RoofPoint("decode", PLAIN, 2, 1, 9, Timed((4.0,)), flops, weights, 50)


def test_intensity_mbu_and_mfu_by_hand() -> None:
    one = point(400, 150)
    assert one.intensity == 2.0
    assert (one.flops_per_second, one.bytes_per_second) == (100.0, 50.0)
    assert (one.mbu(TOP), one.mfu(TOP)) == (0.5, 0.1)
    assert one.tokens_per_second == 0.5
    assert TOP.ridge == 10.0


@pytest.mark.parametrize(
    ("given", "bound"),
    [(point(400, 150), "overhead"), (point(400, 350), "memory"), (point(3800, 150), "compute")],
)
def test_the_highest_floor_is_the_bound(given: RoofPoint, bound: str) -> None:
    assert given.bound(TOP) == bound
    quick = replace(TOP, read=200.0)  # memory's is by the quicker of both bandwidths
    assert [given.floors(top)["memory"] for top in (TOP, quick)] == [
        given.n_bytes / 100,
        given.n_bytes / 200,
    ]
    assert given.floors(TOP)["compute"] == given.flops / 1000
    assert "overhead" not in given.floors(replace(TOP, floors={})), "not measured, and no zero"


def test_a_ceiling_that_the_pass_undercut_is_refuted_and_binds_nothing() -> None:
    """A busy moment among the ceilings: the narrow twin took 492 s, the pass itself 4."""
    busy = replace(TOP, floors={PLAIN: 492.0})
    one = point(400, 150)
    assert one.floors(busy) == {name: one.floors(TOP)[name] for name in ("memory", "compute")}
    assert one.bound(busy) == "memory"
    assert replace(one, seconds=Timed((0.001,))).bound(TOP) is None
    near = replace(TOP, floors={PLAIN: 4.2})  # two measurements of one thing
    assert one.bound(near) == "overhead"


def test_attention_is_counted_causally() -> None:
    lm = tiny("llama")  # 2 layers, 4 heads of 8
    pairs = 5 * 10 + 5 * 6 // 2
    one = point_of(lm, 3, 5, 10, [1.0], 1000, PLAIN)
    assert one.flops == 1000 + 4 * 3 * pairs * 2 * 4 * 8
    alone = point_of(lm, 1, 1, 9, [1.0], predict_flops(lm, 1, 9).linear, PLAIN)
    assert alone.flops == predict_flops(lm, 1, 9).total, "one token sees all, itself included"
    assert (alone.phase, point_of(lm, 1, 4, 0, [1.0], 0, PLAIN).phase) == ("decode", "prefill")
    assert alone.cache_bytes == 10 * lm.cache_shape.bytes_per_token


def test_of_weights_a_tied_embedding_is_read_whole_others_by_the_row_and_experts_if_active() -> (
    None
):
    lm, tied, mixed = tiny("llama"), tiny("gpt2"), tiny("mixtral")  # 2 of 4 experts a token
    everything = 4 * lm.n_parameters
    assert weight_bytes_read(lm, 3) == everything - 4 * 32 * (290 - 3)
    assert weight_bytes_read(lm, 10_000) == everything
    assert weight_bytes_read(tied, 1) == weight_bytes_read(tied, 8) == 4 * tied.n_parameters
    experts = sum(p.nbytes for name, p in mixed.model.named_parameters() if ".experts." in name)
    assert experts > 0
    assert weight_bytes_read(mixed, 2) - weight_bytes_read(mixed, 1) == experts // 2 + 4 * 32


def test_ceilings_are_what_was_moved_and_computed_in_the_best_time() -> None:
    lm = tiny("llama")
    assert buffer_bytes(lm.device) == 1 << 20
    for measure, amount in (
        (measure_copy, 2 << 20),
        (measure_read, 1 << 20),
        (measure_matmul, 2 * 64**3),
    ):
        rate = measure(lm)
        assert rate.amount == amount
        assert rate.best == amount / min(rate.seconds)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_what_is_multiplied_differs_from_number_to_number_and_stays_finite(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ceilings, "rate_of", lambda _lm, _amount, work: work())
    before = torch.random.get_rng_state()
    lm = tiny("llama")
    lm = replace(lm, local=replace(lm.weights, dtype=dtype))
    for measure in (measure_matmul, measure_read):
        first, again = measure(lm), measure(lm)
        assert first.dtype == dtype
        assert first.isfinite().all()
        assert 0.3 < float(first.float().std()) < 3
        assert torch.equal(first, again), "a seed of its own"
    assert torch.equal(before, torch.random.get_rng_state())


def test_the_narrow_twin_has_all_layers_and_almost_no_width() -> None:
    lm = tiny("llama")
    twin = narrow_twin(lm)
    assert twin is not None
    assert twin.config.num_hidden_layers == lm.model.config.num_hidden_layers
    assert twin.num_parameters() < lm.n_parameters / 10
    kinds = {"llama": {PLAIN, MANUAL}, "gpt2": {PLAIN}, "mamba": set()}
    for name, engines in kinds.items():
        assert set(finish(measure_floors(tiny(name), partial(Progress, 0, 1)))) == engines


def test_c27_ceilings_and_both_phases_come_from_one_run() -> None:
    roofline = finish(measure_roofline(tiny("llama"), (4, 8, 999), (1, 3), n_past=6, n_passes=2))
    kinds = [(p.phase, p.engine, p.n_batch, p.n_input) for p in roofline.points]
    assert kinds == [
        ("prefill", PLAIN, 1, 4),
        ("prefill", PLAIN, 1, 8),
        ("decode", MANUAL, 1, 1),
        ("decode", PLAIN, 1, 1),
        ("decode", PLAIN, 3, 1),
    ]
    read, step = roofline.points[0], roofline.points[3]
    assert step.flops == roofline.points[2].flops == predict_flops(tiny("llama"), 1, 6).total
    assert read.intensity > 2 * step.intensity
    assert step.intensity < 0.6, "two operations for each number of four bytes"
    assert min(step.mbu(roofline.ceilings), read.mfu(roofline.ceilings)) > 0
    with pytest.raises(ValueError, match="takes no cache"):
        next(measure_roofline(tiny("openai_gpt")))


def test_what_does_not_fit_is_left_out_and_the_rest_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit_passes(monkeypatch, 6)
    roofline = finish(measure_roofline(tiny("llama"), (4, 8), (1, 8), n_past=2, n_passes=1))
    found = [(p.phase, p.n_batch, p.n_input) for p in roofline.points if p.engine == PLAIN]
    assert found == [("prefill", 1, 4), ("decode", 1, 1)]
    first, second = roofline.left_out
    assert "prompts of 8 tokens and more. The memory of cpu ran out" in first
    assert "batches of 8 and more" in second


def test_c28_a_larger_batch_reads_the_weights_once_for_more_tokens() -> None:
    lm = tiny("llama")
    with passes_of(lm) as read:
        result = finish(measure_batches(lm, (1, 4), n_past=8, n_steps=2))
    assert sorted(map(len, read)) == [1] * 4 + [4] * 3 + [8] * 2, "four tokens in one pass"
    one, four = result.points
    assert (one.n_batch, four.n_batch, one.n_past) == (1, 4, 8)
    assert four.flops == 4 * one.flops == 4 * predict_flops(lm, 1, 8).total
    assert four.n_bytes < 4 * one.n_bytes
    assert four.cache_bytes == 4 * one.cache_bytes
    assert result.refused is None


def test_a_batch_that_does_not_fit_is_refused_and_says_what_would(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lm = tiny("llama")
    each = lm.cache_shape.bytes_per_token * whole_blocks(8 + 2) * 1.2
    with monkeypatch.context() as patch:
        patch.setattr(batching, "free_bytes", lambda _: int(3.5 * each))
        small = finish(measure_batches(lm, (1, 2, 4), n_past=8, n_steps=2))
    assert "about 3 sequences" in (small.refused or "")
    limit_passes(monkeypatch, 3)
    out = finish(measure_batches(lm, (1, 2, 4), n_past=2, n_steps=2))
    assert (out.refused or "").startswith("Batch 4 did not run. The memory of cpu ran out")
    assert (out.refused or "").endswith("A batch of 2 fits.")
    for run in (small, out):
        assert [point.n_batch for point in run.points] == [1, 2]


@pytest.mark.parametrize(
    ("architecture", "wrong"), [("gpt2", {COUNTED, NEITHER, OTHER_END}), ("llama", set())]
)
def test_padding_changes_nothing_where_it_is_told_and_else_all_but_the_longest_prompt(
    architecture: str, wrong: set[str]
) -> None:
    prompts = [[5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [20]]
    padding = finish(compare_padding(tiny(architecture), prompts))
    assert padding.n_columns == 7
    assert [len(row) for row in padding.labels] == [3, 7, 1]
    ways = {way.name: way for way in padding.ways}
    # rotary positions are distances: counting padding moves all of a text alike
    for name in {RIGHT, COUNTED} - wrong:
        assert max(ways[name].gaps) < 1e-4
        assert all(ways[name].same_best)
    for name in wrong:
        assert ways[name].gaps[1] < 1e-4
        assert min(ways[name].gaps[0], ways[name].gaps[2]) > 0.1, name


@pytest.mark.parametrize("prompts", [[[5]], [[5], []]])
def test_padding_needs_two_prompts_with_tokens(prompts: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="two prompts"):
        next(compare_padding(tiny("llama"), prompts))

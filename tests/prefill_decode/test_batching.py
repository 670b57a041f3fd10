"""Batches on tiny models: each row as if it were alone, padding right and wrong, what fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from model import passes
from model.batch import Batch
from model.fast.block_cache import whole_blocks
from model.flops import predict_flops
from model.job import finish
from model.loading import LanguageModel
from model.prefill_decode import batching
from model.prefill_decode.batching import count_reads, measure_batches, read_in_parts
from model.prefill_decode.padding import COUNTED, NEITHER, OTHER_END, RIGHT, compare_padding
from model.prefill_decode.records import PaddedWay, Padding
from tests.tiny_models import fresh_logits, tiny

ROWS = [[5, 6, 7, 8], [9, 10, 11, 12], [40, 41, 42, 43]]
PROMPTS = [[5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [20]]


def way(padding: Padding, name: str) -> PaddedWay:
    return next(one for one in padding.ways if one.name == name)


def test_prompts_that_are_read_in_parts_have_the_same_logits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batching, "AT_ONCE", 6)
    lm = tiny("llama")
    batch = Batch(lm)
    parts = list(read_in_parts(batch, ROWS))
    assert len(parts) == count_reads(3, 4) == 2
    for row, text in zip(batch.logits, ROWS, strict=True):
        assert np.abs(row - fresh_logits(lm, text)).max() < 1e-5


def test_a_larger_batch_reads_the_weights_once_for_more_tokens() -> None:
    result = finish(measure_batches(tiny("llama"), (1, 4), n_past=8, n_steps=2))
    one, four = result.points
    assert (one.n_batch, four.n_batch, one.n_past) == (1, 4, 8)
    assert four.flops == 4 * one.flops
    assert one.flops == predict_flops(tiny("llama"), 1, 8).total
    assert four.n_bytes < 4 * one.n_bytes
    assert four.cache_bytes == 4 * one.cache_bytes
    assert result.refused is None


def test_a_batch_that_does_not_fit_is_refused_and_says_what_would(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lm = tiny("llama")
    each = lm.cache_shape.bytes_per_token * whole_blocks(8 + 2) * 1.2
    monkeypatch.setattr(batching, "free_bytes", lambda _: int(3.5 * each))
    result = finish(measure_batches(lm, (1, 2, 4), n_past=8, n_steps=2))
    assert [point.n_batch for point in result.points] == [1, 2]
    assert "about 3 sequences" in (result.refused or "")


def test_a_batch_that_runs_out_of_memory_names_one_that_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = passes.run_pass

    def small_memory(lm: LanguageModel, n_input: int, model_pass: Any) -> Any:
        if n_input > 16:
            raise passes.explain(lm, n_input, torch.OutOfMemoryError())
        return whole(lm, n_input, model_pass)

    monkeypatch.setattr(passes, "run_pass", small_memory)
    result = finish(measure_batches(tiny("llama"), (1, 2, 4), n_past=8, n_steps=2))
    assert [point.n_batch for point in result.points] == [1, 2]
    assert (result.refused or "").startswith("Batch 4 did not run. The memory of cpu ran out")
    assert (result.refused or "").endswith("A batch of 2 fits.")


def test_a_model_without_a_cache_has_no_batches() -> None:
    with pytest.raises(ValueError, match="takes no cache"):
        next(measure_batches(tiny("openai_gpt")))


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "qwen3", "gpt_neox"])
def test_left_padding_with_mask_and_positions_changes_nothing(architecture: str) -> None:
    padding = finish(compare_padding(tiny(architecture), PROMPTS))
    assert padding.n_columns == 7
    assert [len(row) for row in padding.labels] == [3, 7, 1]
    right = way(padding, RIGHT)
    assert max(right.gaps) < 1e-4
    assert all(right.same_best)


def test_wrong_padding_changes_the_logits_of_all_but_the_longest_prompt() -> None:
    padding = finish(compare_padding(tiny("gpt2"), PROMPTS))
    for name in (COUNTED, NEITHER, OTHER_END):
        gaps = way(padding, name).gaps
        assert gaps[1] < 1e-4
        assert min(gaps[0], gaps[2]) > 0.1, name
    # rotary positions are distances: counting padding moves all of a text alike
    assert max(way(finish(compare_padding(tiny("llama"), PROMPTS)), COUNTED).gaps) < 1e-4


@pytest.mark.parametrize("prompts", [[], [[5]], [[5], []]])
def test_padding_needs_two_prompts_with_tokens(prompts: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="two prompts"):
        next(compare_padding(tiny("llama"), prompts))

"""Weights laid out for one token: what is timed, what is turned, and that nothing else changes."""

from __future__ import annotations

import copy
import time

import pytest
import torch

from model.fast import layout
from model.fast.layout import by_columns, lay_out, quickest
from tests.tiny_models import bare_model


def slow() -> None:
    time.sleep(0.01)


def quick() -> None:
    time.sleep(0.001)


def test_the_first_way_is_kept_unless_another_clearly_wins() -> None:
    before = torch.get_num_threads()
    assert quickest([slow, quick, slow]) == 1
    assert quickest([quick, slow]) == 0
    assert quickest([slow, slow]) == 0
    assert torch.get_num_threads() == before


@pytest.mark.oracle
@pytest.mark.parametrize("architecture", ["gpt2", "qwen2", "gemma2", "mistral"])
def test_a_model_laid_out_by_columns_has_the_same_weights_and_logits(
    architecture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "quickest", lambda _: 1)
    model = bare_model(architecture)
    turned = copy.deepcopy(model)
    lay_out(turned)
    assert turned.lm_head.weight.stride() == (1, len(model.lm_head.weight))
    tied = model.get_input_embeddings().weight is model.lm_head.weight
    assert (turned.get_input_embeddings().weight is turned.lm_head.weight) == tied
    for weight, other in zip(model.parameters(), turned.parameters(), strict=True):
        assert torch.equal(weight, other)
    for ids in ([[5]], [[5, 6, 7, 8], [9, 10, 11, 12]]):
        with torch.inference_mode():
            wanted, found = (of(torch.tensor(ids)).logits for of in (model, turned))
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


def test_weights_stay_as_they_are_where_rows_are_as_quick_or_numbers_have_16_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for way, model in ((0, bare_model("llama")), (1, bare_model("llama").to(torch.bfloat16))):
        monkeypatch.setattr(layout, "quickest", lambda _, way=way: way)
        lay_out(model)
        assert all(weight.is_contiguous() for weight in model.parameters())


def test_no_more_of_a_model_is_timed_than_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "_N_TIMED", 10)
    weights = [torch.ones(3, 2), torch.ones(5, 2), torch.ones(4, 2)]
    assert [len(rows) for rows in layout._first_numbers(weights)] == [3, 2, 0]
    assert torch.equal(by_columns(weights[0]), weights[0])

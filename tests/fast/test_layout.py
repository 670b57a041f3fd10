"""Weights laid out for one token: what is timed, what is turned, and that nothing else changes."""

import copy

import pytest
import torch

from model.fast import layout
from model.fast.layout import Way, both_ways, by_columns, by_rows, lay_out, quickest_way
from tests.tiny_models import bare_model


@pytest.mark.parametrize(
    ("milliseconds", "kept"), [((9, 3, 9), 1), ((3, 9, 9), 0), ((9, 9, 3), 2), ((5, 5, 5), 0)]
)
def test_the_first_way_is_kept_unless_another_clearly_wins(
    milliseconds: tuple[int, ...], kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    monkeypatch.setattr(layout.time, "perf_counter", lambda: now[0])

    def taking(n: int) -> Way:
        return lambda x, _: now.append(now.pop() + n) or x

    ways = [taking(n) for n in milliseconds]
    before = torch.get_num_threads()
    assert quickest_way([both_ways(torch.ones(3, 2))], 1, ways) is ways[kept]
    assert torch.get_num_threads() == before


@pytest.mark.oracle
@pytest.mark.parametrize("architecture", ["gpt2", "qwen2", "gemma2", "mistral"])
def test_a_model_laid_out_by_columns_has_the_same_weights_and_logits(
    architecture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "quickest_way", lambda *_: by_columns)
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
    for way, model in (
        (by_rows, bare_model("llama")),
        (by_columns, bare_model("llama").to(torch.bfloat16)),
    ):
        monkeypatch.setattr(layout, "quickest_way", lambda *_, way=way: way)
        lay_out(model)
        assert all(weight.is_contiguous() for weight in model.parameters())

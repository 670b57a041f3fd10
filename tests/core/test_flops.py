"""Counting arithmetic on any torch: attention by our own formula, against counts by hand."""

from typing import Any

import pytest
import torch
from torch.utils import flop_counter

from model import passes
from model.flops import count_flops, predict_flops
from tests.tiny_models import tiny

# name -> what it takes after queries, keys and values
KERNELS: dict[str, tuple[Any, ...]] = {
    "_scaled_dot_product_flash_attention": (),
    "_scaled_dot_product_efficient_attention": (None, False),
    "_scaled_dot_product_cudnn_attention": (None, False),
    "_scaled_dot_product_flash_attention_for_cpu": (),
}


@pytest.fixture
def torch_2_11(monkeypatch: pytest.MonkeyPatch) -> None:
    """A counter that wants as many heads of keys as of queries, as torch 2.11 has it."""

    def count(q: Any, k: Any, v: Any) -> int:
        if q[1] != k[1] or q[1] != v[1]:
            raise AssertionError("sdpa_flop_count: query/key/value shapes are incompatible")
        return 0

    monkeypatch.setattr(flop_counter, "sdpa_flop_count", count)


@pytest.mark.usefixtures("torch_2_11")
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_fused_attention_counts_all_heads_of_the_queries(kernel: str) -> None:
    q, k, v = (torch.empty(2, n, 5 + i, 16, device="meta") for n, i in ((8, 0), (4, 2), (4, 2)))
    attend = getattr(torch.ops.aten, kernel)
    counted = count_flops(lambda: attend(q, k, v, *KERNELS[kernel]))
    # 2 texts, 8 heads, 5 positions that look at 7, scores and sums of 16 numbers each
    assert counted.attention == 2 * 2 * 8 * 5 * 7 * (16 + 16)
    assert counted.linear == 0


@pytest.mark.usefixtures("torch_2_11")
@pytest.mark.parametrize("architecture", ["llama", "qwen3", "gpt2"])
def test_a_pass_of_a_model_whose_heads_share_keys_is_counted(architecture: str) -> None:
    lm = tiny(architecture)
    cache = lm.new_cache()
    for n_tokens, n_past in ((6, 0), (1, 6)):
        ids = list(range(5, 5 + n_tokens))
        counted = count_flops(lambda ids=ids: passes.prefill(lm, ids, cache))
        assert counted.attention == predict_flops(lm, n_tokens, n_past).attention

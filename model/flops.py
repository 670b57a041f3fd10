"""The arithmetic of one pass: counted by torch while it runs, and by a formula that is exact.

A multiplication and an addition count as two. What follows from the text's length is of two kinds:
the *linear* part, each weight once per token that is read, and *attention*, where each token that
is read looks at all positions before it and at its own. Attention is counted full, as torch does
it, though the causal half alone would do.
"""

import math
from collections.abc import Callable, Sequence
from statistics import linear_regression
from typing import Any

import torch

from model.language_model import LanguageModel
from model.records import Flops

_FUSED = ("_scaled_dot_product", "_flash_attention", "_efficient_attention")
_BATCHED = ("bmm", "baddbmm")
_ATTENTION = (
    torch.ops.aten._scaled_dot_product_flash_attention,
    torch.ops.aten._scaled_dot_product_efficient_attention,
    torch.ops.aten._scaled_dot_product_cudnn_attention,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu,
)


def count_flops(model_pass: Callable[[], object]) -> Flops:
    """Runs a pass under torch's counter.

    Attention is counted here: torch knows no count for the CPU's and would take it as 0 without a
    word, and up to 2.11 it refuses keys of fewer heads than the queries have.
    """
    # what registers a count for every operator takes longer to import than a page to open
    from torch.utils.flop_counter import FlopCounterMode

    formulas = dict.fromkeys(_ATTENTION, _count_attention)
    with FlopCounterMode(display=False, custom_mapping=formulas) as counter:
        model_pass()
    by_operator = {str(op): int(n) for op, n in counter.get_flop_counts()["Global"].items()}
    fused = [op for op in by_operator if any(name in op for name in _FUSED)]
    # a model without fused attention multiplies its batches of heads, and nothing else, by bmm
    chosen = fused or [op for op in by_operator if op.rpartition(".")[2] in _BATCHED]
    attention = sum(by_operator[op] for op in chosen)
    return Flops(linear=sum(by_operator.values()) - attention, attention=attention)


def _count_attention(
    q: Sequence[int],
    k: Sequence[int],
    v: Sequence[int],
    *_args: object,
    out_shape: object = None,
    **_kwargs: object,
) -> int:
    """Counts the scores and the weighted sum of one layer's attention, given three shapes.

    Each query head meets all positions; how many of them share keys and values is no matter.
    """
    del out_shape  # the counter hands it to every formula; attention's follows from its inputs
    n_batch, n_heads, n_queries, key_size = q
    n_keys, value_size = k[2], v[3]
    return 2 * n_batch * n_heads * n_queries * n_keys * (key_size + value_size)


def predict_flops(lm: LanguageModel, n_input: int, n_past: int) -> Flops:
    """Computes the arithmetic of a pass over `n_input` tokens that follow `n_past` cached ones.

    With n tokens read, p before them, and W weights in the layers:
    linear = 2 n W + 2 x vocabulary x hidden (the head reads the last position alone);
    attention = 4 n (p + n) x layers x query heads x head size.
    """
    shape = lm.cache_shape
    head = _head(lm)
    n_head = head.weight.numel() if head is not None else 0
    per_position = 4 * shape.n_layers * shape.n_heads * shape.head_dim
    return Flops(
        linear=2 * n_input * layer_weights(lm) + 2 * n_head,
        attention=n_input * (n_past + n_input) * per_position,
    )


def predict_text(lm: LanguageModel, n_tokens: int) -> tuple[list[Flops], list[Flops]]:
    """Computes the arithmetic of a text's passes, one for each token: without a cache, and with."""
    without = [predict_flops(lm, n, 0) for n in range(1, n_tokens + 1)]
    return without, [predict_flops(lm, 1, n_past) for n_past in range(n_tokens)]


def layer_weights(lm: LanguageModel) -> int:
    """Counts the weights that every token meets on its way to the head."""
    head = _head(lm)
    from transformers.pytorch_utils import Conv1D  # the model is read: it is there

    layers = (part for part in lm.model.modules() if isinstance(part, torch.nn.Linear | Conv1D))
    return sum(layer.weight.numel() for layer in layers if layer is not head)


def growth_exponent(n_tokens: Sequence[int], totals: Sequence[float]) -> float | None:
    """Fits total = c x tokens ** exponent by least squares of the logarithms.

    Args:
        n_tokens: Lengths of the text.
        totals: What it took up to each; the first eighth, where fixed costs rule, is left out.

    Returns:
        The exponent; None for fewer than 8 lengths.
    """
    skipped = max(n_tokens, default=0) / 8
    points = [
        (math.log(n), math.log(total))
        for n, total in zip(n_tokens, totals, strict=True)
        if n >= skipped and total > 0
    ]
    if len(points) < 8:
        return None
    return linear_regression(*zip(*points, strict=True)).slope


def _head(lm: LanguageModel) -> Any:
    find: Callable[[], torch.nn.Module | None] = lm.model.get_output_embeddings
    return find()

"""Whether attention on an AMD GPU computes what it should, asked once for each model.

Fused attention on ROCm has returned wrong values, without a word, where the values of a cache lie
in memory with gaps between them (github.com/ROCm/pytorch/issues/3230). Here every cache lies so.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from model import kv_cache, passes
from model.fast.cuda_decode import check_same
from model.loading import LanguageModel
from model.weights.check import LoadError

LOGGER = logging.getLogger(__name__)
_N_PROMPT, _N_TOKENS = 12, 16


class ContiguousLayer(DynamicLayer):  # type: ignore[no-untyped-call]  # half typed by transformers
    """A layer of a cache that hands out keys and values without gaps."""

    def update(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Adds new positions and returns all of them."""
        keys, values = super().update(*args, **kwargs)
        return keys.contiguous(), values.contiguous()


def check_attention(lm: LanguageModel) -> None:
    """Holds passes with this app's cache against the same with a cache without gaps.

    Where they differ, fused attention is turned off in this process, and they are held again.

    Raises:
        LoadError: where they differ even so.
    """
    if lm.kind != "causal" or lm.new_cache() is None or not kv_cache.can_crop(lm.config):
        return
    for is_last in (False, True):
        try:
            _compare(lm)
        except ValueError as error:
            if is_last:
                raise LoadError(
                    f"Attention on {lm.device} gives {lm.name} {error}: load it on the CPU."
                ) from error
            LOGGER.warning("Fused attention is turned off: it gives %s", error)
            torch.backends.cuda.enable_flash_sdp(False)
            torch.backends.cuda.enable_mem_efficient_sdp(False)
        else:
            return


def _compare(lm: LanguageModel) -> None:
    ids = [i * lm.vocab_size // _N_TOKENS for i in range(_N_TOKENS)]
    contiguous = DynamicCache()
    contiguous.layer_class_to_replicate = ContiguousLayer
    truth = _read(lm, ids, contiguous)
    check_same(lm, _read(lm, ids, lm.new_cache()), truth)
    whole, _ = passes.forward(lm, [ids], n_logits=0, at=0)
    check_same(lm, whole[_N_PROMPT - 1 :], truth)


def _read(lm: LanguageModel, ids: list[int], cache: DynamicCache | None) -> passes.Logits:
    """Reads a prompt, then token by token; returns the logits after each, (tokens, vocab)."""
    parts = [ids[:_N_PROMPT], *([token_id] for token_id in ids[_N_PROMPT:])]
    return np.stack([passes.prefill(lm, part, cache)[0] for part in parts])

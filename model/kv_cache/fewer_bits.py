"""A cache in fewer bits, or of the newest positions alone: what it saves, and what that costs.

Keys are rounded per channel and values per token, in groups of 32 positions; the newest group stays
in full until it is complete, as in KIVI (2402.02750). A window drops the oldest positions, likewise
by groups; the rest keep their places in the text. The bytes are those of numbers packed into bits:
here they are computed with in full, rounded.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from model import kv_cache
from model.draw import draw, uniform_at
from model.held_out import held_out
from model.job import Progress, Work
from model.kv_cache.records import FewerBits, SmallCacheRun
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.passes import Logits, forward
from model.records import FloatArray
from model.sampling import Settings, process
from model.tokenizing import encode, labels_of

BITS = (32, 16, 8, 4, 3, 2)
WINDOWS = (0, 128, 64, 32)  # positions at least; 0 is all of them
GROUP = 32  # positions that are rounded at once
SCALE_BYTES = 4  # of a least number and a step, 16 bits each
N_STORIES, N_WRITTEN = 5, 96  # texts that are scored; tokens that are written


class SmallCache:
    """What a model has read of one text, kept in fewer bits or with a window."""

    def __init__(self, lm: LanguageModel, bits: int, window: int) -> None:
        """Begins with an empty cache.

        Raises:
            ValueError: where this model's keys and values cannot be got at.
        """
        if not _can_be_rounded(lm):
            raise ValueError(f"The cache of {lm.shown} cannot be rounded here: open another model.")
        self.lm, self.bits, self.window, self.n_read = lm, bits, window, 0
        self.cache = DynamicCache()

    def read(self, ids: Sequence[int]) -> Logits:
        """Reads on, a pass for each group; returns the logits behind every token, (ids, vocab)."""
        rows, ids = [], list(ids)
        while ids:
            n_new = min(len(ids), GROUP - self.n_read % GROUP)
            chunk, ids = ids[:n_new], ids[n_new:]
            logits, _ = forward(self.lm, [chunk], self.cache, 0, n_before=self.n_read)
            rows.append(logits[0])
            self.n_read += n_new
            if self.n_read % GROUP == 0:
                self._shrink()
        return np.concatenate(rows)

    @torch.inference_mode()
    def _shrink(self) -> None:
        """Rounds the group that is complete, and drops what the window leaves behind."""
        for layer in self._layers:
            keys, values = layer.keys.clone(), layer.values.clone()
            keys[..., -GROUP:, :] = rounded(keys[..., -GROUP:, :], self.bits, dim=-2)
            values[..., -GROUP:, :] = rounded(values[..., -GROUP:, :], self.bits, dim=-1)
            layer.keys, layer.values = keys[..., -self.window :, :], values[..., -self.window :, :]

    @property
    def _layers(self) -> list[Any]:
        return list(self.cache.layers)  # whose keys and values are tensors once they were read

    @property
    def n_bytes(self) -> int:
        """Bytes of what is kept, packed: rounded numbers, their scales, and the group in full."""
        total = 0
        for layer in self._layers:
            heads, positions, size = layer.keys.shape[1:]
            n_rounded = positions - self.n_read % GROUP if self.bits < 32 else 0
            n_scales = heads * (n_rounded // GROUP * size + n_rounded) if self.bits < 16 else 0
            in_full = 2 * heads * size * (positions - n_rounded) * layer.keys.element_size()
            total += in_full + 2 * heads * size * n_rounded * self.bits // 8
            total += n_scales * SCALE_BYTES
        return total


def _can_be_rounded(lm: LanguageModel) -> bool:
    """Tells whether the cache is open, and the model takes each token's position from outside.

    A model that counts by itself would count a token behind a window as an earlier one.
    """
    if lm.local is None or lm.local.cache_argument is None or lm.local.first_position is None:
        return False
    return kv_cache.can_crop(lm.config) and "position_ids" in kv_cache.argument_names(lm.model)


def rounded(states: torch.Tensor, bits: int, dim: int) -> torch.Tensor:
    """Rounds numbers to 2 ** bits levels, even from the least to the largest along `dim`."""
    if bits >= 16:
        return states if bits > 16 else states.half().to(states.dtype)
    low, high = states.amin(dim, keepdim=True), states.amax(dim, keepdim=True)
    step = ((high - low) / (2**bits - 1)).clamp(min=torch.finfo(states.dtype).tiny)
    nearest: torch.Tensor = ((states - low) / step).round() * step + low
    return nearest


def compare_small_caches(
    lm: LanguageModel, prompt: Sequence[int], settings: Settings, seed: int = 0
) -> Work[FewerBits]:
    """Reads held-out stories, and writes a text by the same pointers, with each cache.

    Args:
        lm: a causal model.
        prompt: ids of the text that is written on.
        settings: by which it is written.
        seed: of the pointers.
    """
    stories = sorted(held_out("stories"), key=len)[-N_STORIES:]
    scored = [encode(lm, story)[: lm.context_length] for story in stories]
    limit = lm.context_length or len(prompt) + N_WRITTEN
    n_written = min(N_WRITTEN, limit - len(prompt))
    pairs, runs = list(product(BITS, WINDOWS)), list[SmallCacheRun]()
    for n_done, (bits, window) in enumerate(pairs):
        yield Progress(n_done, len(pairs), f"{bits} bits", unit="caches")
        caches = [SmallCache(lm, bits, window) for _ in scored]
        losses = [loss_of(cache, ids) for cache, ids in zip(caches, scored, strict=True)]
        written = write_on(SmallCache(lm, bits, window), prompt, settings, seed, n_written)
        nats, n_bytes = float(np.concatenate(losses).mean()), caches[-1].n_bytes
        runs.append(SmallCacheRun(bits, window, nats, n_bytes, labels_of(lm, written)))
    n_scored = sum(len(ids) - 1 for ids in scored)
    return FewerBits(n_scored, len(scored[-1]) - 1, tuple(runs))


def loss_of(cache: SmallCache, ids: Sequence[int]) -> FloatArray:
    """Reads a text and returns what each token but the first cost, in nats."""
    logprobs = log_softmax(cache.read(ids[:-1]))
    return -logprobs[np.arange(len(ids) - 1), ids[1:]]


def write_on(
    cache: SmallCache, prompt: Sequence[int], settings: Settings, seed: int, n_tokens: int
) -> list[int]:
    """Writes a text on, token by token, until it ends; returns what was written."""
    ids, logits = list(prompt), cache.read(prompt)[-1]
    while len(ids) < len(prompt) + n_tokens:
        pointer = uniform_at(seed, len(ids))
        stage = process(logits, ids, settings, len(prompt), pointer)[-1]
        ids.append(draw(stage, pointer))
        if ids[-1] in cache.lm.end_ids:
            break
        logits = cache.read(ids[-1:])[-1]
    return ids[len(prompt) :]

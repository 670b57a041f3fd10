"""Experiments on the key-value cache: what lies in it, what it saves, what of it serves again.

Each is measured on the model at hand, by passes that are the model's own on both sides of every
comparison: the quicker decode step of small models would be no fair match. This module knows no
page and draws nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from transformers import DynamicCache

from model import kv_cache
from model.flops import count_flops, predict_flops
from model.generation import Generation
from model.kv_cache.records import (
    CacheGrid,
    CacheMoment,
    FlopCheck,
    PrefixReuse,
    RaceStep,
    StateGap,
)
from model.loading import LanguageModel
from model.pass_by_pass import at_once
from model.passes import Logits, prefill
from model.tokenizing import label

N_CHECKS = 4  # lengths at which the formula for FLOPs is held against torch's counter


# What lies in it


@torch.inference_mode()
def look_into(generation: Generation) -> CacheGrid | None:
    """Sums up every key and every value of a text's cache in one number: its root mean square.

    Returns:
        None where the model keeps no keys and values by position and head.
    """
    layers = _key_value_layers(generation.cache)
    if not layers:
        return None
    tokens = generation.ids[-generation.cache_tokens :]
    lm = generation.lm
    return CacheGrid(
        keys=np.stack([_sizes(layer.keys) for layer in layers]),
        values=np.stack([_sizes(layer.values) for layer in layers]),
        labels=tuple(label(lm.tokenizer, token_id, lm.vocab_size) for token_id in tokens),
        n_prompt=min(generation.n_prompt, generation.cache_tokens),
        n_new=generation.last_pass.n_input,
        key_bytes=layers[0].keys.shape[-1] * layers[0].keys.element_size(),
        value_bytes=layers[0].values.shape[-1] * layers[0].values.element_size(),
    )


def _key_value_layers(cache: DynamicCache | None) -> list[Any]:
    """Lists the layers that hold keys and values, where all of them are of one shape."""
    layers: list[Any] = [] if cache is None else [one for one in cache.layers if _holds_keys(one)]
    shapes = {tuple(layer.keys.shape[:3]) for layer in layers}
    return layers if len(shapes) == 1 else []


def _holds_keys(layer: object) -> bool:
    keys = getattr(layer, "keys", None)
    return isinstance(keys, torch.Tensor) and keys.dim() == 4


def _sizes(states: torch.Tensor) -> npt.NDArray[np.float32]:
    """Returns the root mean square over the numbers of each head, (heads, positions)."""
    sizes: npt.NDArray[np.float32] = states[0].float().square().mean(-1).sqrt().cpu().numpy()
    return sizes


@torch.inference_mode()
def watch_rewind(generation: Generation, n_tokens: int) -> tuple[CacheMoment, ...]:
    """Takes tokens back in a copy of a text and reads both counts of bytes on the way.

    Raises:
        ValueError: where the model's cache cannot be cropped, or holds too few tokens.
    """
    lm, ids = generation.lm, generation.ids
    cache = generation.fork().cache
    if cache is None or not kv_cache.can_crop(lm.config):
        raise ValueError(f"The cache of {lm.name} cannot be cropped: going back reads all again.")
    n_held = generation.cache_tokens

    # before: the storage is as many whole blocks as what is in use needs
    moments = [_moment("before", cache, n_held)]
    # crop: fewer positions are in use, and the storage behind them stays
    kv_cache.crop(cache, n_tokens + 1)
    moments.append(_moment("cropped", cache, n_held - n_tokens - 1))
    # run: the last token that stays is read again, and blocks that are empty are given back
    prefill(lm, [ids[n_held - n_tokens - 1]], cache)
    moments.append(_moment("after the next pass", cache, n_held - n_tokens))
    return tuple(moments)


def _moment(name: str, cache: DynamicCache, n_tokens: int) -> CacheMoment:
    in_use, held = kv_cache.bytes_in_use(cache, n_tokens), kv_cache.bytes_held(cache)
    return CacheMoment(name, n_tokens, in_use, held)


# What it saves


class Race:
    """One text read token by token, with the cache and without it, on the same ids.

    The text begins with its first token alone, so that n tokens are n steps on both sides. Past the
    ids that are given it goes on by the best token of the recomputing side, ends left out.
    """

    def __init__(
        self, lm: LanguageModel, ids: Sequence[int], n_tokens: int, n_runs: int = 3
    ) -> None:
        """Warms both sides up.

        Args:
            lm: A causal model that takes a cache.
            ids: How the text begins; at least one.
            n_tokens: Length at which the race ends, at most the model's context.
            n_runs: Passes of each kind at each length, of which the median counts.

        Raises:
            ValueError: One sentence with the remedy.
        """
        if lm.cache_argument is None:
            raise ValueError(f"{lm.name} takes no cache: there is nothing to compare.")
        limit = lm.context_length or n_tokens
        if not 2 <= n_tokens <= limit:
            raise ValueError(f"Choose a length between 2 and {limit:,} tokens.")
        self.lm, self.n_tokens = lm, n_tokens
        self.n_runs = n_runs if kv_cache.can_crop(lm.config) else 1
        self.ids = list(ids[:1])
        self.steps: list[RaceStep] = []
        self._given = list(ids)
        self._cache = lm.new_cache()
        warm = lm.new_cache()
        for _ in range(2):
            read_newest(lm, self.ids, warm)
            read_all(lm, self.ids)

    @property
    def is_done(self) -> bool:
        """Whether the text has its full length."""
        return len(self.steps) >= self.n_tokens

    def advance(self) -> RaceStep:
        """Reads the newest token on both sides, then makes the text one token longer."""
        cached, recomputed = [], []
        for run in range(self.n_runs):
            # again: take the newest token back, so that each run finds the same cache
            if run and self._cache is not None:
                kv_cache.crop(self._cache, 1)
            # cached: one token goes in
            logits, seconds = read_newest(self.lm, self.ids, self._cache)
            cached.append(seconds)
            # recomputed: the whole text goes in
            truth, seconds = read_all(self.lm, self.ids)
            recomputed.append(seconds)
        step = self._compare(logits, truth, median(cached), median(recomputed))
        self.steps.append(step)
        self.ids.append(self._next_id(truth))
        return step

    def _compare(self, logits: Logits, truth: Logits, cached: float, recomputed: float) -> RaceStep:
        n_tokens = len(self.ids)
        return RaceStep(
            n_tokens=n_tokens,
            cached_seconds=cached,
            recomputed_seconds=recomputed,
            logit_gap=float(np.abs(logits - truth).max()),
            logit_scale=float(np.abs(truth).max()),
            same_best=bool(logits.argmax() == truth.argmax()),
            cached_flops=predict_flops(self.lm, 1, n_tokens - 1),
            recomputed_flops=predict_flops(self.lm, n_tokens, 0),
        )

    def _next_id(self, logits: Logits) -> int:
        """Returns the token that is given next, or the best that ends nothing."""
        if len(self.ids) < len(self._given):
            return self._given[len(self.ids)]
        open_ended = logits.copy()
        open_ended[list(self.lm.end_ids)] = -np.inf
        return int(open_ended.argmax())

    def compare_states(self) -> StateGap | None:
        """Holds the cached keys and values of all positions against those of one fresh pass."""
        fresh = self.lm.new_cache()
        prefill(self.lm, self.ids[: len(self.steps)], fresh)
        pairs = list(zip(_key_value_layers(self._cache), _key_value_layers(fresh), strict=True))
        if not pairs:
            return None
        return StateGap(
            keys=max(_gap(old.keys, new.keys) for old, new in pairs),
            values=max(_gap(old.values, new.values) for old, new in pairs),
            keys_scale=max(float(new.keys.abs().max()) for _, new in pairs),
            values_scale=max(float(new.values.abs().max()) for _, new in pairs),
        )

    def check_flops(self) -> tuple[FlopCheck, ...]:
        """Runs both kinds of pass under torch's counter at a few of the lengths reached."""
        n_reached = len(self.steps)
        lengths = sorted({max(1, n_reached * part // N_CHECKS) for part in range(1, N_CHECKS + 1)})
        checks = []
        for n_tokens in lengths:
            ids = self.ids[:n_tokens]
            checks.append(self._check(ids, None))
            cache = self.lm.new_cache()
            if n_tokens > 1:
                prefill(self.lm, ids[:-1], cache)
            checks.append(self._check(ids, cache))
        return tuple(checks)

    def _check(self, ids: list[int], cache: DynamicCache | None) -> FlopCheck:
        n_past = 0 if cache is None else len(ids) - 1
        counted = count_flops(
            lambda: read_all(self.lm, ids) if cache is None else read_newest(self.lm, ids, cache)
        )
        n_input = len(ids) - n_past
        return FlopCheck(n_input, n_past, counted, predict_flops(self.lm, n_input, n_past))


def read_newest(
    lm: LanguageModel, ids: Sequence[int], cache: DynamicCache | None
) -> tuple[Logits, float]:
    """With the cache: the newest token goes in, all before it is there as keys and values."""
    return prefill(lm, ids[-1:], cache)


def read_all(lm: LanguageModel, ids: Sequence[int]) -> tuple[Logits, float]:
    """Without the cache: the whole text goes in, and nothing of it is kept."""
    return prefill(lm, ids, None)


@torch.inference_mode()
def _gap(old: torch.Tensor, new: torch.Tensor) -> float:
    return float((old - new).abs().max())


# What of it serves again


def reuse_prefix(
    lm: LanguageModel, first: Sequence[int], second: Sequence[int], n_runs: int = 3
) -> PrefixReuse:
    """Does what `reuse_passes` does, at once."""
    return at_once(reuse_passes(lm, first, second, n_runs))


def reuse_passes(
    lm: LanguageModel, first: Sequence[int], second: Sequence[int], n_runs: int = 3
) -> Generator[str, None, PrefixReuse]:
    """Reads one text, then another that begins like it: from nothing, and from the first's cache.

    Yields:
        Before each pass what it is.

    Raises:
        ValueError: where the model's cache cannot be cropped; one sentence.
    """
    if lm.cache_argument is None or not kv_cache.can_crop(lm.config):
        raise ValueError(f"The cache of {lm.name} cannot be cropped to a common start.")
    n_common = common_start(first, second)
    # one token at least has to be read, for its logits
    n_reused = min(n_common, len(second) - 1)
    yield "warming up"
    read_all(lm, second)

    first_seconds, whole_seconds, reused_seconds = [], [], []
    for _ in range(n_runs):
        # first: read the first text, and keep its keys and values
        yield "reading the first prompt"
        cache = DynamicCache()
        first_seconds.append(prefill(lm, first, cache)[1])
        # whole: read the second text as if nothing were kept
        yield "reading the second prompt from nothing"
        truth, seconds = prefill(lm, second, DynamicCache())
        whole_seconds.append(seconds)
        # reused: crop the first's cache to the common start, and read only what differs
        yield "reading what differs"
        kv_cache.crop(cache, len(first) - n_reused)
        logits, seconds = prefill(lm, second[n_reused:], cache)
        reused_seconds.append(seconds)
    return PrefixReuse(
        labels=tuple(label(lm.tokenizer, token_id, lm.vocab_size) for token_id in second),
        n_common=n_common,
        n_first=len(first),
        n_reused=n_reused,
        n_runs=n_runs,
        first_seconds=median(first_seconds),
        whole_seconds=median(whole_seconds),
        reused_seconds=median(reused_seconds),
        logit_gap=float(np.abs(logits - truth).max()),
        same_best=bool(logits.argmax() == truth.argmax()),
    )


def common_start(first: Sequence[int], second: Sequence[int]) -> int:
    """Counts the ids that two texts share from their beginning on."""
    pairs = zip(first, second, strict=False)
    return next(
        (i for i, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second))
    )

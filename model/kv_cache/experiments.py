"""Experiments on the key-value cache: its contents, and what it saves.

Each is measured on the model at hand, by passes that are the model's own on both sides of every
comparison: the quicker decode step of small models would be no fair match. This module knows no
page and draws nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any, TypeAlias

import numpy as np
import torch
from transformers import DynamicCache

from model import kv_cache
from model.draw import best_except
from model.flops import count_flops, predict_flops
from model.generation import Generation
from model.job import Progress, Stopped, Work
from model.kv_cache.records import (
    CacheGrid,
    CacheMoment,
    FlopCheck,
    Race,
    RaceStep,
    StateGap,
)
from model.language_model import LanguageModel
from model.machine.device import lock_of
from model.passes import Logits, prefill
from model.tokenizing import labels_of_text

# gives the logits after a text, NaN where one is not known, and the seconds that it took
Read: TypeAlias = Callable[[Sequence[int]], tuple[Logits, float]]

N_CHECKS = 4  # lengths at which the formula for FLOPs is held against torch's counter


# The cache's contents


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
        keys=np.stack([kv_cache.head_sizes(layer.keys) for layer in layers]),
        values=np.stack([kv_cache.head_sizes(layer.values) for layer in layers]),
        labels=labels_of_text(lm, tokens),
        n_prompt=min(generation.n_prompt, generation.cache_tokens),
        n_new=generation.last_pass.n_input,
        key_bytes=layers[0].keys.shape[-1] * layers[0].keys.element_size(),
        value_bytes=layers[0].values.shape[-1] * layers[0].values.element_size(),
        is_latent=lm.cache_shape.is_latent,
    )


def _key_value_layers(cache: DynamicCache | None) -> list[Any]:
    """Lists the layers that hold keys and values, where all of them are of one shape."""
    layers: list[Any] = [
        layer
        for layer in (cache.layers if cache is not None else ())
        if getattr(getattr(layer, "keys", None), "ndim", 0) == 4
    ]
    shapes = {tuple(layer.keys.shape[:3]) for layer in layers}
    return layers if len(shapes) == 1 else []


@torch.inference_mode()
def watch_rewind(generation: Generation, n_tokens: int) -> tuple[CacheMoment, ...]:
    """Takes tokens back in a copy of a text and reads both counts of bytes on the way.

    Raises:
        ValueError: where the model's cache cannot be cropped, or holds too few tokens.
    """
    lm, ids = generation.lm, generation.ids
    cache = generation.fork().cache
    if cache is None or not kv_cache.can_crop(lm.config):
        raise ValueError(f"The cache of {lm.shown} cannot be cropped: going back reads all again.")
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


# With the cache and without it


def race(lm: LanguageModel, ids: Sequence[int], n_tokens: int, n_runs: int = 3) -> Work[Race]:
    """Reads one text token by token, with the cache and without it, on the same ids.

    The text begins with its first token alone, so that n tokens are n steps on both sides. Where it
    is stopped, what was reached is still checked.

    Args:
        lm: A causal model that takes a cache.
        ids: How the text begins; at least one.
        n_tokens: Length at which the race ends, at most the model's context.
        n_runs: Passes of each kind at each length, of which the median counts.

    Raises:
        ValueError: One sentence with the remedy.
    """
    cache = lm.new_cache()
    if cache is None:
        raise ValueError(f"{lm.shown} takes no cache: there is nothing to compare.")
    limit = lm.context_length or n_tokens
    if not 2 <= n_tokens <= limit:
        raise ValueError(f"Choose a length between 2 and {limit:,} tokens.")
    n_runs, text = n_runs if kv_cache.can_crop(lm.config) else 1, list(ids[:1])

    def cached(text: Sequence[int]) -> tuple[Logits, float]:
        # again: take the newest token back, so that each run finds the same cache
        if n_runs > 1 and cache.get_seq_length() == len(text):
            kv_cache.crop(cache, 1)
        return read_newest(lm, text, cache)

    yield Progress(0, n_tokens, "warming up")
    _warm_up(lm, text)
    raced = yield from write_on_both_sides(
        lm, text, ids[1:n_tokens], n_tokens, n_runs, cached, partial(read_all, lm)
    )
    text = text[: len(raced.steps)]
    if not text:
        return raced
    return replace(raced, gap=_compare_states(lm, text, cache), checks=_check_flops(lm, text))


def _warm_up(lm: LanguageModel, ids: Sequence[int]) -> None:
    cache = lm.new_cache()
    for _ in range(2):
        read_newest(lm, ids, cache)
        read_all(lm, ids)


def write_on_both_sides(
    lm: LanguageModel,
    text: list[int],
    following: Sequence[int],
    n_tokens: int,
    n_runs: int,
    cached: Read,
    recomputed: Read,
) -> Work[Race]:
    """Makes a text longer, token by token, and reads it at each length with the cache and without.

    Past the ids that are to follow it goes on by the best token of the recomputing side, ends left
    out.
    """
    steps, to_come = list[RaceStep](), iter(following)

    def reached() -> Race:
        return Race(n_runs, tuple(steps))

    try:
        for n_done in range(n_tokens):
            yield Progress(n_done, n_tokens, look=reached)
            # some times in turn: the same text by either side
            pairs = [(cached(text), recomputed(text)) for _ in range(n_runs)]
            (logits, _), (truth, _) = pairs[-1]
            steps.append(
                RaceStep(
                    n_tokens=len(text),
                    cached_seconds=median(seconds for (_, seconds), _ in pairs),
                    recomputed_seconds=median(seconds for _, (_, seconds) in pairs),
                    logit_gap=float(np.nanmax(np.abs(logits - truth))),
                    logit_scale=float(np.nanmax(np.abs(truth))),
                    same_best=bool(np.nanargmax(logits) == np.nanargmax(truth)),
                )
            )
            # append: the token that is given next, or the best that ends nothing
            known = np.nan_to_num(truth, nan=-np.inf)
            text.append(next(to_come, best_except(known, lm.end_ids)))
        yield Progress(n_tokens, n_tokens, "comparing both sides", reached)
    except Stopped:
        pass
    return reached()


def read_newest(
    lm: LanguageModel, ids: Sequence[int], cache: DynamicCache | None
) -> tuple[Logits, float]:
    """With the cache: the newest token goes in, all before it is there as keys and values."""
    return prefill(lm, ids[-1:], cache)


def read_all(lm: LanguageModel, ids: Sequence[int]) -> tuple[Logits, float]:
    """Without the cache: the whole text goes in, and nothing of it is kept."""
    return prefill(lm, ids, None)


@torch.inference_mode()
def _compare_states(lm: LanguageModel, ids: Sequence[int], cache: DynamicCache) -> StateGap | None:
    """Holds the cached keys and values of all positions against those of one fresh pass."""
    fresh = lm.new_cache()
    prefill(lm, ids, fresh)
    pairs = list(zip(_key_value_layers(cache), _key_value_layers(fresh), strict=True))
    if not pairs:
        return None
    with lock_of(lm.device):
        return StateGap(
            keys=max(float((old.keys - new.keys).abs().max()) for old, new in pairs),
            values=max(float((old.values - new.values).abs().max()) for old, new in pairs),
            keys_scale=max(float(new.keys.abs().max()) for _, new in pairs),
            values_scale=max(float(new.values.abs().max()) for _, new in pairs),
        )


def _check_flops(lm: LanguageModel, ids: Sequence[int]) -> tuple[FlopCheck, ...]:
    """Runs both kinds of pass under torch's counter at a few of the lengths reached."""
    lengths = sorted({max(1, len(ids) * part // N_CHECKS) for part in range(1, N_CHECKS + 1)})
    checks = []
    for n_tokens in lengths:
        for n_past in sorted({0, n_tokens - 1}):
            cache = lm.new_cache() if n_past else None
            if n_past:
                prefill(lm, ids[:n_past], cache)
            unread = ids[n_past:n_tokens]
            counted = count_flops(partial(prefill, lm, unread, cache))
            predicted = predict_flops(lm, len(unread), n_past)
            checks.append(FlopCheck(len(unread), n_past, counted, predicted))
    return tuple(checks)

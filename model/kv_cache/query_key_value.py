"""What the newest token's query, and all keys and values, are in one head of the model at hand.

Each layer hands its query, keys and values, turned by their positions, to an attention function
(Vaswani et al., 1706.03762, section 3.2.1). A twin that shares every weight is given one that notes
them down and then does what the model's own does. This module knows no page.
"""

import math
from collections.abc import Sequence
from contextvars import ContextVar
from functools import cache
from typing import Any

import numpy as np
import torch

from model.kv_cache.records import QueryKeyValue
from model.language_model import LanguageModel
from model.machine.device import lock_of
from model.masks import log_softmax
from model.passes import PassError, inputs_of, run_pass, twin_of
from model.records import FloatArray
from model.tokenizing import labels_of_text

NAME = "sdpa_noted"  # of the attention function, for transformers
MIN_TOKENS = 4  # the first, one to look at, the one before, the newest
_noted: ContextVar[list[tuple[torch.Tensor, ...]] | None] = ContextVar("noted", default=None)


def note_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    **more: Any,
) -> tuple[torch.Tensor, None]:
    """Notes the newest query and all keys and values of a layer, then attends as usual."""
    noted = _noted.get()
    if noted is not None and key.shape[2] == query.shape[2]:
        is_plain = _sees_all(attention_mask) and _divides_by_root(query, **more)
        noted.append((query[0, :, -1], key[0], value[0]) if is_plain else ())
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    result: tuple[torch.Tensor, None] = sdpa_attention_forward(
        module, query, key, value, attention_mask, **more
    )
    return result


def _sees_all(mask: torch.Tensor | None) -> bool:
    """Tells whether the newest token sees every token: a sliding window may hide some."""
    if mask is None:
        return True
    newest = mask[0, :, -1]
    return bool((newest if newest.dtype == torch.bool else newest == 0).all())


def _divides_by_root(query: torch.Tensor, scaling: float | None = None, **_: Any) -> bool:
    """Tells whether a match is query times key over the root of d: some models scale otherwise."""
    root: float = query.shape[-1] ** -0.5
    return scaling is None or math.isclose(scaling, root, rel_tol=1e-6)


@cache
def _register() -> None:
    """Gives the function to transformers, whose model classes take longest of all to import."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(NAME, note_attention)
    AttentionMaskInterface.register(NAME, sdpa_mask)


def read_query(lm: LanguageModel, ids: Sequence[int]) -> QueryKeyValue | None:
    """Reads a text and returns the head whose newest query looks hardest at one token further back.

    The first token does not count: many heads rest there, where they have nothing to look for.
    Neither does the one just before, at which some heads look whatever it is.

    Returns:
        None where the model's attention cannot be noted, scales or hides otherwise than is shown,
        or nothing lies between the two ends.
    """
    lm.weights.source()  # of many readers one imports the classes
    _register()
    noted: list[tuple[torch.Tensor, ...]] = []
    handle = _noted.set(noted)
    try:
        twin = twin_of(lm, NAME)
        run_pass(lm, len(ids), lambda: twin(**inputs_of(lm, [ids])).logits[0, -1])
    except (PassError, ValueError):
        return None
    finally:
        _noted.reset(handle)
    if not all(noted):
        return None
    with lock_of(lm.device):
        layers = [tuple(tensor.float().cpu().numpy() for tensor in layer) for layer in noted]
    if not layers or len(ids) < MIN_TOKENS:
        return None
    weights = [attention_weights(query, keys) for query, keys, _ in layers]
    peaks = [one[:, 1:-2].max(axis=1) for one in weights]
    layer = max(range(len(layers)), key=lambda i: float(peaks[i].max()))
    head = int(peaks[layer].argmax())
    query, keys, values = layers[layer]
    kv_head = head * len(keys) // len(query)
    return QueryKeyValue(
        layer=layer + 1,
        head=head + 1,
        kv_head=kv_head + 1,
        labels=labels_of_text(lm, ids),
        query=query[head],
        keys=keys[kv_head],
        values=values[kv_head],
        weights=weights[layer][head],
    )


def attention_weights(query: FloatArray, keys: FloatArray) -> FloatArray:
    """Compares each head's query with its keys: softmax of query times key over the root of d.

    Args:
        query: (heads, d) of the newest token.
        keys: (KV heads, tokens, d); several heads may share one.

    Returns:
        (heads, tokens), each row sums to 1.
    """
    shared = np.repeat(keys, len(query) // len(keys), axis=0).astype(np.float64)
    scores = np.einsum("hd,htd->ht", query.astype(np.float64), shared) / np.sqrt(query.shape[-1])
    weights: FloatArray = np.exp(log_softmax(scores))
    return weights

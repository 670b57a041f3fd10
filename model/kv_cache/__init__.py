"""The key-value cache: what it is made of, how large it is, how it is cropped and copied.

The model keeps the keys and values of every position it has read, so that the next token costs one
position and not the whole text again. This module knows transformers' caches and their layers; it
runs no model and knows no text.

Cropping takes a negative count, which means the same in every transformers 5 release, and a cache
made without a config, whose sliding-window layers keep all positions and so can be cropped beyond
the window. Latent attention is DeepSeek-V2's (2405.04434), grouped queries are 2305.13245.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from transformers import DynamicCache, PreTrainedConfig
from transformers.cache_utils import DynamicLayer

from model.kv_cache.block_cache import BlockLayer
from model.machine.device import lock_of
from model.records import CacheShape

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# layers that hold one key and one value per position, and nothing that sums up the past
_CROPPABLE_LAYERS = {"DynamicLayer", "DynamicSlidingWindowLayer", "DummyLayer", "BlockLayer"}
_KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads")
_HEAD_SIZES = ("head_dim", "d_kv", "kv_channels")


def cache_shape(config: PreTrainedConfig, bytes_per_number: int) -> CacheShape:
    """Reads off a config what one token costs in the cache.

    KV heads and head size are the config's own, layer by layer where they differ: hidden size over
    heads is only the last resort, since Qwen3, Gemma and others do not keep to it.

    Args:
        config: of the whole model; the text part is found by itself.
        bytes_per_number: 2 in 16 bits, 4 in float32.
    """
    text_config = config.get_text_config(decoder=True)
    layers = DynamicCache(config=config).layers
    windows = [getattr(layer, "sliding_window", None) for layer in layers]
    own = getattr(text_config, "per_layer_config", None)  # None before transformers 5.23
    # those that keep keys and values: not those that sum up the past or share
    keeping = [
        text_config if own is None else own[index]
        for index, layer in enumerate(layers)
        if isinstance(layer, DynamicLayer)
    ]
    numbers = sum(_latent_size(one) or 2 * _n_kv_heads(one) * _head_dim(one) for one in keeping)
    first = keeping[0] if keeping else None
    return CacheShape(
        n_layers=len(keeping),
        n_kv_heads=_n_kv_heads(first) if first else 0,
        head_dim=_head_dim(first) if first else 0,
        n_heads=_n_heads(first) if first else 0,
        bytes_per_number=bytes_per_number,
        bytes_per_token=numbers * bytes_per_number,
        sliding_window=min(filter(None, windows), default=None),
    )


def _latent_size(config: PreTrainedConfig) -> int:
    """Returns latent plus rotary part of latent attention, which serve all heads; else 0."""
    latent = first_number(config, ("kv_lora_rank",))
    return latent + first_number(config, ("qk_rope_head_dim",)) if latent else 0


def _n_heads(config: PreTrainedConfig) -> int:
    return first_number(config, ("num_attention_heads", "n_head", "num_heads"))


def _n_kv_heads(config: PreTrainedConfig) -> int:
    """Counts the heads that keep keys and values; as many as query heads where nothing is said."""
    if _latent_size(config):
        return 1
    is_new_falcon = getattr(config, "new_decoder_architecture", False)
    if getattr(config, "multi_query", False) and not is_new_falcon:
        return 1
    nested = getattr(config, "attn_config", None)
    return first_number(config, _KV_HEADS) or first_number(nested, _KV_HEADS) or _n_heads(config)


def _head_dim(config: PreTrainedConfig) -> int:
    """Returns the size of one key: the config's own, else hidden size over heads."""
    hidden = first_number(config, ("hidden_size", "n_embd", "d_model"))
    own = _latent_size(config) or first_number(config, _HEAD_SIZES)
    return own or hidden // max(_n_heads(config), 1)


def first_number(config: object, names: tuple[str, ...]) -> int:
    """Returns the first of these attributes that is a number other than 0; else 0."""
    numbers = (n for name in names for n in whole_numbers(getattr(config, name, None)))
    return next((number for number in numbers if number), 0)


def whole_numbers(value: object) -> list[int]:
    """Returns the whole numbers that a config's value holds: one, several or none; true is none."""
    values = value if isinstance(value, list | tuple) else [value]
    return [one for one in values if isinstance(one, int) and not isinstance(one, bool)]


def argument_names(model: PreTrainedModel) -> frozenset[str]:
    """Names the arguments that a model's pass takes, looked up once per class."""
    return _argument_names(type(model).forward)


@lru_cache(maxsize=32)
def _argument_names(forward: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(forward).parameters)


def cache_argument(model: PreTrainedModel) -> str | None:
    """Names the argument by which a model takes its cache; None where it takes none of ours."""
    takes_ours = getattr(model, "_supports_default_dynamic_cache", lambda: True)
    names = ("past_key_values", "cache_params") if takes_ours() else ()
    return next((name for name in names if name in argument_names(model)), None)


def can_crop(config: PreTrainedConfig) -> bool:
    """Tells whether tokens can be taken off the end of this model's cache.

    A recurrent state sums up all that was read and cannot forget its last token.
    """
    layers = DynamicCache(config=config).layers
    return all(type(layer).__name__ in _CROPPABLE_LAYERS for layer in layers)


def new_cache(config: PreTrainedConfig) -> DynamicCache:
    """Returns an empty cache for one text of a model with this config."""
    if not can_crop(config):
        return DynamicCache(config=config)
    cache = DynamicCache()
    # in blocks there are gaps between the heads, which attention on AMD's GPUs has misread without
    # a word (github.com/ROCm/pytorch/issues/3230)
    if torch.version.hip is None:
        cache.layer_class_to_replicate = BlockLayer
    return cache


def crop(cache: DynamicCache, n_tokens: int) -> None:
    """Takes `n_tokens` positions off the end; blocks that are left empty return at the next pass.

    Raises:
        ValueError: where the cache holds fewer: transformers would silently empty it.
    """
    n_held = cache.get_seq_length()
    if not 0 <= n_tokens <= n_held:
        raise ValueError(f"The cache holds {n_held} tokens: crop between 0 and as many.")
    if n_tokens:
        cache.crop(-n_tokens)


def fork(cache: DynamicCache) -> DynamicCache:
    """Returns an independent copy of a cache, at no cost where keys and values only ever grow.

    What two copies both look at is never written again. A recurrent state is written in place and
    has to be copied.
    """
    twin = copy.copy(cache)
    if all(type(layer).__name__ in _CROPPABLE_LAYERS for layer in cache.layers):
        twin.layers = [copy.copy(layer) for layer in cache.layers]
        return twin
    device = next((tensor.device for _, tensor in _tensors(cache)), torch.device("cpu"))
    with lock_of(device):
        twin.layers = [copy.deepcopy(layer) for layer in cache.layers]
    return twin


def bytes_in_use(cache: DynamicCache | None, n_tokens: int) -> int:
    """Counts the bytes of the positions held, at most `n_tokens` of them in each layer."""
    total = 0
    for name, tensor in _tensors(cache):
        # keys and values are (batch, heads, positions, size); any other state counts whole
        n_positions = tensor.shape[-2] if name in ("keys", "values") else 1
        total += tensor.nbytes // n_positions * min(n_positions, max(n_tokens, 1))
    return total


def bytes_held(cache: DynamicCache | None) -> int:
    """Counts the bytes of storage behind the cache: whole blocks, and what a crop left empty."""
    storages = (tensor.untyped_storage() for _, tensor in _tensors(cache))
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())


@torch.inference_mode()
def head_sizes(states: torch.Tensor) -> npt.NDArray[np.float32]:
    """Returns the root mean square over the numbers of each head, (heads, positions)."""
    with lock_of(states.device):
        sizes: npt.NDArray[np.float32] = states[0].float().square().mean(-1).sqrt().cpu().numpy()
    return sizes


def _tensors(cache: DynamicCache | None) -> Iterator[tuple[str, torch.Tensor]]:
    """Yields every tensor that a cache keeps between two passes, with its name in the layer."""
    for layer in cache.layers if cache is not None else ():
        for name, value in vars(layer).items():
            kept: tuple[Any, ...] = tuple(value.values()) if isinstance(value, dict) else (value,)
            for tensor in kept:
                if isinstance(tensor, torch.Tensor) and tensor.dim() and tensor.numel():
                    yield name, tensor


def length_in_common(first: Sequence[int], second: Sequence[int]) -> int:
    """Returns the number of tokens with which both texts begin."""
    shorter = min(len(first), len(second))
    if first[:shorter] == second[:shorter]:
        return shorter
    return next(i for i in range(shorter) if first[i] != second[i])

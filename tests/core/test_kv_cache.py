"""What a token costs in the cache, and that cropping and copying lose nothing."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import (
    DynamicCache,
    FalconConfig,
    Gemma3TextConfig,
    GPTBigCodeConfig,
    MambaConfig,
    MistralConfig,
    MptConfig,
    PreTrainedConfig,
    Qwen3Config,
    Qwen3NextConfig,
)

from model import kv_cache
from model.generation import Generation
from tests.tiny_models import tiny

# by hand: 2 * layers * KV heads * head size * 2 bytes; others are in the test of the calculator
KNOWN: dict[str, tuple[PreTrainedConfig, int]] = {
    # 128 is not 1024 / 16
    "Qwen3-0.6B": (
        Qwen3Config(
            hidden_size=1024,
            num_hidden_layers=28,
            num_attention_heads=16,
            num_key_value_heads=8,
            head_dim=128,
        ),
        114_688,
    ),
    "Gemma 3 1B": (
        Gemma3TextConfig(
            hidden_size=1152,
            num_hidden_layers=26,
            num_attention_heads=4,
            num_key_value_heads=1,
            head_dim=256,
        ),
        26_624,
    ),
    "Falcon-7B, one head for all queries": (
        FalconConfig(hidden_size=4544, num_hidden_layers=32, num_attention_heads=71),
        8_192,
    ),
    "StarCoder, one head for all queries": (
        GPTBigCodeConfig(n_embd=6144, n_head=48, n_layer=40, multi_query=True),
        20_480,
    ),
    "MPT-7B": (MptConfig(d_model=4096, n_heads=32, n_layers=32), 524_288),
    "Mamba keeps no keys": (MambaConfig(), 0),
    "Qwen3-Next keeps them in every fourth layer": (Qwen3NextConfig(), 12 * 2 * 2 * 256 * 2),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_token_costs_what_is_known(name: str) -> None:
    made_of, bytes_per_token = KNOWN[name]
    assert kv_cache.cache_shape(made_of, bytes_per_number=2).bytes_per_token == bytes_per_token


def test_the_shape_names_its_factors() -> None:
    shape = kv_cache.cache_shape(KNOWN["Qwen3-0.6B"][0], bytes_per_number=2)
    assert (shape.n_layers, shape.n_kv_heads, shape.head_dim, shape.n_heads) == (28, 8, 128, 16)
    assert shape.sliding_window is None
    assert kv_cache.cache_shape(MistralConfig(), bytes_per_number=2).sliding_window == 4096


def filled(n_tokens: int = 5) -> DynamicCache:
    """A cache of two layers, (1, 2, n_tokens, 3) each."""
    cache = DynamicCache()
    for layer in range(2):
        keys = torch.arange(n_tokens * 6.0).reshape(1, 2, n_tokens, 3) + layer
        cache.update(keys, -keys, layer)
    return cache


def keys_of(cache: DynamicCache, layer: int) -> torch.Tensor:
    held: Any = cache.layers[layer]
    keys: torch.Tensor = held.keys
    return keys


def test_a_crop_removes_from_the_end_and_is_a_view_until_the_next_update() -> None:
    cache, whole = filled(), filled()
    kv_cache.crop(cache, 2)
    kv_cache.crop(cache, 0)
    assert cache.get_seq_length() == 3
    assert torch.equal(keys_of(cache, 1), keys_of(whole, 1)[:, :, :3])
    assert kv_cache.bytes_in_use(cache, 3) == 2 * 2 * (2 * 3 * 3) * 4
    assert kv_cache.bytes_held(cache) == kv_cache.bytes_held(whole) == 2 * 2 * (2 * 5 * 3) * 4


@pytest.mark.parametrize("n_tokens", [-1, 6])
def test_a_crop_beyond_the_cache_is_refused_not_emptied(n_tokens: int) -> None:
    cache = filled()
    with pytest.raises(ValueError, match="holds 5 tokens"):
        kv_cache.crop(cache, n_tokens)
    assert cache.get_seq_length() == 5


def test_a_fork_shares_nothing_that_changes() -> None:
    cache = filled()
    twin = kv_cache.fork(cache)
    more = torch.ones(1, 2, 1, 3)
    for layer in range(2):
        twin.update(more, more, layer)
    kv_cache.crop(cache, 4)
    assert (cache.get_seq_length(), twin.get_seq_length()) == (1, 6)
    assert torch.equal(keys_of(twin, 0)[:, :, :5], keys_of(filled(), 0))


def test_on_an_amd_gpu_keys_lie_without_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    for version, has_gaps in ((None, True), ("7.0", False)):
        monkeypatch.setattr(torch.version, "hip", version)
        text = Generation(tiny("llama"), [5, 6, 7])
        text.step(token_id=4)
        assert text.cache is not None
        assert keys_of(text.cache, 0).is_contiguous() is not has_gaps


def test_at_most_the_positions_asked_for_are_counted_in_use() -> None:
    assert kv_cache.bytes_in_use(filled(), 2) == 2 * 2 * (2 * 2 * 3) * 4
    assert kv_cache.bytes_in_use(None, 2) == kv_cache.bytes_held(None) == 0

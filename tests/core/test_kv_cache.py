"""What a token costs in the cache, and that cropping and copying lose nothing."""

from typing import Any

import pytest
import torch
import transformers
from transformers import DynamicCache, MistralConfig, PreTrainedConfig

from model import kv_cache
from model.generation import Generation
from tests.tiny_models import tiny

QWEN3 = {"hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16}
GEMMA3 = {"hidden_size": 1152, "num_hidden_layers": 26, "num_attention_heads": 4}
# by hand: 2 * layers * KV heads * head size * 2 bytes; others are in the test of the calculator
KNOWN: list[tuple[str, dict[str, Any], int]] = [
    ("Qwen3", QWEN3 | {"num_key_value_heads": 8, "head_dim": 128}, 114_688),  # not 1024 / 16
    ("Gemma3Text", GEMMA3 | {"num_key_value_heads": 1, "head_dim": 256}, 26_624),
    # one head for all queries: Falcon-7B, StarCoder
    ("Falcon", {"hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71}, 8_192),
    ("GPTBigCode", {"n_embd": 6144, "n_head": 48, "n_layer": 40, "multi_query": True}, 20_480),
    ("Mpt", {"d_model": 4096, "n_heads": 32, "n_layers": 32}, 524_288),
    ("Mamba", {}, 0),  # keeps no keys
    (
        "Llama",
        {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 1},
        2 * 3 * 64 * 2,
    ),
    ("Qwen3Next", {}, 12 * 2 * 2 * 256 * 2),  # keeps them in every fourth layer
]


@pytest.mark.parametrize(("name", "fields", "bytes_per_token"), KNOWN)
def test_a_token_costs_what_is_known(
    name: str, fields: dict[str, Any], bytes_per_token: int
) -> None:
    config: PreTrainedConfig = getattr(transformers, f"{name}Config")(**fields)
    assert kv_cache.cache_shape(config, bytes_per_number=2).bytes_per_token == bytes_per_token


def test_of_two_stacks_the_one_that_writes_is_counted() -> None:
    stack = {"num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 9}
    reads = transformers.BertConfig(hidden_size=32)
    writes = transformers.LlamaConfig(**stack, hidden_size=64, num_key_value_heads=2)
    both = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(reads, writes)
    assert kv_cache.cache_shape(both, 4) == kv_cache.cache_shape(writes, 4)
    assert kv_cache.cache_shape(both, 4).bytes_per_token == 2 * 3 * 2 * 16 * 4


def test_layers_that_are_not_alike_are_counted_one_by_one() -> None:
    stack = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4}
    unlike: dict[str, Any] = {"per_layer_config": {1: {"num_key_value_heads": 1}}}
    config = transformers.LlamaConfig(**stack, num_key_value_heads=4, **unlike)
    assert kv_cache.cache_shape(config, 4).bytes_per_token == 2 * (4 + 1 + 4) * 16 * 4


def test_the_shape_names_its_factors() -> None:
    config = transformers.Qwen3Config(**QWEN3, num_key_value_heads=8, head_dim=128)
    shape = kv_cache.cache_shape(config, bytes_per_number=2)
    assert (shape.n_layers, shape.n_kv_heads, shape.head_dim, shape.n_heads) == (28, 8, 128, 16)
    assert shape.sliding_window is None
    nothing = kv_cache.cache_shape(transformers.MambaConfig(), bytes_per_number=2)
    assert (nothing.n_layers, nothing.n_kv_heads, nothing.head_dim, nothing.n_heads) == (0,) * 4
    assert kv_cache.cache_shape(MistralConfig(), bytes_per_number=2).sliding_window == 4096


def filled(n_tokens: int = 5) -> DynamicCache:
    """A cache of two layers, (1, 2, n_tokens, 3) each."""
    cache = DynamicCache()
    for layer in range(2):
        keys = torch.arange(n_tokens * 6.0).reshape(1, 2, n_tokens, 3) + layer
        cache.update(keys, -keys, layer)
    return cache


def keys_of(cache: DynamicCache, layer: int) -> torch.Tensor:
    return cache.layers[layer].keys


def test_a_crop_removes_from_the_end_and_is_a_view_until_the_next_update() -> None:
    cache, whole = filled(), filled()
    for wrong in (-1, 6):
        with pytest.raises(ValueError, match="holds 5 tokens"):
            kv_cache.crop(cache, wrong)
    kv_cache.crop(cache, 2)
    kv_cache.crop(cache, 0)
    assert cache.get_seq_length() == 3
    assert torch.equal(keys_of(cache, 1), keys_of(whole, 1)[:, :, :3])
    assert kv_cache.bytes_in_use(cache, 3) == 2 * 2 * (2 * 3 * 3) * 4
    assert kv_cache.bytes_in_use(whole, 2) == 2 * 2 * (2 * 2 * 3) * 4
    assert kv_cache.bytes_in_use(whole, 1) == 2 * 2 * (2 * 1 * 3) * 4
    assert kv_cache.bytes_held(cache) == kv_cache.bytes_held(whole) == 2 * 2 * (2 * 5 * 3) * 4
    assert kv_cache.bytes_in_use(None, 2) == kv_cache.bytes_held(None) == 0


def test_a_state_counts_whole_however_many_tokens_it_sums_up() -> None:
    cache = Generation(tiny("mamba"), [5, 6, 7]).cache
    one, three = (kv_cache.bytes_in_use(cache, n_tokens) for n_tokens in (1, 3))
    assert one == three > 0


def test_a_fork_shares_nothing_that_changes() -> None:
    cache = filled()
    twin = kv_cache.fork(cache)
    for layer in range(2):
        more = torch.ones(1, 2, 1, 3)
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


def test_heads_that_are_shared_are_one() -> None:
    """One head for all queries, also where a config says so alone, and one latent for all heads."""
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8}
    shared = PreTrainedConfig(**sizes, multi_query=True)
    assert kv_cache.cache_shape(shared, 2).n_kv_heads == 1
    assert kv_cache.cache_shape(PreTrainedConfig(**sizes), 2).n_kv_heads == 8
    assert kv_cache.cache_shape(tiny("deepseek").config, 2).n_kv_heads == 1

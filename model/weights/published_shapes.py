"""Published shapes of models that are not loaded, and what their caches would take.

Everything here is derived: a config says how many numbers a token leaves behind, the rest is
multiplication. The shapes are those of the models' published configs; their parameters are
counted from the same configs. Grouped queries: 2305.13245; latent attention: 2405.04434.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from transformers import (
    DeepseekV3Config,
    GPT2Config,
    LlamaConfig,
    MistralConfig,
    PreTrainedConfig,
    Qwen2Config,
)

from model.kv_cache import cache_shape
from model.records import CachePlan

BITS = (16, 8, 4)


@dataclass(frozen=True, eq=False)
class PublishedModel:
    """A model as its config describes it."""

    name: str
    config: PreTrainedConfig
    n_parameters: int


@cache
def published_models() -> tuple[PublishedModel, ...]:
    """Returns the models of the calculator, small ones first."""
    return (
        PublishedModel("GPT-2", GPT2Config(), 124_439_808),
        PublishedModel("Qwen2.5-0.5B", _qwen(896, 4864, 24, 14, 2, tied=True), 494_032_768),
        PublishedModel("Qwen2.5-7B", _qwen(3584, 18944, 28, 28, 4, tied=False), 7_615_616_512),
        PublishedModel("Mistral 7B v0.3", _mistral(), 7_248_023_552),
        PublishedModel("Llama-3-8B", _llama(4096, 14336, 32, 32, 8), 8_030_261_248),
        PublishedModel("Llama-2-13B", _llama_2(), 13_015_864_320),
        PublishedModel("Llama-3-70B", _llama(8192, 28672, 80, 64, 8), 70_553_706_496),
        PublishedModel("DeepSeek-V3", _deepseek(), 671_026_404_352),
    )


def _llama(hidden: int, inner: int, layers: int, heads: int, kv_heads: int) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=128_256,
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        max_position_embeddings=8192,
    )


def _llama_2() -> LlamaConfig:
    return LlamaConfig(
        vocab_size=32_000,
        hidden_size=5120,
        intermediate_size=13_824,
        num_hidden_layers=40,
        num_attention_heads=40,
        num_key_value_heads=40,
        max_position_embeddings=4096,
    )


def _mistral() -> MistralConfig:
    return MistralConfig(
        vocab_size=32_768,
        hidden_size=4096,
        intermediate_size=14_336,
        num_hidden_layers=32,
        num_attention_heads=32,
        num_key_value_heads=8,
        max_position_embeddings=32_768,
        sliding_window=None,
    )


def _qwen(
    hidden: int, inner: int, layers: int, heads: int, kv_heads: int, *, tied: bool
) -> Qwen2Config:
    return Qwen2Config(
        vocab_size=151_936 if tied else 152_064,
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        max_position_embeddings=32_768 if tied else 131_072,
        tie_word_embeddings=tied,
    )


def _deepseek() -> DeepseekV3Config:
    return DeepseekV3Config(max_position_embeddings=163_840)  # the class has V3's other numbers


def plan_cache(
    model: PublishedModel, n_tokens: int, cache_bits: int, weight_bits: int, memory: float
) -> CachePlan:
    """Computes what one sequence of a model would take, and how many fit beside the weights.

    Args:
        model: Its shape.
        n_tokens: Length of one sequence, prompt and answer together.
        cache_bits: Of one number in the cache; the scales of a quantised cache come on top.
        weight_bits: Of one weight.
        memory: Bytes for weights and caches together.

    Raises:
        ValueError: One sentence with the remedy.
    """
    if n_tokens < 1 or memory <= 0:
        raise ValueError("A context has 1 token or more and a memory more than 0 bytes.")
    if cache_bits not in BITS or weight_bits not in BITS:
        raise ValueError("Numbers have 16, 8 or 4 bits here: choose one of these.")
    # numbers, at one byte each
    config = model.config.get_text_config(decoder=True)
    numbers = cache_shape(config, 1).bytes_per_token
    if not numbers:
        raise ValueError(
            f"{model.name} keeps no keys and values by position, so its cache does not grow: "
            "choose another model."
        )
    per_token = numbers * cache_bits / 8
    weights = model.n_parameters * weight_bits / 8
    return CachePlan(
        name=model.name,
        attention=_attention(config),
        n_parameters=model.n_parameters,
        numbers_per_token=numbers,
        numbers_all_heads=_numbers_all_heads(config),
        bytes_per_token=per_token,
        bytes_per_sequence=per_token * n_tokens,
        weight_bytes=weights,
        n_sequences=max(0, int((memory - weights) // (per_token * n_tokens))),
        context_length=int(getattr(config, "max_position_embeddings", None) or n_tokens),
    )


def _attention(config: PreTrainedConfig) -> str:
    """Says how query heads share keys and values."""
    shape = cache_shape(config, 1)
    if getattr(config, "kv_lora_rank", None):
        return f"{shape.n_heads} heads share a latent of {shape.head_dim}"
    if shape.n_heads == shape.n_kv_heads:
        return f"{shape.n_heads} heads, all kept"
    return f"{shape.n_heads} heads share {shape.n_kv_heads}"


def _numbers_all_heads(config: PreTrainedConfig) -> int:
    """Counts what a token would leave if every query head kept a key and a value of its own."""
    shape = cache_shape(config, 1)
    pair = 2 * shape.head_dim
    if getattr(config, "kv_lora_rank", None):
        pair = config.qk_nope_head_dim + config.qk_rope_head_dim + config.v_head_dim
    return shape.n_layers * shape.n_heads * pair

"""Published shapes of models that are not loaded.

The shapes are those of the models' published configs; their parameters are counted from the same
configs.
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

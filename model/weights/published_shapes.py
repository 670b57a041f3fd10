"""Published shapes of models that are not loaded.

The shapes are those of the models' published configs; their parameters are counted from the same
configs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from transformers import (
    DeepseekV3Config,
    GPT2Config,
    LlamaConfig,
    MistralConfig,
    PreTrainedConfig,
    Qwen2Config,
)


@dataclass(frozen=True, eq=False)
class ModelShape:
    """A model as its config describes it."""

    name: str
    config: PreTrainedConfig
    n_parameters: int


@cache
def published_models() -> tuple[ModelShape, ...]:
    """Returns the models that are offered, small ones first."""
    llama, qwen, mistral = LlamaConfig, Qwen2Config, MistralConfig
    tied = {"tie_word_embeddings": True}
    return (
        ModelShape("GPT-2", GPT2Config(), 124_439_808),
        _shape("Qwen2.5-0.5B", 494_032_768, qwen, 151_936, 896, 4864, 24, 14, 2, 32_768, **tied),
        _shape("Qwen2.5-7B", 7_615_616_512, qwen, 152_064, 3584, 18944, 28, 28, 4, 131_072),
        _shape(
            *("Mistral 7B v0.3", 7_248_023_552, mistral, 32_768, 4096, 14336, 32, 32, 8, 32_768),
            sliding_window=None,
        ),
        _shape("Llama-3-8B", 8_030_261_248, llama, 128_256, 4096, 14336, 32, 32, 8, 8192),
        _shape("Llama-2-13B", 13_015_864_320, llama, 32_000, 5120, 13824, 40, 40, 40, 4096),
        _shape("Llama-3-70B", 70_553_706_496, llama, 128_256, 8192, 28672, 80, 64, 8, 8192),
        # the class has V3's other numbers
        ModelShape(
            "DeepSeek-V3", DeepseekV3Config(max_position_embeddings=163_840), 671_026_404_352
        ),
    )


def published_shape(name: str) -> ModelShape:
    """Returns a published model's shape.

    Raises:
        ValueError: where none has this name; one sentence.
    """
    shapes = {shape.name: shape for shape in published_models()}
    if name not in shapes:
        raise ValueError(f"There is no shape {name!a} here: choose one of {', '.join(shapes)}.")
    return shapes[name]


def _shape(
    name: str,
    n_parameters: int,
    kind: Callable[..., PreTrainedConfig],
    vocab: int,
    hidden: int,
    inner: int,
    layers: int,
    heads: int,
    kv_heads: int,
    context: int,
    **more: Any,
) -> ModelShape:
    """Writes a config with the names that Llama and its likes give its numbers."""
    config = kind(
        vocab_size=vocab,
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        max_position_embeddings=context,
        **more,
    )
    return ModelShape(name, config, n_parameters)

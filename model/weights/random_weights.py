"""Any architecture without its weights: a shape, filled with random numbers.

Time depends on how many numbers there are and not on which, so a shape shows what a model's phases
cost with nothing downloaded. What it takes is counted before anything is made, and what does not
fit is refused. What such a model writes means nothing.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import Any

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaConfig,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.initialization import no_init_weights

from model.kv_cache import cache_shape
from model.language_model import LanguageModel
from model.loading import describe, parts_of
from model.machine.child import Child, EndedError, answer
from model.machine.device import free_bytes, lock_of
from model.records import ShapePlan
from model.sentences import cut, reason
from model.weights import building
from model.weights.device import choose_devices, choose_dtype
from model.weights.locate import SHIPPED
from model.weights.published_shapes import ModelShape

MAX_TOKENS = 2048  # tokens that are planned for
_HEADROOM = 1.1
_PASTED_SECONDS = 4.0  # that a pasted config may take to be read
_BLOCK = 1 << 20  # random numbers that are drawn; larger tensors repeat them
_SPREAD = 0.02


def typed_shape(
    n_layers: int, hidden: int, n_heads: int, n_kv_heads: int, vocab: int
) -> ModelShape:
    """Writes a Llama's config from the numbers that make a shape.

    Raises:
        ValueError: where they do not go together; one sentence with the remedy.
    """
    if min(n_layers, hidden, n_heads, n_kv_heads, vocab) < 1:
        raise ValueError("Layers, hidden size, heads and vocabulary are 1 or more.")
    if hidden % (2 * n_heads):
        raise ValueError(
            f"{n_heads} heads cannot share a hidden size of {hidden}: choose a multiple of "
            f"{2 * n_heads}, so that each has an even size."
        )
    if n_heads % n_kv_heads:
        raise ValueError(f"{n_heads} heads cannot share {n_kv_heads} KV heads: choose a divisor.")
    config = LlamaConfig(
        vocab_size=vocab,
        hidden_size=hidden,
        intermediate_size=round(hidden * 8 / 3 / 32) * 32 or 32,
        num_hidden_layers=n_layers,
        num_attention_heads=n_heads,
        num_key_value_heads=n_kv_heads,
        max_position_embeddings=4096,
    )
    return count_shape("a typed shape", config)


@lru_cache(maxsize=32)
def read_shape(text: str) -> ModelShape:
    """Reads a shape from the text of a config.json.

    Raises:
        ValueError: where it is none of a causal language model; one sentence with the remedy.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"This is no JSON ({reason(error)}): paste all of a model’s config.json."
        ) from error
    if not isinstance(given, dict) or not isinstance(given.get("model_type"), str):
        raise ValueError("This names no model_type: paste all of a model’s config.json.")
    from transformers.models.auto import modeling_auto as auto

    kind = given.pop("model_type")
    if kind not in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        raise ValueError(f"“{cut(kind)}” is no causal language model: choose one that writes text.")
    given = {name: value for name, value in given.items() if name not in _NOT_A_SHAPE}
    with Child("model.weights.random_weights", _PASTED_SECONDS) as child:
        try:
            n_parameters = child.ask(model_type=kind, given=given)
        except EndedError as error:
            raise ValueError(f"This shape cannot be built ({error}): change it.") from error
        except ValueError as error:
            raise ValueError(f"{error}.") from error
    return ModelShape(f"a pasted {kind}", AutoConfig.for_model(kind, **given), n_parameters)


def count_pasted(model_type: str, given: dict[str, Any]) -> int:
    """Counts a config's parameters, in another process: it may ask for a million layers."""
    try:
        config = AutoConfig.for_model(model_type, **given)
    except Exception as error:  # of the config class's many kinds
        raise ValueError(
            f"transformers cannot read this config ({reason(error)}): mend it."
        ) from error
    return count_shape("", config).n_parameters


# what says where code or weights are, and not how many numbers there are
_NOT_A_SHAPE = {"auto_map", "quantization_config", "torch_dtype", "dtype", "_name_or_path"}


def count_shape(name: str, config: PreTrainedConfig) -> ModelShape:
    """Counts a shape's parameters, nothing made.

    Raises:
        ValueError: where the architecture cannot be built; one sentence.
    """
    model = _build(config, torch.device("meta"), torch.float32)
    return ModelShape(name, config, sum(weight.numel() for weight in model.parameters()))


def plan_shape(shape: ModelShape, dtype: str = "auto") -> ShapePlan:
    """Counts what a shape would take here, before anything is made."""
    config = shape.config
    device = choose_devices("auto")[0]
    numbers = choose_dtype(dtype, device)
    text_config: Any = config.get_text_config(decoder=True)
    widest = max(
        getattr(text_config, "intermediate_size", None) or 4 * text_config.hidden_size,
        text_config.hidden_size,
    )
    n_tokens = min(MAX_TOKENS, getattr(text_config, "max_position_embeddings", MAX_TOKENS))
    return ShapePlan(
        name=shape.name,
        n_parameters=shape.n_parameters,
        weight_bytes=shape.n_parameters * numbers.itemsize,
        cache_bytes=cache_shape(config, numbers.itemsize).bytes_per_token * n_tokens,
        pass_bytes=4 * n_tokens * widest * numbers.itemsize + 4 * text_config.vocab_size,
        free_bytes=free_bytes(device),
    )


def make_shape(shape: ModelShape, dtype: str = "auto") -> LanguageModel:
    """Makes a model of a shape, its weights random.

    Raises:
        ValueError: where it does not fit, or cannot be built; one sentence with the remedy.
    """
    plan, config = plan_shape(shape, dtype), shape.config
    if plan.total_bytes * _HEADROOM > plan.free_bytes:
        raise ValueError(
            f"{plan.name} takes {plan.total_bytes / 1e9:,.1f} GB and "
            f"{plan.free_bytes / 1e9:,.1f} GB is free: choose a smaller shape."
        )
    device = choose_devices("auto")[0]
    numbers = choose_dtype(dtype, device)
    try:
        with building, lock_of(device):
            model = _build(config, device, numbers)
            _fill(model)
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise ValueError(
            f"The memory ran out while {plan.name} was made: choose a smaller shape."
        ) from error
    tokenizer = AutoTokenizer.from_pretrained(SHIPPED["storyteller"], local_files_only=True)
    name = f"{plan.name}, random weights"
    lm = describe(name, "causal", parts_of(model, numbers), tokenizer)
    return replace(lm, end_ids=frozenset(), bos_id=None)


def _build(config: PreTrainedConfig, device: torch.device, dtype: torch.dtype) -> PreTrainedModel:
    """Lays a model out on a device without giving its weights a value."""
    build: Any = AutoModelForCausalLM.from_config
    try:
        with building, no_init_weights(), device:
            model: Any = build(config, dtype=dtype)
            model.tie_weights()
    except (MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:  # of the architecture's many kinds
        raise ValueError(f"This shape cannot be built ({reason(error)}): change it.") from error
    ready: PreTrainedModel = model.eval()
    return ready


@torch.inference_mode()
def _fill(model: PreTrainedModel) -> None:
    """Gives every weight a small random number, repeating one block: what is drawn is few."""
    device = model.device
    generator = torch.Generator(device).manual_seed(0)
    block = _SPREAD * torch.randn(_BLOCK, generator=generator, device=device)
    for parameter in model.parameters():
        if parameter.dim() < 2:
            parameter.fill_(1.0)  # norms, which scale
            continue
        flat = parameter.data.view(-1)
        for start in range(0, flat.numel(), _BLOCK):
            part = flat[start : start + _BLOCK]
            part.copy_(block[: part.numel()])


if __name__ == "__main__":
    answer(count_pasted)

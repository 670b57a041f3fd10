"""A shape without its weights: its config, how many parameters, and what it would take here."""

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch
from transformers import AutoConfig, PreTrainedConfig
from transformers.initialization import no_init_weights

from model.kv_cache import cache_shape
from model.machine.child import Child, EndedError, answer
from model.machine.device import free_bytes
from model.records import ShapePlan
from model.sentences import cut, reason
from model.weights import building
from model.weights.device import choose_devices, choose_dtype
from model.weights.published_shapes import ModelShape

if TYPE_CHECKING:
    from transformers import PreTrainedModel

MAX_TOKENS = 2048  # tokens that are planned for
_PASTED_SECONDS = 4.0  # that a pasted config may take to be read


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
    config = AutoConfig.for_model(
        "llama",
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
    with Child("model.weights.shapes", _PASTED_SECONDS) as child:
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
    model = build(config, torch.device("meta"), torch.float32)
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


def build(config: PreTrainedConfig, device: torch.device, dtype: torch.dtype) -> "PreTrainedModel":
    """Lays a model out on a device without giving its weights a value."""
    from transformers import AutoModelForCausalLM

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


if __name__ == "__main__":
    answer(count_pasted, model_type="llama", given={"num_hidden_layers": 1})

"""A shipped Llama on the CPU, ready to write before transformers' model classes are.

Importing those classes takes longer than all else between a start and the first token. The pass by
hand needs none of them: it needs the config as it is written, the weights as they lie in the file,
and the tokenizer. transformers' model is read when somebody first asks for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file
from transformers import PreTrainedConfig

from model.fast.llama_decode import FastDecode, knows_shape
from model.language_model import ModelParts, Weights
from model.weights.check import read_json

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_NUMBERS = {torch.float32, torch.bfloat16, torch.float16}


class LazyModel:
    """A model that is read when it is first asked for; one reads, whoever else asks waits."""

    def __init__(self, read: Callable[[], PreTrainedModel]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._model: PreTrainedModel | None = None

    def __call__(self) -> PreTrainedModel:
        """Returns the model."""
        with self._lock:
            if self._model is None:
                # who asks may be in the middle of a pass; the weights may be trained on later
                with torch.inference_mode(False):
                    self._model = self._read()
            return self._model


def read_lazily(folder: Path, name: str, read: Callable[[], PreTrainedModel]) -> ModelParts | None:
    """Reads a shipped model by hand, `read` whole when it is first asked for.

    Returns:
        None where its shape or its numbers are not known here.
    """
    config: Any = PreTrainedConfig.from_dict(read_json(folder / "config.json", name))
    path = folder / "model.safetensors"
    if config.model_type != "llama" or not path.is_file():
        return None
    stored = load_file(path)
    n_parameters = sum(weight.numel() for weight in stored.values())
    is_known = {weight.dtype for weight in stored.values()} <= _NUMBERS
    if not (is_known and knows_shape(config, n_parameters)):
        return None
    generation = folder / "generation_config.json"
    said = read_json(generation, name) if generation.is_file() else {}
    weights = Weights(
        source=LazyModel(read),
        device=torch.device("cpu"),
        dtype=torch.float32,
        cache_argument="past_key_values",
        quick=FastDecode(config, {key: weight.float() for key, weight in stored.items()}),
    )
    return ModelParts(config, config.vocab_size, n_parameters, said.get("eos_token_id"), weights)

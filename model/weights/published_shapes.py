"""Published shapes of models that are not loaded: their configs, in `published_shapes.json`.

What a config leaves out is as the class of its architecture has it. Parameters are counted from the
same configs.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from transformers import AutoConfig, PreTrainedConfig


@dataclass(frozen=True, eq=False)
class ModelShape:
    """A model as its config describes it."""

    name: str
    config: PreTrainedConfig
    n_parameters: int


@cache
def _listed() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(
        Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    )
    return listed


def published_names() -> tuple[str, ...]:
    """Returns the names of the models that are offered, small ones first; imports no config."""
    return tuple(m["name"] for m in _listed())


@cache
def published_models() -> tuple[ModelShape, ...]:
    """Returns the models that are offered, small ones first."""
    return tuple(
        ModelShape(m["name"], AutoConfig.for_model(**m["config"]), m["n_parameters"])
        for m in _listed()
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

"""What can be said of a model before it is loaded: its size, its licence, its pace here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import torch

from model.machine.device import lock_of
from model.records import ModelKind
from model.timing import seconds_of
from model.weights.check import bytes_of, count_numbers, find_weights, kind_of, read_config
from model.weights.device import DTYPES
from model.weights.download import bytes_under_way
from model.weights.hub import HubModel, listed_models

_STORED = "F32"  # stands for any format of floating point
_ROWS, _COLUMNS, _TRIES = 4096, 4096, 5


@dataclass(frozen=True)
class ModelFacts:
    """A model that readers may choose."""

    name: str
    n_bytes: int  # of its files
    counts: Mapping[str, int] = field(default_factory=dict)  # numbers by kind; empty: not known
    n_parameters: int | None = None  # where it is told apart from other numbers
    licence: str | None = None
    is_gated: bool = False
    is_here: bool = False
    kind: ModelKind | None = None  # where its config is known

    @property
    def n_bytes_held(self) -> int:
        """Bytes of it that came before its download was stopped."""
        return bytes_under_way(self.name.partition("@")[0])

    def memory(self, dtype: str) -> int:
        """Bytes of its weights in a format of numbers."""
        return bytes_of(self.counts, DTYPES[dtype].itemsize)

    def seconds_per_token(self, device: str, dtype: str) -> float:
        """The least that a decode step takes on a device here, which reads every weight once."""
        return self.memory(dtype) / bytes_per_second(device, dtype)


@cache
def small_models() -> tuple[ModelFacts, ...]:
    """Returns the small models that the page lists, as `small_models.json` has them."""
    return tuple(
        ModelFacts(
            model["id"],
            model["megabytes"] * 10**6,
            {_STORED: model["n_parameters"]},
            model["n_parameters"],
            model["licence"],
            model["is_gated"],
        )
        for model in listed_models().values()
    )


def facts_of_folder(name: str, folder: Path) -> ModelFacts:
    """Returns what the files of a model on this disk say.

    Raises:
        LoadError: where there are no weights, or they are none.
    """
    kind = kind_of(read_config(folder, name), name)
    paths = find_weights(folder, name)
    n_bytes = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    return ModelFacts(name, n_bytes, count_numbers(paths, name), is_here=True, kind=kind)


def facts_of_hub(model: HubModel) -> ModelFacts:
    """Returns what the hub says."""
    return ModelFacts(
        model.name,
        model.n_bytes,
        model.counts,
        None,
        model.licence,
        model.is_gated,
        kind=model.kind,
    )


@cache
def bytes_per_second(device: str, dtype: str) -> float:
    """Measures how fast a matrix meets a vector, as all weights do in a decode step."""
    place = torch.device(device)
    with lock_of(place):
        matrix = torch.ones((_ROWS, _COLUMNS), dtype=DTYPES[dtype], device=place)
        vector = matrix[0]
        seconds = min(seconds_of(lambda: matrix @ vector, place) for _ in range(_TRIES))
    return matrix.nbytes / seconds

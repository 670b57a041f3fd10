"""Which way a product with few rows is quickest here, and weights that lie that way round.

A decode step is as fast as its weights are read. How fast a library reads a matrix for a single row
depends on the processor and on how the matrix lies in memory: by columns some read twice as fast,
some no faster. So it is timed, on the model's own weights, when they are loaded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn.functional import linear

from model.fast.threads import ALL_THREADS

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_N_TRIES = 3
_N_TIMED = 16_000_000  # numbers, so that they come from memory and not from a processor's cache
_CLEARLY = 0.9  # of the time: what saves less is not worth it


def lay_out(model: PreTrainedModel) -> None:
    """Turns the weights of linear layers on the CPU where one token reads them quicker by columns.

    Nothing is kept twice: each weight is the same tensor as before, of the same numbers.
    """
    layers = [layer for layer in model.modules() if type(layer) is nn.Linear]
    weights = list({id(layer.weight): layer.weight for layer in layers}.values())
    is_here = model.device.type == "cpu" and model.dtype == torch.float32
    if weights and is_here and _better_by_columns(_first_numbers(weights)):
        for weight in weights:
            weight.data = by_columns(weight.data)


def by_columns(weight: torch.Tensor) -> torch.Tensor:
    """Returns the same matrix, its columns one after another in memory."""
    return weight.t().contiguous().t()


def quickest(ways: Sequence[Callable[[], object]]) -> int:
    """Returns which of some ways takes the least time here; the first unless another clearly wins.

    They take turns, and the best time of each counts, so that a busy machine is busy for all. They
    run on one thread: more would wait for a core that is busy elsewhere.
    """
    torch.set_num_threads(1)
    tries = [[_seconds(way) for way in ways] for _ in range(_N_TRIES)]
    torch.set_num_threads(ALL_THREADS)
    seconds = [min(times) for times in zip(*tries, strict=True)]
    best = seconds.index(min(seconds))
    return best if seconds[best] < _CLEARLY * seconds[0] else 0


def _seconds(way: Callable[[], object]) -> float:
    started = time.perf_counter()
    way()
    return time.perf_counter() - started


def _first_numbers(weights: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Returns as many of the first rows of some matrices as are timed."""
    some, n_left = list[torch.Tensor](), _N_TIMED
    for weight in weights:
        rows = weight.detach()[: max(0, n_left // weight.shape[1])]
        some.append(rows)
        n_left -= rows.numel()
    return some


@torch.inference_mode()
def _better_by_columns(weights: Sequence[torch.Tensor]) -> bool:
    """Tells whether these matrices, (out, in), are read quicker by columns for a single row."""

    def read(matrices: Sequence[torch.Tensor]) -> None:
        for matrix in matrices:
            linear(torch.ones(1, matrix.shape[1]), matrix)

    columns = [by_columns(weight) for weight in weights]
    return bool(quickest([lambda: read(weights), lambda: read(columns)]))

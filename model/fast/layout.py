"""Products of a matrix with few rows, in the way that is quickest on this machine.

A decode step is as fast as its weights are read. How fast a library reads a matrix for a single row
depends on the processor and on how the matrix lies in memory: by columns some read twice as fast,
some no faster. So the ways are timed, on the model's own weights, when these are loaded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import torch
from torch import nn
from torch.nn.functional import linear

from model.machine.threads import ALL_THREADS

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_N_TRIES = 3
# numbers of the largest matrix: they come from memory, not from a processor's cache
_N_TIMED = 16_000_000
_CLEAR_RATIO = 0.9  # of the time: what saves less is not worth it


class Matrix(NamedTuple):
    """A matrix, (out, in), twice in memory."""

    rows: torch.Tensor  # row after row
    columns: torch.Tensor  # column after column


Way: TypeAlias = Callable[[torch.Tensor, Matrix], torch.Tensor]  # (n, in) to (n, out)


def by_rows(x: torch.Tensor, matrix: Matrix) -> torch.Tensor:
    """Returns the product as it is usually taken."""
    return linear(x, matrix.rows)


def by_columns(x: torch.Tensor, matrix: Matrix) -> torch.Tensor:
    """Returns the same, the matrix read column after column."""
    return linear(x, matrix.columns)


def turned(x: torch.Tensor, matrix: Matrix) -> torch.Tensor:
    """Puts the other factor first, with two columns at least: some libraries are slow at one."""
    columns = x.expand(max(2, len(x)), -1).contiguous().t()
    return torch.mm(matrix.rows, columns).t()[: len(x)]


def both_ways(weight: torch.Tensor) -> Matrix:
    """Copies a matrix so that it can be read either way."""
    return Matrix(weight, weight.t().contiguous().t())


@torch.inference_mode()
def quickest_way(
    matrices: Sequence[Matrix], n_rows: int, ways: Sequence[Way] = (by_rows, by_columns, turned)
) -> Way:
    """Returns the way that takes the least time here; the first unless another clearly wins.

    The ways take turns, each going over all matrices, as a pass does, so that none is at hand. The
    best time of each product counts, on one thread: then a core that is busy elsewhere does little.
    """
    torch.set_num_threads(1)
    inputs = [torch.ones(n_rows, matrix.rows.shape[1]) for matrix in matrices]
    best = [[float("inf")] * len(matrices) for _ in ways]
    for _ in range(_N_TRIES):
        for way, seconds in zip(ways, best, strict=True):
            for index, (x, matrix) in enumerate(zip(inputs, matrices, strict=True)):
                started = time.perf_counter()
                way(x, matrix)
                seconds[index] = min(seconds[index], time.perf_counter() - started)
    torch.set_num_threads(ALL_THREADS)
    totals = [sum(seconds) for seconds in best]
    least = min(totals)
    return ways[totals.index(least) if least < _CLEAR_RATIO * totals[0] else 0]


def lay_out(model: PreTrainedModel) -> None:
    """Turns the weights of linear layers on the CPU where one token reads them quicker by columns.

    Nothing is kept twice: each weight is the same tensor as before, of the same numbers.
    """
    layers = [layer for layer in model.modules() if type(layer) is nn.Linear]
    weights = list({id(layer.weight): layer.weight for layer in layers}.values())
    is_here = model.device.type == "cpu" and model.dtype == torch.float32
    if not (weights and is_here):
        return
    largest = max(weights, key=torch.numel).detach()
    some = both_ways(largest[: _N_TIMED // largest.shape[1]])
    if quickest_way([some], 1, (by_rows, by_columns)) is by_columns:
        for weight in weights:
            weight.data = both_ways(weight.data).columns

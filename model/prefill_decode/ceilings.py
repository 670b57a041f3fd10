"""What a device reaches when it does one thing alone: copying, reading, multiplying.

A ceiling is what can be reached, so the best of several runs counts. No pass of the model runs
beside it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import torch

from model.language_model import LanguageModel
from model.machine.device import free_bytes, lock_of
from model.timing import seconds_of

N_TRIES = 9  # of each ceiling
_COPIED = {"cuda": 1 << 30, "mps": 1 << 28, "cpu": 1 << 27}  # bytes, larger than any cache
_MULTIPLIED = {"cuda": 8192, "mps": 2048, "cpu": 1024}  # rows and columns


@dataclass(frozen=True)
class Rate:
    """What was moved or computed, and how long it took each time."""

    amount: float  # bytes or FLOPs
    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        """The rate of the quickest run: a ceiling is what can be reached."""
        return self.amount / min(self.seconds)

    @property
    def spread(self) -> float:
        """How much slower the middle run was than the quickest, as a fraction."""
        return median(self.seconds) / min(self.seconds) - 1


def measure_copy(lm: LanguageModel) -> Rate:
    """Copies a large buffer in memory: each byte is read once and written once."""
    with lock_of(lm.device):
        source = torch.ones(buffer_bytes(lm.device), dtype=torch.uint8, device=lm.device)
        target = torch.empty_like(source)
    return rate_of(lm, 2 * source.nbytes, lambda: target.copy_(source))


def measure_read(lm: LanguageModel) -> Rate:
    """Multiplies a large matrix with one vector: as a decode step does, each weight is met once."""
    n_columns = 4096
    n_rows = max(1, buffer_bytes(lm.device) // (n_columns * lm.dtype.itemsize))
    matrix, vector = _noise(lm, (n_rows, n_columns), (n_columns,))
    return rate_of(lm, matrix.nbytes, lambda: matrix @ vector)


def measure_matmul(lm: LanguageModel) -> Rate:
    """Multiplies two large square matrices in the model's own numbers."""
    n = _MULTIPLIED.get(lm.device.type, 1024)
    one, other = _noise(lm, (n, n), (n, n))
    return rate_of(lm, 2 * n**3, lambda: one @ other)


def _noise(lm: LanguageModel, *shapes: tuple[int, ...]) -> list[torch.Tensor]:
    """Draws numbers as weights have them, the same in every run.

    Equal numbers flip fewer bits: a GPU draws less power then, its clock stays higher, and no model
    reaches that rate. The sums of a product are about 1, far from the largest number of 16 bits.
    """
    with lock_of(lm.device):
        seeded = torch.Generator(lm.device).manual_seed(0)
        drawn = (
            torch.randn(shape, generator=seeded, dtype=lm.dtype, device=lm.device)
            for shape in shapes
        )
        return [numbers.mul_(numbers.shape[-1] ** -0.25) for numbers in drawn]


def rate_of(lm: LanguageModel, amount: float, work: Callable[[], object]) -> Rate:
    """Times some work again and again, no pass of the model beside it; the first run warms up."""
    seconds = []
    for _ in range(N_TRIES + 1):
        with lm.weights.lock:
            seconds.append(seconds_of(work, lm.device))
    return Rate(amount, tuple(seconds[1:]))


def buffer_bytes(device: torch.device) -> int:
    """Returns how much is copied: more than a cache holds, less than an eighth of what is free."""
    wanted = _COPIED.get(device.type, 1 << 27)
    return max(1 << 20, min(wanted, free_bytes(device) // 8))

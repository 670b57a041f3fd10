"""Random texts, cut into tokens anywhere, and stop strings that occur in many of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

N_CASES = 5_000
LETTERS = ["a", "b", "é", "ệ", "🙂", "🙃", "\n", " "]


@dataclass(frozen=True)
class StopCase:
    """One text as its tokens' bytes, and the strings that may end it."""

    tokens: tuple[bytes, ...]
    strings: tuple[str, ...]


def random_cases() -> Iterator[StopCase]:
    """Yields N_CASES cases, always the same."""
    rng = np.random.default_rng(47)
    for _ in range(N_CASES):
        letters = rng.choice(LETTERS, int(rng.integers(2, 6)))
        text = "".join(rng.choice(letters, 14)).encode()
        cuts = sorted({*rng.integers(1, len(text), int(rng.integers(1, 9))).tolist()})
        edges = zip([0, *cuts], [*cuts, len(text)], strict=True)
        sizes = rng.integers(1, 5, int(rng.integers(1, 4)))
        strings = tuple("".join(rng.choice(letters, size)) for size in sizes)
        yield StopCase(tuple(text[i:j] for i, j in edges), strings)

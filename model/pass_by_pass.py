"""Work of several passes, one at each advance, so that whoever runs it can stop between any two.

Knows no model: a generator says what it does next, does it when it is asked for more, and returns
what it found.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Generic, TypeVar

Found = TypeVar("Found")


class PassByPass(Generic[Found]):
    """What a generator does, and what it found once it is done."""

    def __init__(self, passes: Generator[str, None, Found], n_total: int) -> None:
        """Goes to the first pass, which runs at the first advance.

        Args:
            passes: Gives before each pass the words for it, and returns what all of them found.
            n_total: How many passes it has, for a bar of progress.

        Raises:
            ValueError: what the generator refuses before its first pass.
        """
        self._passes = passes
        self.n_done, self.n_total, self.is_done = 0, n_total, False
        self.doing = next(passes)
        self.result: Found | None = None

    def advance(self) -> None:
        """Runs the next pass."""
        try:
            self.doing = next(self._passes)
        except StopIteration as end:
            self.result, self.is_done = end.value, True
        self.n_done += 1


def at_once(passes: Generator[str, None, Found]) -> Found:
    """Runs all passes one after another, and returns what they found."""
    while True:
        try:
            next(passes)
        except StopIteration as end:
            found: Found = end.value
            return found

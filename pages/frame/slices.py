"""Work in slices: a little at a time, so that a page can be stopped between any two of them.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from model.timing import one_at_a_time

LOGGER = logging.getLogger(__name__)


class Work(Protocol):
    """Something that is done bit by bit."""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""

    def advance(self) -> object:
        """Does one bit."""


class Run(Protocol):
    """Work that a reader has started."""

    is_running: bool
    notice: str | None  # why it ended early, in one sentence


T = TypeVar("T")
W = TypeVar("W", bound=Work)


def take(run: Run, bits: Iterator[T], seconds: float) -> Iterator[T]:
    """Gives a run's bits for about so long; the run ends with them, or says what failed."""
    started = time.perf_counter()
    try:
        while time.perf_counter() - started < seconds:
            try:
                bit = next(bits)
            except StopIteration:
                run.is_running = False
                return
            yield bit
    except ValueError as error:
        run.is_running, run.notice = False, str(error)
    except (MemoryError, RuntimeError) as error:
        LOGGER.exception("A run failed on the way")
        run.is_running, run.notice = False, _why(error)


def go_on(run: Run, work: Work, seconds: float) -> None:
    """Advances a run's work for about so long; what cannot go on ends and says why."""
    for _ in take(run, _bits(work), seconds):
        pass
    if work.is_done:
        run.is_running = False


def _bits(work: Work) -> Iterator[None]:
    while not work.is_done:
        work.advance()
        yield


def _why(error: Exception) -> str:
    """Says in one sentence what ended a run; a device's lack of memory is an error of its own."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return (
            "The memory ran out on the way: what was found so far stays; choose a smaller model "
            "or close other programs."
        )
    reason = " ".join(str(error).split())[:160].rstrip(".") or type(error).__name__
    return f"It failed on the way ({reason}): what was found so far stays; press the button again."


@dataclass
class SlicedRun(Generic[W]):
    """Some work that a page runs a little at a time."""

    work: W
    is_running: bool = True
    notice: str | None = None  # why it ended early, in one sentence

    def slice(self, seconds: float) -> None:
        """Runs on for about so long."""
        go_on(self, self.work, seconds)


@dataclass
class TimedRun(SlicedRun[W]):
    """The same where the clock matters: no two slices run at once, whoever's they are."""

    is_waiting: bool = False  # another reader's slice took this one's turn

    def slice(self, seconds: float) -> None:
        """Runs on for about so long, alone."""
        with one_at_a_time() as has_turn:
            self.is_waiting = not has_turn
            if has_turn:
                super().slice(seconds)

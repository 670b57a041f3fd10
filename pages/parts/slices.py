"""Work in slices: a little at a time, so that a page can be stopped between any two of them.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import time
from typing import Protocol


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


def go_on(run: Run, work: Work, seconds: float) -> None:
    """Advances a run's work for about so long; what cannot go on ends and says why."""
    started = time.perf_counter()
    try:
        while not work.is_done and time.perf_counter() - started < seconds:
            work.advance()
    except ValueError as error:
        run.is_running, run.notice = False, str(error)
    if work.is_done:
        run.is_running = False

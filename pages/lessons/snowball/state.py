"""What the snowball lesson keeps for one reader: a text, its fork, and runs in slices.

Knows nothing of Streamlit. The text is the lesson's own: what is pressed here leaves the first
page's text as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.snowball.context_loss import ContextRun
from model.snowball.error_compounding import ManyForks
from model.snowball.exposure import ExposureRun
from model.snowball.fork import Fork
from model.snowball.instruction_position import ConstraintRun
from model.snowball.long_generation import LongRun
from model.snowball.rewind_strategies import RewindRun
from pages.frame import slices
from pages.frame.slices import SlicedRun

LONGEST_PROMPT = 200  # tokens: a strip of more is no picture
N_LOOKS = 20  # at a run while it goes on


class Work(slices.Work, Protocol):
    """Something that is done bit by bit, and knows how far it is."""

    @property
    def done(self) -> float:
        """The fraction that is done."""


W = TypeVar("W", bound=Work)
S = TypeVar("S")


@dataclass
class WatchedRun(SlicedRun[W]):
    """Some work in slices, whose figures are drawn while it goes on."""

    seconds: float = 0.0  # that it took so far
    _seen: tuple[float, Any] = field(default=(-1.0, None), repr=False)  # when, and what

    @property
    def done(self) -> float:
        """The fraction that is done."""
        return min(1.0, self.work.done)

    def seen(self, look: Callable[[], S]) -> S:
        """Returns what is measured, looked at anew after every twentieth of the work.

        A figure that changes is drawn from nothing, so one that changed all the time would flicker.
        """
        at, found = self._seen
        if not self.is_running or self.done - at >= 1 / N_LOOKS:
            found = look()
            self._seen = (1.0 if not self.is_running else self.done, found)
        known: S = found
        return known

    def slice(self, seconds: float) -> None:
        """Runs on for about so long."""
        started = time.perf_counter()
        super().slice(seconds)
        self.seconds += time.perf_counter() - started


@dataclass
class ForkText:
    """The text to be forked: as long as it is written, then with a fork in it.

    Advances by one token of the untouched text, and then by one of both texts.
    """

    text: Generation
    settings: Settings
    n_tokens: int  # that the untouched text gets
    fork: Fork | None = None

    @property
    def n_written(self) -> int:
        """Tokens of the untouched text."""
        return len(self.text.steps)

    @property
    def is_written(self) -> bool:
        """Whether the untouched text has its length or its end."""
        return self.n_written >= self.n_tokens or self.text.finished is not None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to write."""
        return self.is_written and (self.fork is None or self.fork.is_done)

    @property
    def done(self) -> float:
        """The fraction that is written, of the fork where there is one."""
        if self.fork is None or not self.is_written:
            return self.n_written / max(1, self.n_tokens)
        return len(self.fork.steps) / max(1, self.fork.n_tokens)

    def advance(self) -> object:
        """Writes one token."""
        if not self.is_written or self.fork is None:
            return self.text.step(self.settings)
        return self.fork.advance()

    def start_at(self, place: int) -> Generation:
        """Returns a copy of the text that ends before the token at a place, 0 being the first."""
        if not 0 <= place < self.n_written:
            raise ValueError(f"Choose a place from 1 to {self.n_written}.")
        start = self.text.fork()
        start.rewind(self.n_written - place)
        return start

    def force(self, place: int, token_id: int) -> None:
        """Starts a fork, in place of the one before."""
        self.fork = Fork(self.start_at(place), token_id, self.settings, self.n_written - place)


@dataclass
class SnowLesson:
    """All that one reader has on the page."""

    lm: LanguageModel
    main: WatchedRun[ForkText]
    forks: WatchedRun[ManyForks] | None = None
    rewind: WatchedRun[RewindRun] | None = None
    constraint: WatchedRun[ConstraintRun] | None = None
    exposure: WatchedRun[ExposureRun] | None = None
    long: WatchedRun[LongRun] | None = None
    context: WatchedRun[ContextRun] | None = None
    notice: str | None = None  # why no other text was begun
    problems: dict[str, str] = field(default_factory=dict)  # why a run could not start, by its name

    @property
    def text(self) -> ForkText:
        """The text that is forked."""
        return self.main.work

"""What the diffusion lesson keeps for one reader: a page being filled, and what was measured.

Knows nothing of Streamlit. Whatever takes long runs in slices, so that the page can be stopped
between any two passes of a model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from model.diffusion.denoising import Diffusion
from model.diffusion.experiments import Sweep
from model.diffusion.infilling import Infilling
from model.diffusion.quality import second_look
from model.diffusion.race import Writing
from model.diffusion.records import Finisher
from model.loading import LanguageModel
from pages.frame.slices import TimedRun

Mode: TypeAlias = Literal["still", "play", "fill", "look"]


@dataclass
class PageRun:
    """A page of masks under the reader's hand."""

    page: Diffusion
    mode: Mode = "still"
    notice: str | None = None  # one sentence
    second: npt.NDArray[np.float64] | None = None  # (length,) what a second look found
    _looking: Iterator[tuple[float, ...]] | None = None
    _seen: list[float] = field(default_factory=list)

    def step(self) -> None:
        """Runs one pass."""
        self.notice = None
        if not self.page.finished:
            self._do(self.page.step)
        if self.page.finished and self.mode != "look":
            self.mode = "still"

    def back(self) -> None:
        """Takes one pass back."""
        self.mode, self.notice, self.second = "still", None, None
        if self.page.passes:
            self._do(self.page.back)

    def play(self) -> None:
        """Starts to run pass after pass, paced for the eye, or stops."""
        self.mode = "play" if self.mode == "still" and not self.page.finished else "still"

    def fill(self) -> None:
        """Starts to run all passes that are left, as fast as they go."""
        self.mode = "still" if self.page.finished else "fill"

    def look(self) -> None:
        """Starts to mask one position after another of the finished page."""
        page = self.page
        places = range(page.start, page.start + page.length)
        self._looking, self._seen = second_look(page.lm, page.ids, places), []
        self.mode = "look"

    @property
    def share_looked(self) -> float:
        """How much of the second look is done."""
        return len(self._seen) / self.page.length

    def tick(self, seconds: float) -> None:
        """Goes on with what is running: one pass to look at, or as many as fit into a slice."""
        started = time.perf_counter()
        if self.mode == "play":
            self.step()
        while self.mode in ("fill", "look") and time.perf_counter() - started < seconds:
            if self.mode == "fill":
                self.step()
            else:
                self._do(self._look_on)

    def _look_on(self) -> None:
        some = next(self._looking, None) if self._looking is not None else None
        if some is not None:
            self._seen += some
        if len(self._seen) == self.page.length:
            self.second, self._looking, self.mode = np.array(self._seen), None, "still"

    def _do(self, act: Callable[[], object]) -> None:
        try:
            act()
        except ValueError as error:
            self.mode, self.notice = "still", str(error)


@dataclass
class Ways:
    """One prompt written three ways, one after another, pass by pass."""

    waiting: list[tuple[str, Writing]]  # what is to run, first one first
    done: list[Finisher] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        """Whether all of them are written."""
        return not self.waiting

    def advance(self) -> None:
        """Runs one pass of the way whose turn it is."""
        written = next(self.waiting[0][1], None)
        if isinstance(written, Finisher):
            self.done.append(written)
            del self.waiting[0]


@dataclass
class GapRun:
    """A text with gaps that an encoder-decoder fills."""

    text: Infilling
    is_playing: bool = False
    notice: str | None = None

    def step(self) -> None:
        """Writes one token."""
        self.notice = None
        if self.text.finished is None:
            self._do(self.text.step)
        if self.text.finished is not None:
            self.is_playing = False

    def back(self) -> None:
        """Takes one token back."""
        self.is_playing, self.notice = False, None
        if self.text.written_ids:
            self._do(self.text.back)

    def play(self) -> None:
        """Starts to write by itself, or stops."""
        self.is_playing = not self.is_playing and self.text.finished is None

    def _do(self, act: Callable[[], object]) -> None:
        try:
            act()
        except ValueError as error:
            self.is_playing, self.notice = False, str(error)


@dataclass
class DiffusionLesson:
    """All that one reader has on the page."""

    lm: LanguageModel  # masked
    judge: LanguageModel  # causal
    run: PageRun
    notice: str | None = None  # why a wish was not taken
    sweep: TimedRun[Sweep] | None = None
    sweep_notice: str | None = None
    ways: TimedRun[Ways] | None = None
    ways_notice: str | None = None
    gaps: GapRun | None = None
    gaps_notice: str | None = None

    def stop_all(self) -> None:
        """Stops whatever runs by itself: two runs at once would each measure the other."""
        self.run.mode = "still"
        for run in (self.sweep, self.ways):
            if run is not None:
                run.is_running = False
        if self.gaps is not None:
            self.gaps.is_playing = False

"""What the cache lesson keeps for one reader: a text that grows, a race, and what they measured.

Knows nothing of Streamlit. The text is a copy of its own: what is pressed here leaves the first
page's text as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from model.generation import Generation
from model.kv_cache.experiments import Race, watch_rewind
from model.kv_cache.records import CacheMoment, FlopCheck, PrefixReuse, StateGap
from model.loading import LanguageModel
from model.pass_by_pass import PassByPass
from model.sampling import Settings
from pages.frame.slices import TimedRun

LONGEST_WALK = 256  # columns that can still be told apart


@dataclass
class Walk:
    """A text that is written here, step by step."""

    generation: Generation
    settings: Settings
    is_playing: bool = False
    notice: str | None = None  # one sentence
    moments: tuple[CacheMoment, ...] = ()  # of the last rewind that was watched

    @property
    def can_step(self) -> bool:
        """Whether another token has room, in the model's context and in the picture."""
        return self.generation.finished is None and len(self.generation.ids) < LONGEST_WALK

    @property
    def n_generated(self) -> int:
        """Tokens that can be taken back."""
        return len(self.generation.steps)

    def step(self) -> None:
        """Writes one token; where there is no room, stops playing and says so."""
        self.notice, self.moments = None, ()
        if self.can_step:
            self._do(lambda: self.generation.step(self.settings))
        if not self.can_step:
            self.is_playing = False
            self.notice = self._why_not()

    def play(self) -> None:
        """Starts to write by itself, or stops."""
        self.is_playing = not self.is_playing and self.can_step

    def back(self) -> None:
        """Takes one token back."""
        self.is_playing, self.notice, self.moments = False, None, ()
        if self.n_generated:
            self._do(lambda: self.generation.rewind(1))
            if self.notice is None:
                self.notice = self.generation.notice

    def watch(self) -> None:
        """Takes half of the generated tokens back in a copy, and keeps what was seen."""
        self.is_playing = False
        try:
            self.moments = watch_rewind(self.generation, max(1, self.n_generated // 2))
        except ValueError as error:
            self.notice = str(error)

    def _do(self, act: Callable[[], object]) -> None:
        try:
            act()
        except ValueError as error:
            self.is_playing, self.notice = False, str(error)

    def _why_not(self) -> str:
        reason = self.generation.finished
        if reason == "eos":
            return "The text is finished, the model wrote its end token: go back, or start again."
        if reason == "length":
            return "The text is finished, the model’s context is full: go back, or start again."
        return f"The picture ends at {LONGEST_WALK} columns: go back, or start again."


@dataclass
class RaceRun(TimedRun[Race]):
    """A race in slices, so that the page can be stopped between any two of them."""

    gap: StateGap | None = None
    checks: tuple[FlopCheck, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether all has been measured that will be."""
        return bool(self.checks)

    def slice(self, seconds: float) -> None:
        """Runs on for about so long, alone; looks at states and arithmetic once it has ended."""
        super().slice(seconds)
        if self.work.is_done:
            self.end()

    def end(self) -> None:
        """Stops, and checks what was reached so far; a check that fails leaves the figures."""
        self.is_running = False
        if not self.work.steps or self.is_over:
            return
        try:
            self.gap = self.work.compare_states()
            self.checks = self.work.check_flops()
        except ValueError as error:
            self.notice = str(error)


@dataclass
class CacheLesson:
    """All that one reader has on the page."""

    lm: LanguageModel
    walk: Walk
    race: RaceRun | None = None
    race_notice: str | None = None  # why no race began
    reuse: PrefixReuse | None = None  # the last that was read to its end
    reuse_run: TimedRun[PassByPass[PrefixReuse]] | None = None
    reuse_notice: str | None = None  # why none began

    @property
    def is_racing(self) -> bool:
        """Whether a race is being measured."""
        return self.race is not None and self.race.is_running

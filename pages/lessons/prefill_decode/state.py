"""What the lesson keeps for one reader: the model that is measured, its jobs, and a replay.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from model.job import Job, Work
from model.loading import LanguageModel
from model.prefill_decode.records import PhaseRun, Request
from pages.frame.lesson_state import LessonState


@dataclass
class Replay:
    """A text that was written once, shown again more slowly."""

    request: Request
    pieces: tuple[str, ...]  # the text after each token
    slower: float  # how many times
    started: float = field(default_factory=time.monotonic)

    @property
    def n_shown(self) -> int:
        """Tokens that are in hand by now."""
        now = (time.monotonic() - self.started) / self.slower
        return bisect_right(self.request.arrivals, now)

    @property
    def is_over(self) -> bool:
        """Whether the last token is in hand."""
        return self.n_shown >= self.request.n_out

    def finish(self) -> None:
        """Shows all of it at once."""
        self.started = float("-inf")


@dataclass
class PhaseLesson(LessonState):
    """All that one reader has on the page; `lm` is what is measured, be it a shape."""

    home: LanguageModel  # the page's model
    replay: Replay | None = None

    def measure(self, lm: LanguageModel) -> None:
        """Takes another model; what was measured of the one before is put away."""
        self.lm, self.replay, self.problem = lm, None, None
        self.jobs.clear()

    def start(self, work: Work[Any]) -> Job[Any]:
        """Starts to measure; what else goes on, on this page, would take time from it and ends."""
        job = Job(work, is_timed=True)
        for other in self.jobs.values():
            other.stop()
        if self.replay is not None:
            self.replay.finish()
        return job

    @property
    def is_measuring(self) -> bool:
        """Whether any part of the page measures."""
        return any(job.is_running for job in self.jobs.values())

    def found(self, key: str) -> Any:
        """Returns what a job found so far; None where it found nothing, or never ran."""
        return self.jobs[key].found if key in self.jobs else None

    @property
    def phases(self) -> PhaseRun | None:
        """The two phases, once both were seen."""
        run: PhaseRun | None = self.found("phase_phases")
        return run if run is not None and run.has_both_phases else None

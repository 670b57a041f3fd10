"""What the lesson keeps for one reader: the model that is measured, and its jobs.

Knows nothing of Streamlit.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from model.job import Job, Work
from model.loading import LanguageModel
from model.prefill_decode.records import PhaseRun
from pages.frame.lesson_state import LessonState


@dataclass
class PhaseLesson(LessonState):
    """All that one reader has on the page; `lm` is what is measured, be it a shape."""

    home: LanguageModel  # the page's model

    def measure(self, lm: LanguageModel) -> None:
        """Takes another model; what was measured of the one before is put away."""
        self.lm, self.problem = lm, None
        self.jobs.clear()

    def start(self, work: Work[Any]) -> Job[Any]:
        """Starts to measure; what else goes on, on this page, would take time from it and ends."""
        job = Job(work, is_timed=True)
        for other in self.jobs.values():
            other.stop()
        return job

    def stop_others(self, keys: Collection[str]) -> None:
        """Stops what runs under other keys: no page draws it, so that it would never end."""
        for key, job in self.jobs.items():
            if key not in keys and job.is_running:
                job.stop()

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

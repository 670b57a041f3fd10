"""A part of the page in figures: of what was measured here, and of a run recorded elsewhere."""

from abc import abstractmethod
from typing import Any

import streamlit as st

from model.job import Job
from model.prefill_decode.recordings import Recording
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import recorded_on
from pages.frame.offers import DEFAULT_MODEL
from pages.lessons.prefill_decode.settings import RECORDINGS, SETTINGS
from pages.lessons.prefill_decode.state import PhaseLesson


def chosen_recording() -> Recording | None:
    """Returns the recording that the reader laid beside, if any."""
    return RECORDINGS.get(SETTINGS["recording"])


def recording_beside(*, is_measured: bool) -> Recording | None:
    """Returns the recording that was chosen; the shipped model's where nothing was measured."""
    shipped = (one for one in RECORDINGS.values() if one.machine.model == DEFAULT_MODEL)
    return chosen_recording() or (None if is_measured else next(shipped, None))


class BesideRecording(Experiment[PhaseLesson]):
    """A section whose run stands beside the same of a recording, or waits behind it.

    Attributes:
        part: Which part of a recording is the same.
    """

    icon = TIMER
    part: str

    @property
    def measured(self) -> Any:
        """What was measured here; None while it is, or where nothing was."""
        job = self.lesson.jobs.get(self.key)
        return None if job is None or job.is_running else job.found

    @abstractmethod
    def _draw_run(self, run: Any) -> None:
        """Draws what was measured here or elsewhere."""

    def _draw(self, _job: Job[Any]) -> None:
        self._show(self.measured)

    def _idle(self) -> None:
        self._show(None)

    def _show(self, measured: Any) -> None:
        if measured is not None:
            self._draw_run(measured)
        recording = recording_beside(is_measured=measured is not None)
        if recording is None:
            return
        with recorded_on(recording.machine, "_rec"):
            self._draw_recording(recording)

    def _draw_recording(self, recording: Recording) -> None:
        """Draws a recording, then says what it ran on."""
        self._draw_run(getattr(recording, self.part))
        say_recorded(recording)


def say_recorded(recording: Recording) -> None:
    """Says when and on what a recording ran."""
    machine = recording.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    st.caption(f"Recorded {machine.date[:10]}: {recording.title}, {versions}.")

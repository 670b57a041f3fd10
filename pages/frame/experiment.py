"""A section of a lesson that measures: its claim, its job, what was found, the code that ran."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import streamlit as st

from model.job import Job
from model.recorded import recorded_job
from pages.frame.code_that_ran import show_code
from pages.frame.job_panel import SLICE_SECONDS, JobPanel
from pages.frame.lesson_state import LessonState
from pages.frame.question import lesson_asks, opening, was_answered

TIMER = ":material/timer:"


Kept = TypeVar("Kept", bound=LessonState)


class Experiment(ABC, Generic[Kept]):
    """One section, written in the order in which the page shows it.

    Attributes:
        lesson: What the reader has on the page.
        key: Of the job; the keys of its button, its row and its code begin with it.
        title: The headline; none where it is empty.
        is_part: Whether the headline is one below another section's.
        claim: What the section says, as Markdown; nothing where the page's sentence says it.
        button: What the button says that starts the job.
        icon: Of that button.
        recorded: The kind of what the job finds, where a recording stands there until it is run.
        seconds: Of work between two looks at the button.
        has_progress: Whether a bar says how far the job has come.
        draws_when_done: Whether findings wait until the job is over; the recording stays till then.
        said: Key of the question that the button waits for, where the section asks one.
        is_button_below: Whether controls and button stand below the findings, as a page asks first.
        code: The functions that made the numbers, if they are shown here.
    """

    key: str
    title: str = ""
    is_part: bool = False
    claim: str = ""
    button: str
    icon: str | None = None
    recorded: Any = None
    seconds: float = SLICE_SECONDS
    has_progress: bool = True
    draws_when_done: bool = False
    said: str | None = None
    is_button_below: bool = False
    code: tuple[Callable[..., Any], ...] = ()

    def __init__(self, lesson: Kept) -> None:
        """Takes what the reader has on the page."""
        self.lesson = lesson

    def show(self) -> None:
        """Draws the section, from top to bottom."""
        if self.title:
            (st.subheader if self.is_part else st.header)(self.title, anchor=False)
        opening(self.claim)
        self._begin()
        JobPanel(
            self.lesson.jobs,
            self.key,
            self.button,
            self._pause_and_start,
            self._draw,
            controls=self._fields,
            idle=self._idle,
            recorded=self.recorded,
            icon=self.icon,
            seconds=self.seconds,
            has_progress=self.has_progress,
            draws_when_done=self.draws_when_done,
            waits=self.said is not None and not was_answered(self.said),
            is_button_below=self.is_button_below or lesson_asks(),  # a scene speaks of the picture
        ).show()
        self._end()
        if self.code:
            show_code(*self.code, key=f"{self.key}_code")

    def found(self) -> Job[Any] | None:
        """Returns the job that has found something, or the recording, if there is one."""
        job = self.lesson.jobs.get(self.key)
        is_here = job is not None and job.found is not None
        return job if is_here or self.recorded is None else recorded_job(self.key, self.recorded)

    def _pause_and_start(self) -> Job[Any]:
        job = self._start()
        self.lesson.pause()
        return job

    def _begin(self) -> None:
        """Draws what stands between the claim and the button."""

    def _fields(self, is_running: bool) -> None:
        """Draws what the job is set up with, in the button's row."""

    @abstractmethod
    def _start(self) -> Job[Any]:
        """Makes the job; raise ValueError with one sentence where it cannot be."""

    @abstractmethod
    def _draw(self, job: Job[Any]) -> None:
        """Draws what was found so far, once there is something."""

    def _idle(self) -> None:
        """Draws what stands there while nothing was found yet."""

    def _end(self) -> None:
        """Draws what stands below the findings."""

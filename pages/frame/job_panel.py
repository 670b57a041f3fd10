"""A part of the page that runs for seconds: its controls, its button, its progress, its findings.

A running script cannot be interrupted by its own Stop button, so a job advances by a slice with
every tick of its fragment's clock, after all is drawn, so that nothing fades meanwhile. The clock
ticks only while the job goes on: starting and ending one draws the page once more.
"""

import time
from collections.abc import Callable, MutableMapping
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass
from typing import Any

import streamlit as st

from model.job import Job
from model.loading import LanguageModel
from model.machine.turns import TURNS
from model.recorded import recorded_job
from model.records import Machine
from model.timing import describe
from pages.frame.attempts import Attempts
from pages.frame.figures import recorded_on
from pages.frame.layout import show_error
from pages.frame.question import lesson_asks
from pages.frame.words import _, numeral
from viz.format import count

CLOCK_SECONDS = 0.15  # after which the next slice is asked for
SLICE_SECONDS = 0.35  # of work between two looks at the button
GRACE_SECONDS = 0.25  # after a job's end, in which a press was still meant for Stop

Jobs = MutableMapping[str, Job[Any]]  # a lesson's, by the key of their panels


@dataclass(frozen=True, eq=False)
class JobPanel:
    """A job's part of the page, drawn again and again while it goes on."""

    jobs: Jobs  # where the lesson keeps it
    key: str  # names it there, and begins the keys of its button and its row of controls
    title: str  # of the button that starts it, and stops it while it goes on
    start: Callable[[], Job[Any]]  # makes it; raises ValueError with a sentence where it cannot be
    draw: Callable[[Job[Any]], None]  # draws what was found so far
    _: KW_ONLY
    controls: Callable[[bool], None] | None = None  # in the button's row; told whether it goes on
    idle: Callable[[], None] | None = None  # draws what stands there while nothing was found yet
    recorded: Any = None  # the kind of what it finds, where a recording stands there until then
    icon: str | None = None  # of the button
    seconds: float = SLICE_SECONDS  # of work between two looks at the button
    has_progress: bool = True  # that a bar says how far the job has come
    waits: bool = False  # until a question is answered
    draws_when_done: bool = False  # not while it runs: a recording stays until then
    is_button_below: bool = False  # below what was found, and quieter

    def show(self) -> None:
        """Draws it."""
        has_clock = is_running(self.jobs, self.key)
        st.fragment(self._part, run_every=CLOCK_SECONDS if has_clock else None)(has_clock)

    def _part(self, has_clock: bool) -> None:
        job = self.jobs.get(self.key)
        with TURNS.drawing() if has_clock else nullcontext():
            self._draw_all(job, has_clock)
        if job is not None and job.is_running:
            job.run_for(self.seconds)
            if not job.is_running:
                st.session_state[f"{self.key}_ended"] = time.monotonic()
                st.rerun()

    def _draw_all(self, job: Job[Any] | None, has_clock: bool) -> None:
        if not self.is_button_below:
            self._row(job, has_clock)
        # one place, empty or not: what is below it does not mount anew
        with st.container(key=f"{self.key}_so_far"):
            if tried := st.session_state.get(f"{self.key}_tried"):
                show_error(tried.problem)
            if job is not None:
                _show_trouble(job)
        with st.container(key=f"{self.key}_found"):
            self._show_found(job)
        if self.is_button_below:
            self._row(job, has_clock)

    def _row(self, job: Job[Any] | None, has_clock: bool) -> None:
        """Draws the controls, the button, and how far it is."""
        # a tick of the clock may bring a press that then comes by itself as well: until one is
        # without, the button does nothing, so that the press that stopped does not start again
        is_settling = has_clock and not is_running(self.jobs, self.key)
        args = self.jobs, self.key
        press, more = (stop, args) if has_clock else (start_job, (*args, self.start))
        row = f"{self.key}_row"
        with st.container(horizontal=True, vertical_alignment="bottom", key=row):
            if self.controls is not None:
                self.controls(has_clock)
            is_pressed = st.button(
                _("Stop") if has_clock else self.title,
                key=f"{self.key}_run",  # one button of one type, so that it keeps the focus
                type="secondary" if self.is_button_below else "primary",
                on_click=None if is_settling else press,
                args=more,
                disabled=self.waits and not has_clock,
                icon=":material/stop:" if has_clock else self.icon,
            )
            # beside the button: what is below it stays
            if job is not None:
                _show_progress(job, has_bar=self.has_progress)
        is_late = is_running(self.jobs, self.key) and not has_clock
        if (is_settling and not is_pressed) or is_late:
            st.rerun()  # the clock starts and stops with the whole page

    def _show_found(self, job: Job[Any] | None) -> None:
        """Draws what was found, a recording until something was, or what stands in its place."""
        before = None if self.recorded is None else recorded_job(self.key, self.recorded)
        is_late = job is not None and job.is_running and self.draws_when_done
        if job is not None and job.found is not None and not is_late:
            self.draw(job)
        elif before is not None:
            self._show_recording(before)
        elif self.idle is not None:
            self.idle()

    def _show_recording(self, job: Job[Any]) -> None:
        """Draws what was found elsewhere; words below it, and below its question, say so."""
        machine = job.recorded_on
        assert machine is not None
        with recorded_on(machine):
            self.draw(job)
        if lesson_asks():  # a scene is about what is seen
            st.caption(f"Recorded {machine.date[:10]}.")
            return
        st.caption(
            f"Recorded {machine.date[:10]}: {machine.model} on {machine.where}. Press "
            f"“{self.title}” to measure it here."
        )


def is_running(jobs: Jobs, key: str) -> bool:
    """Tells whether there is such a job and it goes on."""
    return key in jobs and jobs[key].is_running


def start_job(jobs: Jobs, key: str, start: Callable[[], Job[Any]]) -> None:
    """Starts a job; if it cannot start, keeps the reason and the earlier result."""
    if time.monotonic() - st.session_state.get(f"{key}_ended", -GRACE_SECONDS) < GRACE_SECONDS:
        return
    with st.session_state.setdefault(f"{key}_tried", Attempts()).attempt():
        jobs[key] = start()


def stop(jobs: Jobs, key: str) -> None:
    """Ends a job, if it goes on; what it found stays."""
    if key in jobs:
        jobs[key].stop()


def measured_on(job: Job[Any], lm: LanguageModel) -> Machine:
    """Returns what a job ran on: this machine with the page's model, or that of a recording."""
    return job.recorded_on or describe(lm)


def _show_progress(job: Job[Any], *, has_bar: bool) -> None:
    progress = job.progress
    share = _(
        "{done} of {total} {unit}",
        done=numeral(count(progress.n_done)),
        total=numeral(count(progress.n_total)),
        unit=_(progress.unit),
    ).rstrip()
    if job.notice:
        return
    if job.is_running and (has_bar or job.place):
        in_line = _("number {number} in line: one job measures at a time", number=job.place + 1)
        doing = in_line if job.place else _(progress.doing)
        known = share if progress.n_total else ""
        st.progress(job.fraction, ": ".join(filter(None, [known, doing])) or share)
    elif not (job.is_running or job.is_done):
        st.caption(_("Stopped after {share}.", share=share) if progress.n_total else _("Stopped."))


def _show_trouble(job: Job[Any]) -> None:
    if job.notice:
        show_error(_(job.notice))
    if job.n_shared and not job.is_running:
        share = f"{count(job.n_shared)} of {count(job.n_parts)}"
        st.caption(
            f"Other readers were served during {share} of the timed passes: run it again for "
            "quieter times."
        )

"""A part of the page that runs for seconds: its controls, its button, its progress, its findings.

A running script cannot be interrupted by its own Stop button, so a job advances by a slice with
every tick of its fragment's clock, after all is drawn, so that nothing fades meanwhile. The clock
ticks only while the job goes on: starting and ending one draws the page once more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping
from typing import Any

import streamlit as st

from model.fast.turns import TURNS
from model.job import Job
from model.loading import LanguageModel
from model.recorded import recorded_job
from model.records import Machine
from model.timing import describe
from pages.frame.figures import recording
from viz.format import count

CLOCK_SECONDS = 0.15  # after which the next slice is asked for
SLICE_SECONDS = 0.35  # of work between two looks at the button
GRACE_SECONDS = 0.25  # after a job's end, in which a press was still meant for Stop

Jobs = MutableMapping[str, Job[Any]]  # a lesson's, by the key of their panels


def show_job(
    jobs: Jobs,
    key: str,
    title: str,
    start: Callable[[], Job[Any]],
    show: Callable[[Job[Any]], None],
    *,
    controls: Callable[[bool], None] | None = None,
    idle: Callable[[], None] | None = None,
    recorded: Any = None,
    icon: str | None = None,
    seconds: float = SLICE_SECONDS,
) -> None:
    """Draw a job's part of the page, again and again while it goes on.

    Args:
        jobs: Where the lesson keeps it.
        key: Names it there, and begins the keys of its button and its row of controls.
        title: Of the button that starts it, and stops it while it goes on.
        start: Makes the job; raises ValueError with one sentence where it cannot be. What was found
            before then stays.
        show: Draws what was found so far.
        controls: Draws what the job is set up with, in the button's row; told whether one is going
            on, so that it can be disabled.
        idle: Draws what stands in the place of `show` while nothing was found yet.
        recorded: The kind of what it finds; then a recording stands in the place of `idle`.
        icon: Of the button, such as ":material/timer:".
        seconds: Of work between two looks at the button.
    """
    has_clock = is_running(jobs, key)
    st.fragment(_part, run_every=CLOCK_SECONDS if has_clock else None)(
        jobs, key, title, start, show, controls, idle, recorded, icon, seconds, has_clock
    )


def _part(
    jobs: Jobs,
    key: str,
    title: str,
    start: Callable[[], Job[Any]],
    show: Callable[[Job[Any]], None],
    controls: Callable[[bool], None] | None,
    idle: Callable[[], None] | None,
    recorded: Any,
    icon: str | None,
    seconds: float,
    has_clock: bool,
) -> None:
    if has_clock:
        TURNS.give_way()  # who waits for a single step is served before this is drawn again
    # a tick of the clock may bring a press that then comes by itself as well: until one is without,
    # the button does nothing, so that what was stopped is not started by the same press
    is_settling = has_clock and not is_running(jobs, key)
    press, *args = (stop, jobs, key) if has_clock else (start_job, jobs, key, start)
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}_row"):
        if controls is not None:
            controls(has_clock)
        is_pressed = st.button(
            "Stop" if has_clock else title,
            key=f"{key}_run",  # one button of one type, so that it keeps the focus
            type="primary",
            on_click=None if is_settling else press,
            args=args,
            icon=":material/stop:" if has_clock else icon,
        )
    if (is_settling and not is_pressed) or (is_running(jobs, key) and not has_clock):
        st.rerun()  # the clock starts and stops with the whole page
    if problem := st.session_state.get(f"{key}_problem"):
        st.error(problem)
    job = jobs.get(key)
    if job is not None:
        _show_progress(job)
    _show_found(job, key, title, show, idle, recorded)
    if job is not None and job.is_running:
        job.run_for(seconds)
        if not job.is_running:
            st.session_state[f"{key}_ended"] = time.monotonic()
            st.rerun()


def is_running(jobs: Jobs, key: str) -> bool:
    """Tell whether there is such a job and it goes on."""
    return key in jobs and jobs[key].is_running


def start_job(jobs: Jobs, key: str, start: Callable[[], Job[Any]]) -> None:
    """Start a job; where that cannot be, keep why, and what was found before stays."""
    if time.monotonic() - st.session_state.get(f"{key}_ended", -GRACE_SECONDS) < GRACE_SECONDS:
        return
    try:
        jobs[key] = start()
    except ValueError as error:
        st.session_state[f"{key}_problem"] = str(error)
    else:
        st.session_state.pop(f"{key}_problem", None)


def stop(jobs: Jobs, key: str) -> None:
    """End a job, if it goes on; what it found stays."""
    if key in jobs:
        jobs[key].stop()


def _show_found(
    job: Job[Any] | None,
    key: str,
    title: str,
    show: Callable[[Job[Any]], None],
    idle: Callable[[], None] | None,
    recorded: Any,
) -> None:
    """Draw what was found, a recording until something was, or what stands in its place."""
    before = None if recorded is None else recorded_job(key, recorded)
    if job is not None and job.found is not None:
        show(job)
    elif before is not None:
        _show_recording(before, title, show)
    elif idle is not None:
        idle()


def _show_recording(job: Job[Any], title: str, show: Callable[[Job[Any]], None]) -> None:
    """Draw what was found elsewhere, under words that say so."""
    machine = job.recorded_on
    assert machine is not None
    st.caption(
        f"Recorded {machine.date[:10]}: {machine.model} on {machine.where}. Press “{title}” to "
        "measure it here."
    )
    with recording(machine):
        show(job)


def measured_on(job: Job[Any], lm: LanguageModel) -> Machine:
    """Return what a job ran on: this machine with the page's model, or that of a recording."""
    return job.recorded_on or describe(lm)


def _show_progress(job: Job[Any]) -> None:
    progress = job.progress
    share = f"{count(progress.n_done)} of {count(progress.n_total)} {progress.unit}".rstrip()
    if job.notice:
        st.error(job.notice)
    elif job.is_running:
        in_line = f"number {job.place + 1} in line: one job measures at a time"
        doing = in_line if job.place else progress.doing
        known = share if progress.n_total else ""
        st.progress(job.fraction, ": ".join(filter(None, [known, doing])) or share)
    elif not job.is_done:
        st.caption(f"Stopped after {share}." if progress.n_total else "Stopped.")
    if job.n_shared and not job.is_running:
        share = f"{count(job.n_shared)} of {count(job.n_parts)}"
        st.caption(
            f"Other readers were served during {share} of the timed passes: run it again for "
            "quieter times."
        )

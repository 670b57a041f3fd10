"""What the parts of the snowball lesson share: a part that runs, its progress, its provenance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from model.loading import LanguageModel
from pages.frame.running import halt, in_slices, is_running, start_or_stop
from pages.lessons.snowball.state import SnowLesson, WatchedRun
from viz.format import duration

SLICE = 0.4  # seconds of the model's work between two looks at the buttons


def live_part(lesson: SnowLesson, name: str, draw: Callable[[], None]) -> None:
    """Draw a part of the page, again and again while its run goes on.

    Args:
        lesson: What the reader has here.
        name: Of the lesson's field that holds the run.
        draw: Draws the part, its run included.
    """
    in_slices(lambda: getattr(lesson, name), draw, SLICE)


def run_part(
    lesson: SnowLesson, name: str, title: str, start: Callable[[], None], doing: str
) -> None:
    """Show the button of a run, its progress, and why it could not start or ended early.

    Args:
        lesson: What the reader has here.
        name: Of the lesson's field that holds the run; keys of the widgets begin with it.
        title: Of the button that starts it.
        start: Puts a new run into the field, or raises ValueError with the remedy.
        doing: What the run does a percentage of.
    """
    run: WatchedRun[Any] | None = getattr(lesson, name)
    start_or_stop(
        is_running=is_running(run),
        title=title,
        key=f"snow_{name}",
        start=lambda: _start(lesson, name, start),
        stop=lambda: halt(run),
    )
    if lesson.problems.get(name):
        st.error(lesson.problems[name])
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    if run.is_running:
        st.progress(run.done, f"{round(100 * run.done)} % of {doing}")
    elif not run.work.is_done:
        st.caption(f"Stopped at {round(100 * run.done)} %: what is shown was measured until then.")


def _start(lesson: SnowLesson, name: str, start: Callable[[], None]) -> None:
    """Start a run; where that cannot be, what was measured before stays."""
    try:
        start()
    except ValueError as error:
        lesson.problems[name] = str(error)
    else:
        lesson.problems.pop(name, None)


def took(run: WatchedRun[Any], lm: LanguageModel) -> str:
    """Say on what something was measured, and how long that took."""
    return f"On {lm.name}, {lm.where}, in {duration(run.seconds)}."

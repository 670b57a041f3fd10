"""What the parts of the snowball lesson share: a part that runs, its figures, its provenance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from model.loading import LanguageModel
from pages.parts.snow_state import Sliced, SnowLesson
from viz.chart import Chart
from viz.palette import Theme
from viz.units import duration

TICK = 0.15  # seconds after which the next slice is asked for
SLICE = 0.4  # seconds of the model's work between two looks at the buttons


def theme_now() -> Theme:
    """Return the theme that the reader's browser shows."""
    return "dark" if st.context.theme.type == "dark" else "light"


def where_of(lm: LanguageModel) -> str:
    """Say on which model, device and numbers something was measured."""
    return f"{lm.name}, {lm.device}, {str(lm.dtype).removeprefix('torch.')}"


def show_chart(chart: Chart, key: str) -> None:
    """Show a figure, and below it what it says and where its numbers come from."""
    st.plotly_chart(
        chart.figure, key=key, theme=None, alt=chart.alt, config={"displayModeBar": False}
    )
    st.caption(chart.caption)


def show_charts(charts: Sequence[tuple[Chart, str]]) -> None:
    """Show figures side by side."""
    for column, (chart, key) in zip(st.columns(len(charts), gap="medium"), charts, strict=True):
        with column:
            show_chart(chart, key)


def live_part(lesson: SnowLesson, name: str, draw: Callable[[], None]) -> None:
    """Draw a part of the page, again and again while its run goes on.

    A running script cannot be interrupted by its own Stop button, so a run advances by a slice with
    every tick of its fragment's clock, after all is drawn, so that nothing fades meanwhile.

    Args:
        lesson: What the reader has here.
        name: Of the lesson's field that holds the run.
        draw: Draws the part, its run included.
    """
    has_clock = _is_running(lesson, name)
    st.fragment(_part, run_every=TICK if has_clock else None)(lesson, name, draw, has_clock)


def _part(lesson: SnowLesson, name: str, draw: Callable[[], None], has_clock: bool) -> None:
    if _is_running(lesson, name) != has_clock:
        st.rerun()  # the clock starts and stops with the whole page
    draw()
    if _is_running(lesson, name):
        getattr(lesson, name).slice(SLICE)
        if not _is_running(lesson, name):
            st.rerun()


def _is_running(lesson: SnowLesson, name: str) -> bool:
    run: Sliced[Any] | None = getattr(lesson, name)
    return run is not None and run.is_running


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
    run: Sliced[Any] | None = getattr(lesson, name)
    if run is not None and run.is_running:
        st.button("Stop", key=f"snow_{name}_stop", on_click=_stop, args=(run,))
    else:
        arguments = (lesson, name, start)
        st.button(title, key=f"snow_{name}_run", type="primary", on_click=_start, args=arguments)
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


def _stop(run: Sliced[Any]) -> None:
    run.is_running = False


def took(run: Sliced[Any], lm: LanguageModel) -> str:
    """Say on what something was measured, and how long that took."""
    return f"On {where_of(lm)}, in {duration(run.seconds)}."

"""A part of the page that measures: its buttons, its progress, its Stop, and what it found."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.parts.phase_state import Experiment, PhaseLesson, SlicedRun
from viz.chart import Chart
from viz.palette import Theme
from viz.units import percent

SLICE_SECONDS = 0.5  # of measuring between two looks at the buttons
CLOCK_SECONDS = 0.1  # after which the next slice is asked for


def theme_now() -> Theme:
    """Return the theme that the reader's browser shows."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show_chart(chart: Chart, key: str) -> None:
    """Show a figure, and below it what it says and where its numbers come from."""
    st.plotly_chart(
        chart.figure, key=key, theme=None, alt=chart.alt, config={"displayModeBar": False}
    )
    st.caption(chart.caption)


def show_run(
    lesson: PhaseLesson,
    part: str,
    make: Callable[[], Experiment],
    draw: Callable[[SlicedRun], None],
    controls: Callable[[bool], None] | None = None,
    word: str = "Start",
) -> None:
    """Offer an experiment, and show it while it runs and when it is over.

    Args:
        lesson: The reader's.
        part: Name of this part of the page; widgets' keys begin with it.
        make: Makes the experiment at the press; raises ValueError with a sentence.
        draw: Shows what was found so far.
        controls: Draws further widgets beside the button; is told whether they are disabled.
        word: What the button says.
    """
    is_running = lesson.is_running(part)
    st.fragment(_run, run_every=CLOCK_SECONDS if is_running else None)(
        lesson, part, make, draw, controls, word, is_running
    )


def _run(
    lesson: PhaseLesson,
    part: str,
    make: Callable[[], Experiment],
    draw: Callable[[SlicedRun], None],
    controls: Callable[[bool], None] | None,
    word: str,
    has_clock: bool,
) -> None:
    if lesson.is_running(part) != has_clock:
        st.rerun()  # the fragment's clock starts and stops with the whole page
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"phase_{part}_buttons"):
        if controls is not None:
            controls(has_clock)
        _button(lesson, part, make, word)
    if part in lesson.notices:
        st.error(lesson.notices[part])
    run = lesson.runs.get(part)
    if run is None:
        return
    _progress(run)
    draw(run)
    if run.is_running:
        run.slice(SLICE_SECONDS)  # after all is drawn, so that nothing fades while it runs
        if not run.is_running:
            st.rerun()


def _button(lesson: PhaseLesson, part: str, make: Callable[[], Experiment], word: str) -> None:
    if lesson.is_running(part):
        st.button(
            "Stop",
            key=f"phase_{part}_stop",
            on_click=lesson.runs[part].stop,
            icon=":material/stop:",
        )
        return
    st.button(
        word,
        key=f"phase_{part}_start",
        type="primary",
        on_click=_begin,
        args=(lesson, part, make),
        icon=":material/timer:",
    )


def _begin(lesson: PhaseLesson, part: str, make: Callable[[], Experiment]) -> None:
    """Start; where that is not possible say why and leave what was measured before."""
    lesson.playing = None
    try:
        experiment = make()
    except ValueError as error:
        lesson.notices[part] = str(error)
    else:
        lesson.begin(part, experiment)


def _progress(run: SlicedRun) -> None:
    experiment = run.experiment
    if run.notice:
        st.error(run.notice)
    if run.is_running:
        share = min(1.0, experiment.n_done / experiment.n_total)
        waiting = "waiting for another reader’s measurement; " if run.is_waiting else ""
        st.progress(share, f"{percent(share)}: {waiting}{experiment.doing}")
    elif run.was_stopped and run.notice is None:
        st.caption("Stopped: what was measured until then stays.")

"""A part of the page that measures: its buttons, its progress, its Stop, and what it found."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from model.pass_by_pass import PassByPass
from pages.frame.running import in_slices, start_or_stop
from pages.lessons.prefill_decode.state import Experiment, PartRun, PhaseLesson
from viz.format import percent

SLICE_SECONDS = 0.5  # of measuring between two looks at the buttons


def show_run(
    lesson: PhaseLesson,
    part: str,
    make: Callable[[], Experiment],
    draw: Callable[[PartRun], None],
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
    in_slices(
        lambda: lesson.runs.get(part),
        lambda: _run(lesson, part, make, draw, controls, word),
        SLICE_SECONDS,
    )


def _run(
    lesson: PhaseLesson,
    part: str,
    make: Callable[[], Experiment],
    draw: Callable[[PartRun], None],
    controls: Callable[[bool], None] | None,
    word: str,
) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"phase_{part}_buttons"):
        if controls is not None:
            controls(lesson.is_running(part))
        start_or_stop(
            is_running=lesson.is_running(part),
            title=word,
            key=f"phase_{part}",
            start=lambda: _begin(lesson, part, make),
            stop=lambda: lesson.runs[part].stop(),
            icon=":material/timer:",
            start_key=f"phase_{part}_start",
        )
    if part in lesson.notices:
        st.error(lesson.notices[part])
    run = lesson.runs.get(part)
    if run is None:
        return
    _progress(run)
    draw(run)


def _begin(lesson: PhaseLesson, part: str, make: Callable[[], Experiment]) -> None:
    """Start; where that is not possible say why and leave what was measured before."""
    try:
        experiment = make()
    except ValueError as error:
        lesson.notices[part] = str(error)
    else:
        lesson.begin(part, experiment)


def _progress(run: PartRun) -> None:
    experiment = run.work
    if run.notice:
        st.error(run.notice)
    if run.is_running:
        share = min(1.0, experiment.n_done / experiment.n_total)
        waiting = "waiting for another reader’s measurement; " if run.is_waiting else ""
        st.progress(share, f"{percent(share)}: {waiting}{experiment.doing}")
    elif run.was_stopped and run.notice is None:
        if isinstance(experiment, PassByPass):
            st.caption("Stopped before there was a result: press the button again for one.")
        else:
            st.caption("Stopped: what was measured until then stays.")

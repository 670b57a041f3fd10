"""The constraint lesson's second part: argmax, a little temperature, and a beam from one prompt."""

from __future__ import annotations

import streamlit as st

from pages.frame.figures import show_chart, theme_now
from pages.frame.running import in_slices, run_button, show_problem
from pages.lessons.constraints.state import N_BEAMS, N_TEXTS, ConstraintLesson, start_ways
from viz.constraints.ways_chart import ways_figure, ways_table
from viz.format import count


def show_ways(lesson: ConstraintLesson) -> None:
    """Offer the run, and show it as far as it has come."""
    st.header("Ways out of the corner", anchor=False)
    st.markdown(
        "**A little temperature sometimes takes the other turn; a beam looks ahead and compares "
        "whole beginnings.** Where the wrong turn is likelier by far, a little temperature does "
        "not help."
    )
    in_slices(lambda: lesson.ways, lambda: _ways(lesson))


def _ways(lesson: ConstraintLesson) -> None:
    run_button(
        lesson.ways,
        f"Write {N_TEXTS} texts at each temperature, and search with {N_BEAMS} beams",
        "constraint_ways",
        lambda: _start(lesson),
    )
    show_problem("constraint_ways")
    run = lesson.ways
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    if run.is_running:
        st.progress(run.done, f"{count(run.n_done)} of {count(run.n_all)} texts")
    ways = run.ways()
    if len(ways) < 2:
        return
    show_chart(ways_figure(ways, theme_now()), "constraint_ways_chart")
    st.dataframe(ways_table(ways), hide_index=True, key="constraint_ways_table")


def _start(lesson: ConstraintLesson) -> None:
    lesson.now.is_playing = False
    lesson.ways = start_ways(lesson.now)

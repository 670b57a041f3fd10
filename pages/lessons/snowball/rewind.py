"""The snowball lesson's third part: stop, go back to the bad token, choose again."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.generation import Generation
from model.snowball.error_compounding import estimate
from model.snowball.rewind_strategies import RewindRun
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.lessons.snowball.job_panel import live_part, run_part, took
from pages.lessons.snowball.state import SnowLesson, WatchedRun
from viz.format import nats
from viz.snowball.rewind_chart import choices_table, work_figure

WAITS = (1, 4, 16)  # and to the end


def show_rewind(lesson: SnowLesson) -> None:
    """Offer the run on the fork above, and show it as far as it has come."""
    st.header("Stop, go back, choose again", anchor=False)
    st.markdown(
        "**Going back to the bad token costs only what came after it: what stands before is kept, "
        "cache and all.** The sooner somebody looks, the less is thrown away. The token is the one "
        "that you forced above."
    )
    live_part(lesson, "rewind", lambda: _rewind(lesson))
    show_code(RewindRun.advance, Generation.rewind, key="snow_code_rewind")


def _rewind(lesson: SnowLesson) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        run_part(
            lesson,
            "rewind",
            "Deal with it five ways",
            lambda: _start(lesson),
            "five ways",
        )
    run = lesson.rewind
    if run is None or not run.work.choices:
        return
    choices = run.work.choices
    show_chart(work_figure(choices, run.work.n_tokens, theme_now()), "snow_work")
    st.dataframe(
        choices_table(choices),
        hide_index=True,
        key="snow_ways",
        column_config={
            "way": st.column_config.TextColumn(width=110),
            "text from there on": st.column_config.TextColumn(width=620),
        },
    )
    st.caption(f"{took(run, lesson.lm)} {_words(lesson)}")


def _words(lesson: SnowLesson) -> str:
    """Say what the quality is measured by, and what a hundred forks say of it."""
    words = (
        "Surprise and distinct pairs of neighbouring tokens are of what follows the bad place. "
        "Chosen again by the coin of its place, the text is what it would have been. "
        "Little surprise is no proof of a good text: a dull one has less."
    )
    forks = lesson.forks.work.forks() if lesson.forks else None
    if forks is None:
        return f"{words} One text shows little of quality: the hundred forks above show more."
    gap = estimate(np.nanmean(forks.right, axis=1) - np.nanmean(forks.wrong, axis=1))
    return (
        f"{words} Over {gap.n} forks a bad token left as it is costs what follows "
        f"{nats(gap.mean)} ± {gap.half_width:.2f} a token (95 %)."
    )


def _start(lesson: SnowLesson) -> None:
    fork = lesson.text.fork
    if fork is None or not fork.steps:
        raise ValueError("There is no bad token yet: force one at the top of the page.")
    place = int(st.session_state["snow_place"]) - 1
    n_tokens = lesson.text.n_written - place
    waits = [*(wait for wait in WAITS if wait < n_tokens), n_tokens]
    work = RewindRun(
        lesson.text.start_at(place), fork.wrong_id, lesson.text.settings, n_tokens, waits
    )
    lesson.rewind = WatchedRun(work)

"""The snowball lesson's fourth part: a constraint before the first token, and after m tokens."""

from __future__ import annotations

import streamlit as st

from model.sampling import Settings
from model.snowball.instruction_position import ConstraintRun
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.lessons.snowball.job_panel import live_part, run_part, took
from pages.lessons.snowball.state import SnowLesson, WatchedRun
from viz.format import plural
from viz.snowball.instruction_chart import reached_figure, version_html

BEGINNING = "Once upon a time there was a little girl named Lily."
CONSTRAINT = "She had a big dragon."
WORDS = "dragon"
N_TOKENS = 96
N_TEXTS = 16
TEMPERATURE = 0.8


def show_constraint(lesson: SnowLesson) -> None:
    """Offer the run, and show it as far as it has come."""
    st.header("A constraint first, or late", anchor=False)
    st.markdown(
        "**Context works forward only: what is put in before the first token shapes all of them; "
        "put in after m tokens, it cannot reach those m.** The same seeds write all versions."
    )
    live_part(lesson, "constraint", lambda: _constraint(lesson))
    show_code(ConstraintRun.advance, key="snow_code_constraint")


def _constraint(lesson: SnowLesson) -> None:
    left, middle, right = st.columns([3, 2, 1], gap="small")
    with left:
        st.text_input("Beginning", BEGINNING, key="snow_beginning", persist_state="session")
    with middle:
        st.text_input("Constraint", CONSTRAINT, key="snow_constraint", persist_state="session")
    with right:
        st.text_input(
            "Seen by",
            WORDS,
            key="snow_words",
            persist_state="session",
            help="Words, with commas between them: a text that has one has met the constraint.",
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "m, tokens",
            min_value=1,
            max_value=N_TOKENS - 1,
            value=32,
            key="snow_late",
            width=130,
            persist_state="session",
        )
        run_part(
            lesson,
            "constraint",
            f"Write 3 × {N_TEXTS} texts",
            lambda: _start(lesson),
            plural(3 * N_TEXTS, "text"),
        )
    run = lesson.constraint
    if run is None or not run.work.n_written:
        return
    found, theme = run.seen(run.work.constraint), theme_now()
    show_chart(reached_figure(found, N_TOKENS, theme), "snow_reached")
    columns = st.columns(len(found.examples), gap="medium")
    for column, (name, version) in zip(columns, found.examples.items(), strict=True):
        with column:
            st.markdown(f"**{name[0].upper()}{name[1:]}**")
            st.html(version_html(version, run.work.words, theme))
    st.caption(
        f"{took(run, lesson.lm)} The first of {plural(N_TEXTS, 'text')} of each version, "
        f"temperature {TEMPERATURE:g}; blue is given, with an outline what was put in late, "
        "underlined what shows the constraint."
    )


def _start(lesson: SnowLesson) -> None:
    state = st.session_state
    work = ConstraintRun(
        lesson.lm,
        state["snow_beginning"],
        state["snow_constraint"],
        state["snow_words"].split(","),
        Settings(temperature=TEMPERATURE),
        n_before=int(state["snow_late"]),
        n_tokens=N_TOKENS,
        n_texts=N_TEXTS,
    )
    lesson.constraint = WatchedRun(work)

"""The snowball lesson's sixth part: texts out to the end of the context."""

from __future__ import annotations

import streamlit as st

from model.held_out import held_out
from model.sampling import Settings
from model.snowball.long_generation import Kind, LongRun, repeats
from model.tokenizing import encode
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_charts, theme_now
from pages.lessons.snowball.job_panel import live_part, run_part, took
from pages.lessons.snowball.state import SnowLesson, WatchedRun
from viz.format import count
from viz.snowball.long_chart import long_surprise_figure, repeats_figure
from viz.strip import paragraph

LENGTHS = (256, 512, 1024, 2048)
PROMPT = "Once upon a time"
KINDS = (
    Kind("greedy", Settings(temperature=0), 1),
    Kind("T = 0.8", Settings(temperature=0.8), 4),
)
PEOPLE = "books, by people"


def show_long(lesson: SnowLesson) -> None:
    """Offer the run, and show it as far as it has come."""
    st.header("Long texts lose the thread", anchor=False)
    st.markdown(
        "**The longer a model writes, the more it repeats itself, and nothing tells it so.** "
        "Its own surprise stays low all the while: it does not notice. Books repeat little and go "
        "on surprising it."
    )
    live_part(lesson, "long", lambda: _long(lesson))
    show_code(LongRun.advance, repeats, key="snow_code_long")


def _long(lesson: SnowLesson) -> None:
    limit = lesson.lm.context_length or LENGTHS[-1]
    lengths = [length for length in LENGTHS if length < limit]
    if limit <= LENGTHS[-1]:
        lengths.append(limit)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Tokens",
            lengths,
            index=min(1, len(lengths) - 1),
            format_func=lambda n: f"{count(n)}, all it reads" if n == limit else count(n),
            key="snow_long_length",
            width=200,
        )
        run_part(lesson, "long", "Write on and on", lambda: _start(lesson), "each text")
    run = lesson.long
    if run is None:
        return
    found, theme = run.seen(run.work.texts), theme_now()
    show_charts(
        [
            (repeats_figure(found, theme), "snow_repeats"),
            (long_surprise_figure(found, theme), "snow_long_surprise"),
        ]
    )
    if not run.is_running:
        for column, name, ending in zip(
            st.columns(len(found.names), gap="medium"), found.names, found.endings, strict=True
        ):
            with column:
                st.markdown(f"**{name}**, the last words")
                st.html(paragraph(f"… {ending}"))
    st.caption(
        f"{took(run, lesson.lm)} One greedy text and four at T = 0.8 after “{PROMPT}”; the end "
        "token is taken out before each draw, so none may end. Three held-out books are read "
        "beside them. Bands are 95 % intervals over texts."
    )


def _start(lesson: SnowLesson) -> None:
    lm, n_tokens = lesson.lm, st.session_state["snow_long_length"]
    books = [encode(lm, book)[:n_tokens] for book in held_out("books")]
    lesson.long = WatchedRun(LongRun(lm, encode(lm, PROMPT), KINDS, n_tokens, books, PEOPLE))

"""The sixth part: texts out to the end of the context."""

from __future__ import annotations

import streamlit as st

from model.held_out import held_out
from model.job import Job
from model.sampling import Settings
from model.snowball.long_generation import Kind, generate_long, repeats
from model.snowball.records import LongTexts
from model.tokenizing import encode
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_charts, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.snowball.settings import SETTINGS
from pages.lessons.snowball.state import SnowballLesson, provenance
from viz.format import count
from viz.snowball.long_chart import long_surprise_figure, repeats_figure
from viz.strip import paragraph

LENGTHS = (512, 256, 1024, 2048)  # the first is chosen before the reader does
PROMPT = "Once upon a time"
KINDS = (
    Kind("greedy", Settings(temperature=0), 1),
    Kind("T = 0.8", Settings(temperature=0.8), 4),
)
PEOPLE = "books, by people"


def show_long(lesson: SnowballLesson) -> None:
    """Offer the job, and show what it has measured."""
    st.header("Long generation", anchor=False)
    st.markdown(
        "**The longer a model writes, the more it repeats itself, and nothing tells it so.** "
        "Its own surprise stays low all the while. Books repeat little and keep surprising it."
    )
    show_job(
        lesson.jobs,
        "snowball_long",
        "Generate to this length",
        lambda: _start(lesson),
        lambda job: _show(lesson, job),
        controls=lambda _: _controls(lesson),
    )
    show_code(generate_long, repeats, key="snowball_code_long")


def _controls(lesson: SnowballLesson) -> None:
    limit = lesson.lm.context_length or max(LENGTHS)
    lengths = [length for length in LENGTHS if length < limit]
    if limit <= max(LENGTHS):
        lengths.append(limit)
    SETTINGS.widget(
        "length",
        options=lengths,
        format_func=lambda n: f"{count(n)}, the whole context" if n == limit else count(n),
        width=220,
    )


def _start(lesson: SnowballLesson) -> Job[LongTexts]:
    lm, n_tokens = lesson.lm, SETTINGS["length"]
    books = [encode(lm, book) for book in held_out("books")]
    return Job(generate_long(lm, encode(lm, PROMPT), KINDS, n_tokens, books, PEOPLE))


def _show(lesson: SnowballLesson, job: Job[LongTexts]) -> None:
    texts, theme = job.found, theme_now()
    assert texts is not None
    show_charts(
        [
            (repeats_figure(texts, theme), "snowball_repeats"),
            (long_surprise_figure(texts, theme), "snowball_long_surprise"),
        ]
    )
    if not job.is_running:
        columns = st.columns(len(texts.names), gap="medium")
        for column, name, ending in zip(columns, texts.names, texts.endings, strict=True):
            with column:
                st.markdown(f"**{name}**, the last words")
                st.html(paragraph(f"… {ending}"))
    st.caption(
        f"{provenance(job, lesson.lm)} One greedy text and four at T = 0.8 after “{PROMPT}”. The "
        "end token is taken out before each draw, so that no text ends. Three held-out books are "
        "read beside them. Bands are 95 % intervals over texts."
    )

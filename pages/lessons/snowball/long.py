"""The sixth part: texts out to the end of the context."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

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

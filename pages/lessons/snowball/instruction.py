"""The fourth part: an instruction before the first token, and after m tokens."""

from __future__ import annotations

import streamlit as st

from model.job import Job
from model.sampling import Settings
from model.snowball.instruction_position import place_instruction
from model.snowball.records import InstructionPosition
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.snowball.settings import N_WRITTEN, SETTINGS
from pages.lessons.snowball.state import SnowballLesson, provenance
from viz.format import plural
from viz.snowball.instruction_chart import followed_figure, version_html

N_TEXTS = 16
TEMPERATURE = 0.8


def show_instruction(lesson: SnowballLesson) -> None:
    """Offer the job, and show what it has measured."""
    st.header("Instruction position", anchor=False)
    st.markdown(
        "**Context works forward only: an instruction before the first token shapes all of them; "
        "one that comes after m tokens cannot reach those m.** All versions are written with the "
        "same seeds."
    )
    left, middle, right = st.columns([3, 2, 1], gap="small")
    for column, name in ((left, "beginning"), (middle, "instruction"), (right, "words")):
        with column:
            SETTINGS.widget(name)
    show_job(
        lesson.jobs,
        "snowball_instruction",
        f"Write 3 × {N_TEXTS} texts",
        lambda: _start(lesson),
        lambda job: _show(lesson, job),
        controls=lambda _: SETTINGS.widget("after", width=130),
    )
    show_code(place_instruction, key="snowball_code_instruction")


def _start(lesson: SnowballLesson) -> Job[InstructionPosition]:
    return Job(
        place_instruction(
            lesson.lm,
            SETTINGS["beginning"],
            SETTINGS["instruction"],
            SETTINGS["words"].split(","),
            Settings(temperature=TEMPERATURE),
            n_before=SETTINGS["after"],
            n_tokens=N_WRITTEN,
            n_texts=N_TEXTS,
        )
    )


def _show(lesson: SnowballLesson, job: Job[InstructionPosition]) -> None:
    position, theme = job.found, theme_now()
    assert position is not None
    show_chart(followed_figure(position, N_WRITTEN, theme), "snowball_followed")
    columns = st.columns(len(position.examples), gap="medium")
    for column, (name, version) in zip(columns, position.examples.items(), strict=True):
        with column:
            st.markdown(f"**{name[0].upper()}{name[1:]}**")
            st.html(version_html(version, position.words, theme))
    st.caption(
        f"{provenance(job, lesson.lm)} The first of {plural(N_TEXTS, 'text')} of each version, "
        f"temperature {TEMPERATURE:g}. Blue is given, an outline marks the late instruction, and "
        "an underline marks the words that follow it."
    )

"""The snowball lesson below its title: the reader's state, then its parts from top to bottom."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.sampling import Settings
from pages.parts.link import DEFAULT_PROMPT
from pages.parts.models import DEFAULT_MODEL, shared_model
from pages.parts.session import Session
from pages.parts.snow_constraint import show_constraint
from pages.parts.snow_context import show_context
from pages.parts.snow_exposure import show_exposure
from pages.parts.snow_fork import N_TOKENS, TEMPERATURE, show_fork
from pages.parts.snow_forks import show_forks
from pages.parts.snow_long import show_long
from pages.parts.snow_rewind import show_rewind
from pages.parts.snow_state import LONGEST_PROMPT, ForkText, Sliced, SnowLesson

LESSON = "snow_lesson"


def show_snowball_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = _lesson(waiting)
    waiting.empty()
    show_fork(lesson)
    show_forks(lesson)
    show_rewind(lesson)
    show_constraint(lesson)
    show_exposure(lesson)
    show_long(lesson)
    show_context(lesson)


def _lesson(waiting: DeltaGenerator) -> SnowLesson:
    """Return what the reader has here; anew where the first page has another model by now."""
    lesson: SnowLesson | None = st.session_state.get(LESSON)
    reader: Session | None = st.session_state.get("reader")
    if lesson is None or (reader is not None and reader.lm is not lesson.lm):
        if reader is None:
            lm = shared_model(DEFAULT_MODEL, progress=lambda doing: _say(waiting, doing))
            text = Generation(lm, DEFAULT_PROMPT)
        else:
            lm, seed = reader.lm, reader.seed
            text = Generation(lm, reader.generation.prompt_ids[:LONGEST_PROMPT], seed)
        settings = Settings(temperature=st.session_state.get("snow_temperature", TEMPERATURE))
        lesson = SnowLesson(lm, Sliced(ForkText(text, settings, N_TOKENS)))
        st.session_state[LESSON] = lesson
    return lesson


def _say(waiting: DeltaGenerator, doing: str) -> None:
    waiting.caption(f"{doing}…")

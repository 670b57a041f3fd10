"""The snowball lesson below its title: the reader's state, then its parts from top to bottom."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from pages.parts.link import DEFAULT_PROMPT
from pages.parts.reader import home_session, kept_lesson
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
    lesson = kept_lesson(LESSON, waiting, _begin)
    waiting.empty()
    show_fork(lesson)
    show_forks(lesson)
    show_rewind(lesson)
    show_constraint(lesson)
    show_exposure(lesson)
    show_long(lesson)
    show_context(lesson)


def _begin(lm: LanguageModel, _old: SnowLesson | None) -> SnowLesson:
    """Begin with the home page's prompt, as far as the picture has room for it."""
    reader = home_session()
    if reader is None:
        text = Generation(lm, DEFAULT_PROMPT)
    else:
        text = Generation(lm, reader.generation.prompt_ids[:LONGEST_PROMPT], reader.seed)
    settings = Settings(temperature=st.session_state.get("snow_temperature", TEMPERATURE))
    return SnowLesson(lm, Sliced(ForkText(text, settings, N_TOKENS)))

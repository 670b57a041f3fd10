"""The cache lesson below its title: the reader's state, then its parts from top to bottom."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from pages.parts.kv_growth import show_growth
from pages.parts.kv_plan import show_plan
from pages.parts.kv_race import show_race
from pages.parts.kv_reuse import show_reuse
from pages.parts.kv_state import LONGEST_WALK, CacheLesson, Walk
from pages.parts.link import DEFAULT_PROMPT
from pages.parts.reader import home_session, kept_lesson

LESSON = "kv_lesson"
SETTINGS = Settings(temperature=0.8, top_p=0.9)


def show_cache_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = kept_lesson(LESSON, waiting, _begin)
    waiting.empty()
    lm = lesson.lm
    st.caption(f"On {lm.name}, {lm.where}.")
    show_growth(lesson)
    show_race(lesson)
    show_plan()
    show_reuse(lesson)


def _begin(lm: LanguageModel, _old: CacheLesson | None) -> CacheLesson:
    """Begin with a copy of the first page's text, or its prompt where the picture has no room."""
    reader = home_session()
    if reader is None:
        return CacheLesson(lm, Walk(Generation(lm, DEFAULT_PROMPT), SETTINGS))
    generation = reader.generation.fork()
    if len(generation.ids) >= LONGEST_WALK:
        generation = Generation(lm, generation.ids[: LONGEST_WALK // 4], reader.seed)
    return CacheLesson(lm, Walk(generation, reader.controls.settings()))

"""The cache lesson below its title: the reader's state, then its parts from top to bottom."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.sampling import Settings
from pages.parts.kv_growth import show_growth
from pages.parts.kv_plan import show_plan
from pages.parts.kv_race import show_race
from pages.parts.kv_reuse import show_reuse
from pages.parts.kv_state import LONGEST_WALK, CacheLesson, Walk
from pages.parts.link import DEFAULT_PROMPT
from pages.parts.models import DEFAULT_MODEL, shared_model
from pages.parts.session import Session

LESSON = "kv_lesson"
SETTINGS = Settings(temperature=0.8, top_p=0.9)


def show_cache_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = _lesson(waiting)
    waiting.empty()
    lm = lesson.lm
    st.caption(f"On {lm.name}, {lm.device}, {str(lm.dtype).removeprefix('torch.')}.")
    show_growth(lesson)
    show_race(lesson)
    show_plan()
    show_reuse(lesson)


def _lesson(waiting: DeltaGenerator) -> CacheLesson:
    """Return what the reader has here; anew where the first page has another model by now."""
    lesson: CacheLesson | None = st.session_state.get(LESSON)
    reader: Session | None = st.session_state.get("reader")
    if lesson is None or (reader is not None and reader.lm is not lesson.lm):
        lesson = _from_reader(reader) if reader else _from_nothing(waiting)
        st.session_state[LESSON] = lesson
    return lesson


def _from_reader(reader: Session) -> CacheLesson:
    """Begin with a copy of the first page's text, or its prompt where the picture has no room."""
    generation = reader.generation.fork()
    if len(generation.ids) >= LONGEST_WALK:
        generation = Generation(reader.lm, generation.ids[: LONGEST_WALK // 4], reader.seed)
    return CacheLesson(reader.lm, Walk(generation, reader.controls.settings()))


def _from_nothing(waiting: DeltaGenerator) -> CacheLesson:
    lm = shared_model(DEFAULT_MODEL, progress=lambda doing: _say(waiting, doing))
    return CacheLesson(lm, Walk(Generation(lm, DEFAULT_PROMPT), SETTINGS))


def _say(waiting: DeltaGenerator, doing: str) -> None:
    waiting.caption(f"{doing}…")

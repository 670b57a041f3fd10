"""The beam-search lesson below its title: the reader's state, then its parts from top to bottom."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from pages.parts.beam_costs import show_costs
from pages.parts.beam_exact import show_exact
from pages.parts.beam_growth import show_growth
from pages.parts.beam_state import FIRST_LOOK, BeamLesson, Wish, grow
from pages.parts.models import DEFAULT_MODEL, shared_model
from pages.parts.session import Session

LESSON = "beam_lesson"


def show_beam_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = _lesson(waiting)
    waiting.empty()
    show_growth(lesson)
    show_exact(lesson)
    show_costs(lesson)


def _lesson(waiting: DeltaGenerator) -> BeamLesson:
    """Return what the reader has here; anew where the first page has another model by now."""
    lesson: BeamLesson | None = st.session_state.get(LESSON)
    reader: Session | None = st.session_state.get("reader")
    if lesson is None or (reader is not None and reader.lm is not lesson.lm):
        lm = reader.lm if reader else _load(waiting)
        wish = Wish() if lesson is None else lesson.growing.wish
        lesson = BeamLesson(lm, grow(lm, wish, FIRST_LOOK))
        st.session_state[LESSON] = lesson
    return lesson


def _load(waiting: DeltaGenerator) -> LanguageModel:
    def say(doing: str) -> None:
        waiting.caption(f"{doing}…")

    return shared_model(DEFAULT_MODEL, progress=say)

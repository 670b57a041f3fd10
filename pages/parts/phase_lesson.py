"""The lesson of the two phases below its title: the reader's state, then its parts in order."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.timing import describe
from pages.parts.models import DEFAULT_MODEL, shared_model
from pages.parts.phase_batches import show_batches
from pages.parts.phase_cost import show_cost
from pages.parts.phase_pace import show_pace
from pages.parts.phase_recorded import show_recorded
from pages.parts.phase_roofline import show_roofline
from pages.parts.phase_scores import show_scores
from pages.parts.phase_shapes import show_shapes
from pages.parts.phase_state import PhaseLesson
from pages.parts.phase_stream import show_stream
from pages.parts.session import Session
from viz.units import digits

LESSON = "phase_lesson"


def show_phase_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = _lesson(waiting)
    waiting.empty()
    machine = describe(lesson.lm)
    st.caption(
        f"On {machine.model}, {digits(machine.n_parameters / 1e6)} million parameters, "
        f"{machine.where}."
    )
    show_shapes(lesson)
    show_pace(lesson)
    show_stream(lesson)
    show_roofline(lesson)
    show_batches(lesson)
    show_cost(lesson)
    show_scores(lesson)
    show_recorded()


def _lesson(waiting: DeltaGenerator) -> PhaseLesson:
    """Return what the reader has here; anew where the first page has another model by now."""
    lesson: PhaseLesson | None = st.session_state.get(LESSON)
    reader: Session | None = st.session_state.get("reader")
    if lesson is None or (reader is not None and reader.lm is not lesson.home):
        if reader is not None:
            lm = reader.lm
        else:
            lm = shared_model(DEFAULT_MODEL, progress=lambda doing: _say(waiting, doing))
        lesson = PhaseLesson(lm, lm)
        st.session_state[LESSON] = lesson
    return lesson


def _say(waiting: DeltaGenerator, doing: str) -> None:
    waiting.caption(f"{doing}…")

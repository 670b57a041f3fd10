"""The lesson of the two phases below its title: the reader's state, then its parts in order."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from model.timing import describe
from pages.frame.course import show_summary
from pages.frame.lesson_state import lesson_state
from pages.frame.link import offer_link
from pages.lessons.prefill_decode.bounds import Batching, PaddingOfPrompts, RooflineOfThisDevice
from pages.lessons.prefill_decode.cost import show_cost
from pages.lessons.prefill_decode.pace import BothPhases
from pages.lessons.prefill_decode.scores import Scores
from pages.lessons.prefill_decode.settings import SETTINGS
from pages.lessons.prefill_decode.shapes import show_shapes
from pages.lessons.prefill_decode.state import PhaseLesson
from pages.lessons.prefill_decode.stream import Streaming
from viz.format import digits

LESSON = "phase_lesson"


def show_phase_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(
        LESSON, waiting, _begin, model_of=lambda lesson: lesson.home, settings=SETTINGS
    )
    machine = describe(lesson.lm)
    caption = (
        f"On {machine.model}, {digits(machine.n_parameters / 1e6)} million parameters, "
        f"{machine.where}."
    )
    BothPhases(lesson).show()
    offer_link(SETTINGS, lesson.home, caption=caption)
    show_summary(
        "pages/prefill_decode.py",
        *(Streaming.title, RooflineOfThisDevice.title, Batching.title),
        *("Cost per token", Scores.title),
        asked="phase_said",
    )
    with st.expander("Another machine’s run beside it: an H100, a model of 8B", key="phase_beside"):
        SETTINGS.widget("recording", width=420)
    show_shapes(lesson)
    Streaming(lesson).show()
    RooflineOfThisDevice(lesson).show()
    Batching(lesson).show()
    PaddingOfPrompts(lesson).show()
    show_cost(lesson)
    Scores(lesson).show()


def _begin(lm: LanguageModel, _old: PhaseLesson | None) -> PhaseLesson:
    return PhaseLesson(lm, lm)

"""The lesson of the two phases below its title: the reader's state, then its parts in order."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from model.timing import describe
from pages.frame.course import follow_moved, show_summary
from pages.frame.lesson_state import lesson_state
from pages.frame.link import offer_link
from pages.frame.second_run import draw_in_second_run
from pages.frame.settings_table import SettingsTable
from pages.lessons.prefill_decode.pace import BothPhases, show_clocks
from pages.lessons.prefill_decode.settings import MEASURED, PHASES, SETTINGS
from pages.lessons.prefill_decode.shapes import show_shapes
from pages.lessons.prefill_decode.state import PhaseLesson
from pages.lessons.prefill_decode.stream import Streaming
from viz.format import digits

LESSON = "phase_lesson"
PATH = "pages/prefill_decode.py"


def show_phase_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    follow_moved(PATH, PHASES, MEASURED)
    lesson = begin_phases(waiting, BothPhases.key, Streaming.key)
    say_where = show_clocks(lesson)
    show_summary(PATH, BothPhases.title, Streaming.title, asked="phase_said")
    say_where()
    offer_phase_link(lesson, PHASES)
    draw_in_second_run(lambda: _show_laboratory(lesson))


def _show_laboratory(lesson: PhaseLesson) -> None:
    BothPhases(lesson).show()
    show_other_machines(lesson)
    Streaming(lesson).show()


def begin_phases(waiting: DeltaGenerator, *keys: str) -> PhaseLesson:
    """Returns the reader's state, which the lesson and its laboratory share.

    Args:
        waiting: Where to say what is being loaded.
        keys: Of the jobs of the page that is shown; those of the other page are stopped.
    """
    lesson = lesson_state(
        LESSON, waiting, _begin, model_of=lambda lesson: lesson.home, settings=SETTINGS
    )
    lesson.stop_others(keys)
    return lesson


def offer_phase_link(lesson: PhaseLesson, settings: SettingsTable) -> None:
    """Offers the link of one of the two pages; what was measured says on which machine."""
    machine = describe(lesson.lm)
    caption = (
        f"The model is {machine.model}, of {digits(machine.n_parameters / 1e6)} million parameters."
    )
    offer_link(settings, lesson.home, caption=caption)


def show_other_machines(lesson: PhaseLesson) -> None:
    """Lets the reader lay a recorded run beside the page's, or measure another architecture."""
    with st.expander("Another machine’s run beside it: an H100, a model of 8B", key="phase_beside"):
        SETTINGS.widget("recording", width=420)
    show_shapes(lesson)


def _begin(lm: LanguageModel, _old: PhaseLesson | None) -> PhaseLesson:
    return PhaseLesson(lm, lm)

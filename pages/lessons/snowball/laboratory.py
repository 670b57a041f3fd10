"""The laboratory of error propagation: what becomes of true text and of the model's own."""

from streamlit.delta_generator import DeltaGenerator

from pages.frame.link import offer_link
from pages.frame.second_run import draw_in_second_run
from pages.lessons.snowball.errors import ErrorCompounding
from pages.lessons.snowball.held_out import (
    ContextLengths,
    ExposureBias,
    ExposureInWords,
)
from pages.lessons.snowball.lesson import begin_snowball
from pages.lessons.snowball.settings import MEASURED
from pages.lessons.snowball.state import SnowballLesson, text_in_link
from pages.lessons.snowball.written import (
    InstructionPlacing,
    KeepingTheThread,
    LongGeneration,
)

_SECTIONS = (
    ExposureInWords,
    ErrorCompounding,
    InstructionPlacing,
    LongGeneration,
    KeepingTheThread,
    ContextLengths,
)


def show_teacher_forcing(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = begin_snowball(waiting)
    ExposureBias(lesson).show()
    draw_in_second_run(lambda: _show_rest(lesson))


def _show_rest(lesson: SnowballLesson) -> None:
    for section in _SECTIONS:
        section(lesson).show()
    offer_link(MEASURED, lesson.lm, lambda: text_in_link(lesson))

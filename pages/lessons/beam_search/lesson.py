"""The beam-search lesson below its title: the reader's state, then its parts from top to bottom."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from pages.frame.lesson_state import lesson_state
from pages.lessons.beam_search.costs import show_costs
from pages.lessons.beam_search.exact import show_exact
from pages.lessons.beam_search.growth import put_in, show_growth, wish_now
from pages.lessons.beam_search.settings import SETTINGS
from pages.lessons.beam_search.state import FIRST_LOOK, BeamLesson, Wish, grow

LESSON = "beam_lesson"


def show_beam_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    try:
        lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    except ValueError as error:  # the first page's model has no room even for the example
        waiting.error(str(error))
        return
    waiting.empty()
    show_growth(lesson)
    show_exact(lesson)
    show_costs(lesson)


def _begin(lm: LanguageModel, old: BeamLesson | None) -> BeamLesson:
    """Search anew for what was searched with the model before, or for what a link asks."""
    if old is not None:
        try:
            return BeamLesson(lm, grow(lm, old.growing.wish, FIRST_LOOK))
        except ValueError as error:
            lesson = BeamLesson(lm, grow(lm, Wish(), FIRST_LOOK))
            lesson.growing.notice = f"{error} The first example stands here instead."
            put_in(Wish())
            return lesson
    return BeamLesson(lm, grow(lm, wish_now(SETTINGS["searched"]), FIRST_LOOK))

"""The beam-search lesson below its title: the reader's state, then its parts from top to bottom."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from pages.frame.lesson_state import lesson_state
from pages.lessons.beam_search.costs import show_costs
from pages.lessons.beam_search.exact import show_exact
from pages.lessons.beam_search.settings import SETTINGS, put_request, request_now
from pages.lessons.beam_search.state import N_FIRST_STEPS, BeamLesson, SearchRequest, begin
from pages.lessons.beam_search.steps import show_steps

LESSON = "beam_lesson"


def show_beam_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    try:
        lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    except ValueError as error:  # the first page's model has no room even for the example
        waiting.error(str(error))
        return
    waiting.empty()
    show_steps(lesson)
    show_exact(lesson)
    show_costs(lesson)


def _begin(lm: LanguageModel, old: BeamLesson | None) -> BeamLesson:
    """Search anew for what was searched with the model before, or for what a link asks."""
    if old is None:
        return BeamLesson(lm, begin(lm, request_now(SETTINGS["searched"]), N_FIRST_STEPS))
    try:
        return BeamLesson(lm, begin(lm, old.stepper.steps.request, N_FIRST_STEPS))
    except ValueError as error:
        lesson = BeamLesson(lm, begin(lm, SearchRequest(), N_FIRST_STEPS))
        lesson.stepper.problem = f"{error} The page shows its first example instead."
        put_request(SearchRequest())
        return lesson

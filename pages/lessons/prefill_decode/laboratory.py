"""The laboratory of the two phases: the roofline, batches, and what a token costs."""

from streamlit.delta_generator import DeltaGenerator

from pages.frame.second_run import draw_in_second_run
from pages.lessons.prefill_decode.bounds import (
    Batching,
    PaddingOfPrompts,
    PassesUnderTheRoof,
    RooflineOfThisDevice,
)
from pages.lessons.prefill_decode.cost import ENERGY, show_cost
from pages.lessons.prefill_decode.lesson import (
    begin_phases,
    offer_phase_link,
    show_other_machines,
)
from pages.lessons.prefill_decode.scores import ScoringRun
from pages.lessons.prefill_decode.settings import MEASURED
from pages.lessons.prefill_decode.state import PhaseLesson

_MEASURED = (RooflineOfThisDevice, Batching, PaddingOfPrompts, ScoringRun)


def show_roofline_and_cost(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = begin_phases(waiting, *(section.key for section in _MEASURED), ENERGY)
    RooflineOfThisDevice(lesson).show()
    draw_in_second_run(lambda: _show_rest(lesson))


def _show_rest(lesson: PhaseLesson) -> None:
    show_other_machines(lesson)
    offer_phase_link(lesson, MEASURED)
    for section in (PassesUnderTheRoof, Batching, PaddingOfPrompts):
        section(lesson).show()
    show_cost(lesson)
    ScoringRun(lesson).show()

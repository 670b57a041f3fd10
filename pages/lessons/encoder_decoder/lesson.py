"""The encoder-decoder below its title: a text with gaps, what is written there, and both caches."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.encoder_decoder.gaps import with_sentinels
from model.encoder_decoder.infilling import Infilling
from model.loading import LanguageModel, LoadError
from model.tokenizing import labels_of, labels_of_text
from pages.frame.code_that_ran import show_code
from pages.frame.course import show_summary
from pages.frame.figures import draw_when_opened, show_charts
from pages.frame.layout import CannotBeginError, show_error
from pages.frame.lesson_state import SteppedLesson, progress_caption
from pages.frame.link import asked_model, begin_by_link, offer_link, show_faults
from pages.frame.models import shared_model
from pages.frame.question import answered, opening
from pages.frame.stepper import PassSteps, Stepper, show_stepper
from pages.lessons.encoder_decoder.settings import SETTINGS
from viz.encoder_decoder.charts import bytes_figure, caches_figure, gap_text_html
from viz.encoder_decoder.machines import machines_html
from viz.format import duration

LESSON = "gap_lesson"
PLAY_SECONDS = 0.6
SAID = "gap_said"
GUESSES = ("throne", "tree", "chair")  # for the first gap of the page's own text


class GapSteps(PassSteps[Infilling]):
    """The tokens of an answer; the sentinel of a gap comes in one step with the first of its words.

    Attributes:
        first: What will be written into the first gap.
    """

    def __init__(self, text: Infilling) -> None:
        """Writes ahead until the first gap is filled, and takes that back."""
        super().__init__(text)
        while self.can_step and len(text.answers) < 2:
            self.step()
        self.first = "".join(text.answers[:1]).strip()
        self.reset()

    def step(self) -> None:
        """Writes a token, and behind a sentinel the next one as well."""
        super().step()
        while self.can_step and self.engine.is_at_sentinel:
            super().step()

    def back(self) -> None:
        """Takes the last step back."""
        super().back()
        while self.can_go_back and self.engine.is_at_sentinel:
            super().back()


class GapLesson(SteppedLesson[GapSteps]):
    """All that one reader has on the page."""


def show_gap_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson: GapLesson | None = st.session_state.get(LESSON)
    if lesson is None:
        try:
            lesson = begin_by_link(SETTINGS, lambda: _begin(waiting))
        except LoadError as error:
            raise CannotBeginError(*error.args) from error
        st.session_state[LESSON] = lesson
    waiting.empty()
    show_faults(SETTINGS)
    opening(
        "A model that writes from left to right never sees those words. So here are two "
        "machines: one reads, the other writes."
    )
    show_stepper(lambda: lesson.stepper, lambda: _draw(lesson), PLAY_SECONDS)
    show_code(Infilling.step, Infilling._encode, with_sentinels, key="gap_code")
    offer_link(SETTINGS, lesson.lm, caption=f"The model is {lesson.lm.shown}.")
    show_summary("pages/encoder_decoder.py", asked=SAID)


def _begin(waiting: DeltaGenerator) -> GapLesson:
    name = asked_model(SETTINGS) or SETTINGS.default_model
    lm = shared_model(name, progress=progress_caption(waiting))
    return GapLesson(lm, _steps_of(lm))


def _steps_of(lm: LanguageModel) -> Stepper[GapSteps]:
    """Reads the text of the field."""
    return Stepper(GapSteps(Infilling(lm, SETTINGS["gaps"])), "gap")


def _read(lesson: GapLesson) -> None:
    """Reads another text; if it cannot be read, the one on the page stays."""
    with lesson.attempt():
        lesson.stepper = _steps_of(lesson.lm)
        st.session_state.pop(SAID, None)


def _draw(lesson: GapLesson) -> None:
    stepper = lesson.stepper
    text, lm = stepper.steps.engine, lesson.lm
    st.html(gap_text_html(text.segments, is_over=not stepper.steps.can_step))
    is_said = _asked(stepper.steps.first)
    stepper.show(waits=not is_said)
    source, written = labels_of_text(lm, text.source_ids), labels_of(lm, text.written_ids)
    st.html(machines_html(source, written, is_over=not stepper.steps.can_step))
    if not is_said:
        return
    SETTINGS.widget("gaps", on_change=_read, args=(lesson,))
    show_error(lesson.problem)
    draw_when_opened("Two caches", lambda: _show_inside(text), key="gap_inside")


def _asked(right: str) -> bool:
    """Asks for the first gap, where one of the guesses is right; tells whether it may be filled."""
    return right not in GUESSES or answered(
        "What will it write into the first gap?", GUESSES, right, SAID
    )


def _show_inside(text: Infilling) -> None:
    """Shows what each machine keeps, and how a gap is written."""
    if text.written_ids:
        caches = text.look()
        grid, sizes = caches_figure(caches), bytes_figure(caches)
        show_charts([(grid, "gap_caches"), (sizes, "gap_bytes")], widths=(5, 3))
    st.caption(
        f"The encoder took {duration(text.encoder_seconds)}. Each gap is read as a token of its "
        "own, `<extra_id_0>` and so on; the answer repeats it and goes on with what the gap holds. "
        "A decoder-only model has one stack and one cache."
    )

"""The encoder-decoder below its title: a gap before several endings, both machines and caches."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.encoder_decoder.gaps import with_sentinels
from model.encoder_decoder.infilling import Infilling
from model.generation import Generation
from model.loading import LanguageModel, LoadError
from model.tokenizing import labels_of, labels_of_text, text_of
from pages.frame.code_that_ran import show_code
from pages.frame.course import show_summary
from pages.frame.figures import show_charts
from pages.frame.layout import CannotBeginError, show_error
from pages.frame.lesson_state import SteppedLesson, progress_caption
from pages.frame.link import asked_model, begin_by_link, offer_link, show_faults
from pages.frame.models import shared_model
from pages.frame.offers import DEFAULT_MODEL
from pages.frame.question import answered, opening
from pages.frame.second_run import is_whole
from pages.frame.stepper import PassSteps, Stepper, show_stepper
from pages.frame.story import BIRD
from pages.lessons.encoder_decoder.settings import BEGINNING, ENDINGS, SETTINGS, text_with
from viz.encoder_decoder.charts import bytes_figure, caches_figure, gap_text_html
from viz.encoder_decoder.endings import endings_html
from viz.encoder_decoder.machines import machines_html
from viz.format import duration

LESSON = "gap_lesson"
PLAY_SECONDS = 0.6
SAID = "gap_said"
QUESTION = "A model that goes left to right cannot see the fish. What does it write?"
GUESSES = ("pond", "tree", "sky")  # of what is written without the ending
MAX_WORDS = 12  # tokens in the gap of an ending


class GapSteps(PassSteps[Infilling]):
    """The tokens of an answer; the sentinel of a gap comes with the first of its words."""

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


@dataclass
class GapLesson(SteppedLesson[GapSteps]):
    """All that one reader has on the page.

    Attributes:
        unseen: What the shipped causal model writes there, which sees no ending.
        words: What is written before each of the endings.
    """

    unseen: str = ""
    words: tuple[str, ...] = ()


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
    opening("An encoder reads all of a text; then a decoder fills its gap.")
    st.fragment(_endings)(lesson)
    show_summary("pages/encoder_decoder.py", asked=SAID)
    is_own = SETTINGS["gaps"] != text_with(ENDINGS[0])
    title = "Another text, token by token, and the two caches"
    inside = st.expander(title, expanded=is_own, key="gap_inside", on_change="rerun")
    if inside.open or is_whole():
        with inside:
            show_stepper(lambda: lesson.stepper, lambda: _inside(lesson), PLAY_SECONDS)
    show_code(Infilling.step, Infilling._encode, with_sentinels, key="gap_code")
    offer_link(SETTINGS, lesson.lm, caption=f"The model is {lesson.lm.shown}.")


def _begin(waiting: DeltaGenerator) -> GapLesson:
    name = asked_model(SETTINGS) or SETTINGS.default_model
    lm = shared_model(name, progress=progress_caption(waiting))
    unseen = word_unseen(shared_model(DEFAULT_MODEL))
    return GapLesson(lm, stepper=_steps_of(lm), unseen=unseen, words=words_of(lm))


def word_unseen(lm: LanguageModel) -> str:
    """Returns what a causal model finds likeliest in the gap: it sees what is before it alone."""
    text = Generation(lm, f"{BIRD} {BEGINNING}")
    return text_of(lm.tokenizer, [int(text.logits.argmax())]).strip()


def words_of(lm: LanguageModel) -> tuple[str, ...]:
    """Returns what a model writes into the gap before each of the page's endings."""
    words = []
    for ending in ENDINGS:
        text = Infilling(lm, text_with(ending), MAX_WORDS)
        while not text.finished:
            text.step()
        words.append("".join(text.answers).strip())
    return tuple(words)


def _steps_of(lm: LanguageModel) -> Stepper[GapSteps]:
    """Reads the text of the field."""
    return Stepper(GapSteps(Infilling(lm, SETTINGS["gaps"])), "gap")


def _read(lesson: GapLesson) -> None:
    """Reads another text; if it cannot be read, the one on the page stays."""
    with lesson.attempt():
        lesson.stepper = _steps_of(lesson.lm)


def _endings(lesson: GapLesson) -> None:
    """Asks for the word of a model that sees no ending; then all words are uncovered."""
    is_said = lesson.unseen not in GUESSES or answered(QUESTION, GUESSES, lesson.unseen, SAID)
    words = lesson.words if is_said else (None,) * len(ENDINGS)
    unseen = lesson.unseen if is_said else None
    st.html(endings_html(BIRD, BEGINNING, ENDINGS, words, unseen=unseen))


def _inside(lesson: GapLesson) -> None:
    """Shows both machines over a text of the reader's, and what each of them keeps."""
    stepper = lesson.stepper
    text, lm = stepper.steps.engine, lesson.lm
    is_over = not stepper.steps.can_step
    SETTINGS.widget("gaps", on_change=_read, args=(lesson,))
    show_error(lesson.problem)
    st.html(gap_text_html(text.segments, is_over=is_over))
    stepper.show()
    source, written = labels_of_text(lm, text.source_ids), labels_of(lm, text.written_ids)
    st.html(machines_html(source, written, is_over=is_over))
    st.caption(
        f"The encoder took {duration(text.encoder_seconds)}. Each gap is read as a token of its "
        "own, `<extra_id_0>` and so on; the answer repeats it and goes on with what the gap holds. "
        "A decoder-only model has one stack and one cache."
    )
    if text.written_ids:
        caches = text.look()
        grid, sizes = caches_figure(caches), bytes_figure(caches)
        show_charts([(grid, "gap_caches"), (sizes, "gap_bytes")], widths=(5, 3))

"""Models on held-out text: after true tokens, after their own, and from more and more context."""

import math
from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import streamlit as st

from model.held_out import held_out
from model.job import Job
from model.loading import SHIPPED, LanguageModel
from model.recorded import recorded_job
from model.snowball.context_loss import measure_context_loss, predict
from model.snowball.exposure import expected_surprise, measure_exposure
from model.snowball.records import BIAS, ContextLoss, Exposure
from model.tokenizing import encode, shares_vocabulary, vocabulary_labels
from pages.frame.claims import BY_ID
from pages.frame.code_that_ran import show_code
from pages.frame.course import show_summary
from pages.frame.experiment import Experiment
from pages.frame.figures import recorded_on, show_caption, show_chart, show_charts, show_folded
from pages.frame.models import shared_model
from pages.frame.offers import offered_models
from pages.frame.question import answered, opening, was_answered
from pages.frame.words import N_, _
from pages.lessons.snowball.settings import SETTINGS
from pages.lessons.snowball.state import SnowballLesson, provenance
from viz.snowball.exposure_picture import MARKED, Course, ReadToken, exposure_picture
from viz.snowball.held_out_charts import (
    context_figure,
    drift_words,
    error_figure,
    excess_words,
    judged_figure,
    judged_words,
    reference_figure,
)
from viz.strip import SPACE

N_PROMPT, N_POSITIONS = 24, 96  # tokens of each story
WRITERS, JUDGES = ("scribbler", "storyteller_early"), ("storyteller",)  # by preference
QUESTION = "How many more mistakes does the small model make on its own text?"
MORE = {"hardly more": BIAS, "half as many again": 0.75, "twice as many": math.inf}  # up to
COMPARED = {  # each of them, as the sentence to remember says it
    "hardly more": N_("hardly more mistakes than"),
    "half as many again": N_("half as many mistakes again as"),
    "twice as many": N_("twice as many mistakes as"),
}
SO = {  # and what follows from it
    "hardly more": N_("one mistake does not bring the next"),
    "half as many again": N_("one mistake brings the next"),
    "twice as many": N_("one mistake brings the next"),
}
MORE_SAID = "exposure_said"
MAX_CONTEXT = {"stories": 128, "books": 512}  # tokens
N_TARGETS = 64
N_SHOWN = 16  # tokens of each text, a line or two
JUDGED = "A mistake: the small model expects another word than the large one."


def _model_names(lesson: SnowballLesson) -> list[str]:
    """Names the page's model first, then the shipped ones that are there."""
    here = [name for name in offered_models() if name in SHIPPED and name != lesson.lm.name]
    return [lesson.lm.name, *here]


def _model_of(lesson: SnowballLesson, name: str) -> LanguageModel:
    """Returns a model by its name, the page's own or a shipped one."""
    return lesson.lm if name == lesson.lm.name else shared_model(name)


def _preferring(names: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Puts the first of those wanted first."""
    best = next((name for name in wanted if name in names), names[0])
    return [best, *(name for name in names if name != best)]


def _errors(exposure: Exposure) -> tuple[float, float]:
    """Returns how often the two models differ after true text, and after the writer's own."""
    true, own = (
        float(values[~np.isnan(values)].mean()) if (~np.isnan(values)).any() else math.nan
        for values in (exposure.other_forced, exposure.other_free)
    )
    return true, own


def nearest_text(
    exposure: Exposure, errors: tuple[float, float], labels: Sequence[str], n_prompt: int
) -> int:
    """Returns the story that is shown: with as many mistakes as all have, and of whole words."""
    pieces = [exposure.other_forced[:, :N_SHOWN], exposure.other_free[:, :N_SHOWN]]
    away = sum(
        abs(piece.sum(axis=1) - np.round(N_SHOWN * error))
        for piece, error in zip(pieces, errors, strict=True)
    )
    shown = slice(n_prompt, n_prompt + N_SHOWN)
    n_pieces = [
        sum(labels[i][0].isalpha() for i in (*story[shown], *own[shown]))  # no space before it
        for story, own in zip(exposure.stories, exposure.written, strict=True)
    ]
    return int(np.lexsort((n_pieces, np.nan_to_num(away, nan=np.inf)))[0])


def _last_sentence(labels: Sequence[str]) -> str:
    """Returns the words behind the last full stop: what both texts go on from."""
    text = "".join(labels).replace(SPACE, " ")
    return text.rpartition(". ")[2].strip()


def _how_much_more(exposure: Exposure) -> str:
    """Returns the answer that was measured."""
    true, own = _errors(exposure)
    return next(words for words, most in MORE.items() if not own > (1 + most) * true)


class ExposureBias(Experiment[SnowballLesson]):
    """A writer on true text and on its own, judged by another model."""

    key, button = "snowball_exposure", "Compare"
    recorded = Exposure
    is_button_below = True

    def _measured(self) -> Exposure | None:
        """Returns what was measured, once all is: of a part there is no mean."""
        job = self.lesson.jobs.get(self.key)
        if job is None or not job.is_done:
            job = recorded_job(self.key, Exposure)
        return None if job is None else job.result

    def _begin(self) -> None:
        """Asks how much more the model errs: its error on its own text is drawn after that."""
        if (exposure := self._measured()) is not None:
            opening(JUDGED)
            answered(QUESTION, tuple(MORE), _how_much_more(exposure), MORE_SAID)

    def _start(self) -> Job[Exposure]:
        writer, judge = (_model_of(self.lesson, SETTINGS[name]) for name in ("writer", "judge"))
        return Job(
            measure_exposure(
                writer,
                judge,
                [encode(writer, story) for story in held_out("stories")],
                n_prompt=N_PROMPT,
                n_tokens=N_POSITIONS,
                temperature=SETTINGS["drawn_at"],
            )
        )

    def _draw(self, job: Job[Exposure]) -> None:
        exposure = job.result
        courses = self._courses(exposure)
        st.html(exposure_picture(courses, is_covered=not was_answered(MORE_SAID)))
        st.caption(f"{MARKED} {len(exposure.forced)} stories.")
        self._summarize()
        show_caption(
            f"Measured on {len(exposure.forced)} stories that no shipped model was trained on: how "
            f"often the token that {exposure.writer}, the small model, holds for the likeliest is "
            f"not the one of {exposure.judge}, the large one. Shown is a story with as many "
            f"mistakes as the mean; its own text is drawn at T = {exposure.temperature:g}. KL, "
            "its course and the intervals are in the laboratory."
        )

    def _courses(self, exposure: Exposure) -> list[Course]:
        """Returns one text of each kind, with the tokens at which the two models differ."""
        labels = vocabulary_labels(_model_of(self.lesson, exposure.writer))
        n_prompt = len(exposure.stories[0]) - exposure.other_forced.shape[1]
        row = nearest_text(exposure, _errors(exposure), labels, n_prompt)
        begins = _last_sentence([labels[i] for i in exposure.stories[row][:n_prompt]])
        courses = []
        for name, role, ids, expected, error in zip(
            ("on true text", "on its own text"),
            ("prompt", "generated"),
            (exposure.stories[row], exposure.written[row]),
            (exposure.expected_forced[:, row], exposure.expected_free[:, row]),
            _errors(exposure),
            strict=True,
        ):
            shown = zip(ids[n_prompt:][:N_SHOWN], *expected.tolist(), strict=False)
            readings = [ReadToken(*(labels[i] for i in three)) for three in shown]
            courses.append(Course(name, role, readings, error, begins))
        return courses

    def _summarize(self) -> None:
        if (exposure := self._measured()) is not None:
            right = _how_much_more(exposure)
            said = {"more": _(COMPARED[right]), "so": _(SO[right])}
            show_summary("pages/teacher_forcing.py", asked=MORE_SAID, numbers=said)

    def show_setup(self) -> None:
        """Lets the reader choose other models, below what is to be remembered."""
        names = _model_names(self.lesson)
        fold = st.expander("Another writer, judge or temperature", key=f"{self.key}_setup")
        with fold, st.container(horizontal=True):
            SETTINGS.widget("drawn_at", width=130)
            SETTINGS.widget("writer", options=_preferring(names, WRITERS), format_func=str)
            SETTINGS.widget("judge", options=_preferring(names, JUDGES), format_func=str)


class ExposureInWords(ExposureBias):
    """The same by other measures: the judge's surprise, and the loss against the story."""

    title = "Teacher forcing and free running"
    claim = (
        "In training a model reads true text only; when it writes, it reads its own output. If "
        "that makes it worse, and the more so the longer it writes, the model has exposure bias. "
        "It is measured on stories that no shipped model was trained on." + BY_ID["C36"].box
    )
    code = (measure_exposure, expected_surprise)

    def show(self) -> None:
        """Draws the section, which has no button of its own."""
        self.show_setup()
        st.header(self.title, anchor=False)
        opening(self.claim)
        if (job := self.found()) is not None:
            with recorded_on(job.recorded_on) if job.recorded_on else nullcontext():
                self._draw(job)
        show_code(*self.code, key=f"{self.key}_code")

    def _draw(self, job: Job[Exposure]) -> None:
        exposure = job.result
        if was_answered(MORE_SAID):
            if job.is_done and exposure.writer != exposure.judge:
                st.markdown(excess_words(exposure))
            show_chart(error_figure(exposure), "snowball_error_bands")
        judged, reference = judged_figure(exposure), reference_figure(exposure)
        show_charts([(judged, "snowball_judged"), (reference, "snowball_reference")])
        if job.is_done:
            words = f"{judged_words(exposure)} {drift_words(exposure)}"
            show_folded(words, "snowball_exposure_words")
        names = exposure.writer, exposure.judge
        is_live = not job.recorded_on
        if is_live and not all(_model_of(self.lesson, name).is_whole for name in names):
            st.caption(
                "Tokens that the server left out are taken as equally likely: estimates (≈)."
            )
        judge = (
            "The writer judges itself and cannot tell what it does not know: choose another judge."
            if exposure.writer == exposure.judge
            else "The judge is a model too: it may be wrong on text unlike its training data."
        )
        st.caption(f"{provenance(job, _model_of(self.lesson, exposure.writer))} {judge}")


class ContextLengths(Experiment[SnowballLesson]):
    """The loss of the same tokens, given more and more of what stands before them."""

    key, title = "snowball_context", "Loss by context length"
    button = "Measure"
    recorded = ContextLoss
    claim = (
        "A model’s predictions depend on its training data, on the length of its training, and "
        "on how much of the text it sees. Here the same tokens are predicted from more and more "
        "context."
    )
    code = (measure_context_loss, predict)

    def _fields(self, _is_running: bool) -> None:
        SETTINGS.widget("held_out", width=280)

    def _start(self) -> Job[ContextLoss]:
        models = [_model_of(self.lesson, name) for name in _model_names(self.lesson)]
        comparable = [lm for lm in models if shares_vocabulary(lm, self.lesson.lm)]
        comparable.sort(key=lambda lm: (-lm.n_parameters, lm.name))
        documents = [encode(self.lesson.lm, text) for text in held_out(SETTINGS["held_out"])]
        contexts = [2**i for i in range(12) if 2**i <= MAX_CONTEXT[SETTINGS["held_out"]]]
        return Job(measure_context_loss(comparable, documents, contexts, N_TARGETS))

    def _draw(self, job: Job[ContextLoss]) -> None:
        loss = job.result
        show_chart(context_figure(loss), "snowball_context_chart")
        names = [] if job.recorded_on else _model_names(self.lesson)
        missing = [name for name in names if name not in loss.losses]
        why = (
            f" {', '.join(missing)}: not drawn, because a loss per token can be compared only "
            "between models with the same tokens."
        )
        st.caption(f"{provenance(job, self.lesson.lm)}{why if missing else ''}")

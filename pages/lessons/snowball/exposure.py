"""The snowball lesson's fifth part: teacher forcing against free running."""

from __future__ import annotations

import streamlit as st

from model.held_out import held_out
from model.loading import SHIPPED, LanguageModel
from model.snowball.exposure import ExposureRun, expected_surprise
from model.tokenizing import encode, shares_vocabulary
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.models import offered_models, shared_model
from pages.lessons.snowball.job_panel import live_part, run_part, took
from pages.lessons.snowball.state import SnowLesson, WatchedRun
from viz.snowball.exposure_chart import (
    drift_words,
    judged_figure,
    judged_words,
    kl_words,
    reference_figure,
)

TEMPERATURES = (0.7, 1.0)
SCORES = ("a second model", "the story itself")
N_PROMPT, N_POSITIONS = 24, 96  # tokens of each story
WRITERS, JUDGES = ("scribbler", "storyteller_early"), ("storyteller",)  # by preference


def show_exposure(lesson: SnowLesson) -> None:
    """Offer the run, and show it as far as it has come."""
    st.header("True tokens, or its own", anchor=False)
    st.markdown(
        "**In training a model reads true text only; when it writes, it reads what it wrote.** If "
        "that makes it worse, and the more so the longer it writes, it suffers from exposure bias. "
        "Stories that no shipped model has read say how much."
    )
    live_part(lesson, "exposure", lambda: _exposure(lesson))
    show_code(
        ExposureRun.advance,
        ExposureRun._teach,
        ExposureRun._run_free,
        expected_surprise,
        key="snow_code_exposure",
    )


def model_names(lesson: SnowLesson) -> list[str]:
    """Name the page's model first, then the shipped ones that are there."""
    here = [name for name in offered_models() if name in SHIPPED and name != lesson.lm.name]
    return [lesson.lm.name, *here]


def model_of(lesson: SnowLesson, name: str) -> LanguageModel:
    """Return a model by its name, the page's own or a shipped one."""
    return lesson.lm if name == lesson.lm.name else shared_model(name)


def _exposure(lesson: SnowLesson) -> None:
    names = model_names(lesson)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for title, key, wanted in (
            ("Writer", "snow_writer", WRITERS),
            ("Judge", "snow_judge", JUDGES),
        ):
            st.selectbox(
                title,
                names,
                index=next((names.index(name) for name in wanted if name in names), 0),
                key=key,
                width=200,
            )
        st.selectbox(
            "Temperature",
            TEMPERATURES,
            index=1,
            key="snow_exposure_temperature",
            width=130,
            persist_state="session",
        )
        run_part(
            lesson,
            "exposure",
            "Compare",
            lambda: _start(lesson),
            "stories and positions",
        )
    if lesson.exposure is not None:
        _show(lesson.exposure)


def _show(run: WatchedRun[ExposureRun]) -> None:
    """Draw what is measured, by the score that the reader chose."""
    found, theme = run.seen(run.work.exposure), theme_now()
    score = st.segmented_control(
        "Scored by",
        SCORES,
        default=SCORES[0],
        required=True,
        key="snow_score",
        persist_state="session",
    )
    if score == SCORES[1]:
        show_chart(reference_figure(found, theme), "snow_reference")
    else:
        show_chart(judged_figure(found, theme), "snow_judged")
    if run.work.is_done:
        words = [judged_words(found), drift_words(found)]
        if found.writer != found.judge:
            words.append(kl_words(found))
        st.markdown(" ".join(words))
    judge = (
        "The judge is the writer itself, which cannot tell what it does not know: choose another "
        "where there is one."
        if found.writer == found.judge
        else "The judge is a small model, too, and no truth: off its own path it knows less."
    )
    st.caption(f"{took(run, run.work.writer)} {judge}")


def _start(lesson: SnowLesson) -> None:
    writer = model_of(lesson, st.session_state["snow_writer"])
    judge = model_of(lesson, st.session_state["snow_judge"])
    if not shares_vocabulary(writer, judge):
        raise ValueError(
            f"{judge.name} has other tokens than {writer.name}: choose a judge of its family, or "
            "the writer itself."
        )
    stories = [encode(writer, story) for story in held_out("stories")]
    temperature = st.session_state["snow_exposure_temperature"]
    lesson.exposure = WatchedRun(
        ExposureRun(
            writer,
            judge,
            stories,
            n_prompt=N_PROMPT,
            n_tokens=N_POSITIONS,
            temperature=temperature,
        )
    )

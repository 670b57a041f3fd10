"""The last part: a task that needs one score takes one pass and no loop."""

from __future__ import annotations

import streamlit as st

from model.prefill_decode.scoring import ScoringExperiment, embed, score_choices
from model.timing import describe
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.lessons.prefill_decode.run import show_run
from pages.lessons.prefill_decode.state import PartRun, PhaseLesson
from viz.prefill_decode.cost_chart import choices_figure, scoring_figure

PROMPT = "Once there was a boy. He lost his red ball and could not find it. The boy was very"
CHOICES = "sad\nhappy\nhungry"


def show_scores(lesson: PhaseLesson) -> None:
    """Offer a choice to make, by one pass and by writing."""
    st.header("When one pass is enough", anchor=False)
    st.markdown(
        "**To classify, to rank or to embed, nothing has to be written: one parallel pass scores "
        "every choice.** The same prompt, answered by scoring and by generating."
    )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.text_area(
            "Prompt",
            PROMPT,
            key="phase_score_prompt",
            height=100,
            max_chars=4000,
            persist_state="session",
        )
    with right:
        st.text_area(
            "Choices, one a line",
            CHOICES,
            key="phase_score_choices",
            height=100,
            max_chars=500,
            persist_state="session",
        )

    def make() -> ScoringExperiment:
        choices = st.session_state["phase_score_choices"].splitlines()
        return ScoringExperiment(lesson.lm, st.session_state["phase_score_prompt"], choices)

    show_run(lesson, "scoring", make, lambda run: _draw(lesson, run), word="Score")
    show_code(score_choices, embed, key="phase_code_7")


def _draw(lesson: PhaseLesson, run: PartRun) -> None:
    experiment = run.work
    if run.is_running or not isinstance(experiment, ScoringExperiment):
        return
    result = experiment.result
    if result is None or not result.score_seconds.seconds or not result.vector_seconds.seconds:
        return
    left, right = st.columns(2, gap="large")
    with left:
        show_chart(choices_figure(result, theme_now()), "phase_choices")
    with right:
        chart = scoring_figure(result, describe(lesson.lm).where, theme_now())
        show_chart(chart, "phase_scoring")
    st.caption("What it wrote instead, by its best token each time:")
    st.text(result.written_text.strip())

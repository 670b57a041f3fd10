"""The last part: a task that needs one score takes one pass and no loop."""

from __future__ import annotations

import streamlit as st

from model.job import Job
from model.prefill_decode.records import Scoring
from model.prefill_decode.scoring import embed, score_and_write, score_choices
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_charts
from pages.frame.job_panel import measured_on, show_job
from pages.lessons.prefill_decode.settings import SETTINGS
from pages.lessons.prefill_decode.state import PhaseLesson
from viz.prefill_decode.cost_chart import choices_figure, scoring_figure


def show_scores(lesson: PhaseLesson) -> None:
    """Offer a choice to make, by one pass and by writing."""
    st.header("Scoring and embedding in one pass", anchor=False)
    st.markdown(
        "To classify, rank or embed, a model need not write: one parallel pass scores every "
        "choice. The same prompt is answered here by scoring and by generating."
    )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        SETTINGS.widget("score_prompt", height=100)
    with right:
        SETTINGS.widget("score_choices", height=100)

    def start() -> Job[Scoring]:
        choices = SETTINGS["score_choices"].splitlines()
        prompt = SETTINGS["score_prompt"]
        return lesson.start(score_and_write(lesson.lm, prompt, choices))

    show_job(
        lesson.jobs,
        "phase_scoring",
        "Score",
        start,
        lambda job: _show(lesson, job),
        recorded=Scoring,
        icon=":material/timer:",
    )
    show_code(score_choices, embed, key="phase_code_7")


def _show(lesson: PhaseLesson, job: Job[Scoring]) -> None:
    result = job.found
    if result is None or job.is_running:
        return
    seconds = scoring_figure(result, measured_on(job, lesson.lm).where)
    choices = choices_figure(result)
    show_charts([(choices, "phase_choices"), (seconds, "phase_scoring")])
    st.caption("The answer that it wrote, greedily:")
    st.text(result.written_text.strip())

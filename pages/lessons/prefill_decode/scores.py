"""A task that needs one score takes one pass and no loop."""

import streamlit as st

from model.job import Job
from model.prefill_decode.records import Scoring
from model.prefill_decode.scoring import embed, score_and_write, score_choices
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import show_charts
from pages.frame.job_panel import measured_on
from pages.lessons.prefill_decode.settings import SETTINGS
from pages.lessons.prefill_decode.state import PhaseLesson
from viz.prefill_decode.cost_chart import choices_figure, scoring_figure


class ScoringRun(Experiment[PhaseLesson]):
    """One choice, made by scoring and by writing."""

    key, title = "phase_scoring", "Scoring and embedding in one pass"
    button, icon = "Score", TIMER
    recorded = Scoring
    draws_when_done = True
    claim = (
        "To classify, rank or embed, a model need not write: one parallel pass scores every "
        "choice. The same prompt is answered here by scoring and by generating."
    )
    code = (score_choices, embed)

    def _begin(self) -> None:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            SETTINGS.widget("score_prompt", height=100)
        with right:
            SETTINGS.widget("score_choices", height=100)

    def _start(self) -> Job[Scoring]:
        prompt, choices = SETTINGS["score_prompt"], SETTINGS["score_choices"].splitlines()
        return self.lesson.start(score_and_write(self.lesson.lm, prompt, choices))

    def _draw(self, job: Job[Scoring]) -> None:
        result = job.result
        seconds = scoring_figure(result, measured_on(job, self.lesson.lm).where)
        choices = choices_figure(result)
        show_charts([(choices, "phase_choices"), (seconds, "phase_scoring")])
        st.caption("The answer that it wrote, greedily:")
        st.text(result.written_text.strip())

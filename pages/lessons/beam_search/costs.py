"""The beam-search lesson's third part: its cost and quality beside greedy decoding and sampling."""

from __future__ import annotations

from typing import Any

import streamlit as st

from model.beam_search.costs import cost_of, distinct, measure_costs, repeated
from model.beam_search.records import DecodingCost
from model.job import Job
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.beam_search.settings import SETTINGS
from pages.lessons.beam_search.state import PROMPTS, BeamLesson
from viz.beam_search.comparison import costs_figure, costs_table

N_TOKENS = 60


def show_costs(lesson: BeamLesson) -> None:
    """Offer the measurement, and show it as far as it has come."""
    st.header("Cost and quality", anchor=False)
    st.markdown(
        "**In open-ended text beam search gains little and writes blander:** the likeliest words "
        "are those that anybody would write, and what was said once becomes likelier."
    )
    show_job(
        lesson.jobs,
        "beam_cost",
        f"Generate {N_TOKENS} tokens with each method",
        lambda: _start(lesson),
        lambda job: _show(lesson, job),
        controls=lambda is_running: SETTINGS.widget("cost_prompts", width=200, disabled=is_running),
    )
    show_code(measure_costs, cost_of, distinct, repeated, key="beam_code_3")


def _start(lesson: BeamLesson) -> Job[Any]:
    lesson.stepper.is_playing = False
    n_beams = max(2, lesson.stepper.steps.request.n_beams)
    prompts = PROMPTS[: SETTINGS["cost_prompts"]]
    return Job(measure_costs(lesson.lm, prompts, n_beams, N_TOKENS), is_timed=True)


def _show(lesson: BeamLesson, job: Job[tuple[DecodingCost, ...]]) -> None:
    if not job.found:
        return
    show_chart(costs_figure(job.found, theme_now()), "beam_costs")
    number = st.column_config.NumberColumn
    st.dataframe(
        costs_table(job.found),
        hide_index=True,
        key="beam_costs_table",
        column_config={
            "seconds": number(format="%.2f"),
            "log p per token": number(format="%.3f"),
            **{f"distinct {n}": number(format="percent") for n in (1, 2, 3)},
            "repeated 4-grams": number(format="percent"),
        },
    )
    st.caption(
        f"{lesson.lm.name}, {lesson.lm.where}: all methods have the same prompts, the same kind of "
        "pass and the same limit on length. Beam search’s text is its best by sum log p (a = 0). "
        "Distinct n: different n-grams as a fraction of all, mean over texts."
    )

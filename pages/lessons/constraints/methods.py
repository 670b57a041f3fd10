"""The lesson's second part: one constraint by argmax, sampling and beam search."""

from __future__ import annotations

from typing import Any

import streamlit as st

from model.constraints.experiments import MAX_TOKENS, N_BEAMS, N_TEXTS, compare_methods
from model.constraints.records import MethodResult
from model.generation import Generation
from model.job import Job
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.constraints.state import ConstraintLesson
from viz.constraints.methods_chart import methods_figure, methods_table


def show_methods(lesson: ConstraintLesson) -> None:
    """Offer the comparison, and show it as far as it has come."""
    st.header("Escaping a dead end", anchor=False)
    st.markdown(
        "**Sampling at a low temperature sometimes takes the other branch; beam search looks ahead "
        "and compares whole prefixes.** Where the wrong branch is far likelier, a low temperature "
        f"does not help. Each temperature gets {N_TEXTS} texts, the search {N_BEAMS} beams."
    )
    show_job(
        lesson.jobs,
        "constraint_methods",
        "Compare decoding methods",
        lambda: _start(lesson),
        _show,
    )


def _start(lesson: ConstraintLesson) -> Job[Any]:
    lesson.stepper.is_playing = False
    text = lesson.generation.text
    start = Generation(text.lm, text.prompt_ids, max_new_tokens=MAX_TOKENS)
    return Job(compare_methods(start, lesson.generation.constraint), is_timed=True)


def _show(job: Job[tuple[MethodResult, ...]]) -> None:
    methods = job.found or ()
    if len(methods) > 1:  # argmax, and what it is compared with
        show_chart(methods_figure(methods, theme_now()), "constraint_methods_chart")
        table = methods_table(methods)
        st.dataframe(table, hide_index=True, key="constraint_methods_table")

"""The last part: loss against context, early and last checkpoint, small and large model."""

from __future__ import annotations

import streamlit as st

from model.held_out import held_out
from model.job import Job
from model.snowball.context_loss import measure_context_loss, predict
from model.snowball.records import ContextLoss
from model.tokenizing import encode, shares_vocabulary
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.snowball.exposure import model_names, model_of
from pages.lessons.snowball.settings import SETTINGS
from pages.lessons.snowball.state import SnowballLesson, provenance
from viz.snowball.context_chart import context_figure

MAX_CONTEXT = {"stories": 128, "books": 512}  # tokens
N_TARGETS = 64


def show_context(lesson: SnowballLesson) -> None:
    """Offer the job, and show what it has measured."""
    st.header("Loss by context length", anchor=False)
    st.markdown(
        "**A model’s predictions depend on its training data, on the length of its training, and "
        "on how much of the text it sees.** Here the same tokens are predicted from more and more "
        "context."
    )
    show_job(
        lesson.jobs,
        "snowball_context",
        "Measure",
        lambda: _start(lesson),
        lambda job: _show(lesson, job),
        controls=lambda _: SETTINGS.widget("held_out", width=280),
    )
    show_code(measure_context_loss, predict, key="snowball_code_context")


def _start(lesson: SnowballLesson) -> Job[ContextLoss]:
    models = [model_of(lesson, name) for name in model_names(lesson)]
    comparable = [lm for lm in models if shares_vocabulary(lm, lesson.lm)]
    comparable.sort(key=lambda lm: (-lm.n_parameters, lm.name))
    documents = [encode(lesson.lm, text) for text in held_out(SETTINGS["held_out"])]
    contexts = [2**i for i in range(12) if 2**i <= MAX_CONTEXT[SETTINGS["held_out"]]]
    return Job(measure_context_loss(comparable, documents, contexts, N_TARGETS))


def _show(lesson: SnowballLesson, job: Job[ContextLoss]) -> None:
    loss = job.found
    assert loss is not None
    show_chart(context_figure(loss, theme_now()), "snowball_context_chart")
    missing = [name for name in model_names(lesson) if name not in loss.losses]
    why = (
        f" {', '.join(missing)}: not drawn, because a loss per token can be compared only between "
        "models with the same tokens."
    )
    st.caption(f"{provenance(job, lesson.lm)}{why if missing else ''}")

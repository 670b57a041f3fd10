"""The second part: the same slip in a hundred texts, and (1 - e)^n."""

from __future__ import annotations

import streamlit as st

from model.job import Job
from model.snowball.error_compounding import compounding, fork_many
from model.snowball.records import Forks
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_charts, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.snowball.settings import SETTINGS
from pages.lessons.snowball.state import SnowballLesson, provenance
from viz.format import plural
from viz.snowball.fork_chart import cost_figure, parting_figure, survival_figure, verdict

N_TOKENS = 40  # after the forced one
N_FORKS = 100
FORKS = "snowball_forks"


def show_forks(lesson: SnowballLesson) -> None:
    """Offer the job, and show what it has measured."""
    st.header("Error compounding", anchor=False)
    st.markdown(
        "**If each token is wrong with probability e, and an error is never mended, then (1 − e)ⁿ "
        "of the texts are still right after n tokens.** The argument takes errors for independent "
        "and permanent. Here a hundred texts, each with its own seed, get the same slip."
    )
    show_job(
        lesson.jobs,
        FORKS,
        f"Fork {N_FORKS} texts",
        lambda: _start(lesson),
        lambda job: _show(lesson, job),
        controls=lambda _: _controls(lesson),
    )
    show_code(fork_many, compounding, key="snowball_code_forks")


def _controls(lesson: SnowballLesson) -> None:
    ranks = [rank for rank in (2, 5, 20, 100, 1000) if rank < lesson.lm.vocab_size]
    SETTINGS.widget("rank", options=ranks, width=170)
    SETTINGS.widget("threshold", width=190)


def _start(lesson: SnowballLesson) -> Job[Forks]:
    return Job(
        fork_many(
            lesson.lm,
            lesson.text.prompt_ids,
            lesson.settings,
            n_before=(SETTINGS["place"] or 1) - 1,
            rank=SETTINGS["rank"],
            n_tokens=N_TOKENS,
            n_forks=N_FORKS,
        )
    )


def _show(lesson: SnowballLesson, job: Job[Forks]) -> None:
    forks, theme = job.found, theme_now()
    assert forks is not None
    slips = compounding(forks, SETTINGS["threshold"])
    if not job.is_running:
        st.markdown(verdict(slips))
    show_charts(
        [
            (parting_figure(forks, theme), "snowball_parting"),
            (cost_figure(forks, theme), "snowball_cost"),
            (survival_figure(slips, theme), "snowball_survival"),
        ]
    )
    st.caption(
        f"{provenance(job, lesson.lm)} {plural(forks.n_texts, 'text')} after the prompt above, "
        f"forked after {plural(forks.n_before, 'token')}, temperature {forks.temperature:g}. A "
        "slip is a token that the model itself finds unlikely; no human judges the texts."
    )

"""The diffusion lesson's third part: one prompt by the loop, by a search, in a few passes."""

from __future__ import annotations

import streamlit as st

from model.diffusion.denoising import Diffusion
from model.diffusion.race import race, write_by_beams, write_by_loop, write_by_passes
from model.diffusion.records import DecodingRun
from model.job import Job
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.diffusion.settings import SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson
from viz.diffusion.race_chart import runs_figure, tokens_a_pass
from viz.format import duration, nats, percent, plural


def show_race(lesson: DiffusionLesson) -> None:
    """Offer the three ways, and show them while they run and when they are over."""
    st.header("Autoregression, beam search and diffusion", anchor=False)
    st.markdown(
        "**The loop needs a pass for every token, and beam search as many, over more rows; a "
        "masked model needs K, whatever the length.** All three continue the beginning above by as "
        "many tokens; none may end before."
    )
    show_job(
        lesson.jobs,
        "diffusion_race",
        "Start",
        lambda: _start(lesson),
        lambda job: _show(lesson, job),
        icon=":material/timer:",
    )
    show_code(write_by_loop, write_by_beams, write_by_passes, key="diffusion_code_3")


def _start(lesson: DiffusionLesson) -> Job[tuple[DecodingRun, ...]]:
    lesson.stop_playing()
    page, prompt = lesson.page, SETTINGS["beginning"]
    own = Diffusion(
        lesson.lm,
        page.length,
        prompt,
        n_passes=len(page.plan),
        order=page.order,
        temperature=page.temperature,
        seed=page.seed,
    )
    return Job(race(lesson.judge, own, prompt), is_timed=True)


def _show(lesson: DiffusionLesson, job: Job[tuple[DecodingRun, ...]]) -> None:
    runs = job.found or ()
    show_chart(runs_figure(runs, lesson.lm.where, theme_now()), "diffusion_runs")
    for column, run in zip(st.columns(3, gap="large"), runs, strict=False):
        with column:
            st.markdown(f"**{run.name}**")
            n_passes = plural(run.n_passes, "pass", "es")
            st.markdown(f"{n_passes}, {duration(run.seconds)}: {tokens_a_pass(run)} a pass")
            st.text(run.text.strip())
            clashes = run.clashes
            said = f"{nats(clashes.logprob)} a token, by {lesson.judge.name}; "
            said += f"{percent(clashes.repeated)} of its pairs repeated"
            if clashes.n_clashes is not None:
                said += f"; {plural(clashes.n_clashes, 'clash', 'es')}"
            st.caption(f"{said}.")

"""The diffusion lesson's third part: one prompt by the loop, by a search, in a few passes."""

from __future__ import annotations

import streamlit as st

from model.diffusion.denoising import Diffusion
from model.diffusion.race import write_by_beams, write_by_loop, write_by_passes
from model.sampling import Settings
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.running import halt, in_slices, is_running, start_or_stop
from pages.frame.slices import TimedRun
from pages.lessons.diffusion.fill import SLICE_SECONDS
from pages.lessons.diffusion.settings import SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson, Ways
from viz.diffusion.race_chart import tokens_a_pass, ways_figure
from viz.format import duration, nats, percent, plural

N_BEAMS = 4


def show_race(lesson: DiffusionLesson) -> None:
    """Offer the three ways, and show them while they run and when they are over."""
    st.header("One prompt, three ways", anchor=False)
    st.markdown(
        "**The loop needs a pass for every token, a beam search as many, wider ones; a masked "
        "model needs K, whatever the length.** The same beginning and number of tokens, no end."
    )
    in_slices(lambda: lesson.ways, lambda: _race(lesson), SLICE_SECONDS)
    show_code(write_by_loop, write_by_beams, write_by_passes, key="diffusion_code_3")


def _race(lesson: DiffusionLesson) -> None:
    run = lesson.ways
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_race_buttons"):
        start_or_stop(
            is_running=is_running(run),
            title="Start",
            key="diffusion_race",
            start=lambda: _start(lesson),
            stop=lambda: halt(lesson.ways),
            icon=":material/timer:",
        )
        if run is not None and run.is_running:
            doing = "Waiting for another reader’s measurement" if run.is_waiting else "Running"
            st.caption(f"{doing}: {run.work.waiting[0][0]}…")
        else:
            page = lesson.run.page
            st.caption(
                f"{plural(page.length, 'token')} after the beginning above; diffusion in "
                f"{plural(len(page.plan), 'pass', 'es')}."
            )
    if lesson.ways_notice:
        st.error(lesson.ways_notice)
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    _figures(lesson, run)


def _start(lesson: DiffusionLesson) -> None:
    lm, judge, page = lesson.lm, lesson.judge, lesson.run.page
    lesson.stop_all()  # it would be timed as well
    prompt = SETTINGS["beginning"]
    try:
        own = Diffusion(
            lm,
            page.length,
            prompt,
            n_passes=len(page.plan),
            order=page.order,
            temperature=page.temperature,
            seed=page.seed,
        )
    except ValueError as error:
        lesson.ways_notice = str(error)
        return
    settings = Settings(temperature=page.temperature)
    ways = Ways(
        [
            ("the loop", write_by_loop(judge, lm, prompt, page.length, settings, page.seed)),
            ("beam search", write_by_beams(judge, lm, prompt, page.length, N_BEAMS)),
            ("diffusion", write_by_passes(judge, own)),
        ]
    )
    lesson.ways, lesson.ways_notice = TimedRun(ways), None


def _figures(lesson: DiffusionLesson, run: TimedRun[Ways]) -> None:
    if not run.work.done:
        return
    show_chart(ways_figure(run.work.done, lesson.lm.where, theme_now()), "diffusion_ways")
    for column, way in zip(st.columns(3, gap="large"), run.work.done, strict=False):
        with column:
            st.markdown(f"**{way.name}**")
            n_passes = plural(way.n_passes, "pass", "es")
            st.markdown(f"{n_passes}, {duration(way.seconds)}: {tokens_a_pass(way)} a pass")
            st.text(way.text.strip())
            found = way.clashes
            said = f"{nats(found.logprob)} a token, by {lesson.judge.name}; "
            said += f"{percent(found.repeated)} of its pairs repeated"
            if found.n_clashes is not None:
                said += f"; {plural(found.n_clashes, 'clash', 'es')} on a second look"
            st.caption(f"{said}.")

"""The diffusion lesson's third part: one prompt by the loop, by a search, in a few passes."""

from __future__ import annotations

import streamlit as st

from model.diffusion import Diffusion
from model.diffusion_race import write_by_beams, write_by_loop, write_by_passes
from model.sampling import Settings
from pages.parts.code_that_ran import show_code
from pages.parts.diffusion_fill import CLOCK_SECONDS, SLICE_SECONDS
from pages.parts.diffusion_state import DiffusionLesson, WaysRun
from pages.parts.kv_growth import show_chart, theme_now
from viz.diffusion_race_chart import ways_figure
from viz.units import duration, nats, percent, plural

N_BEAMS = 4


def show_race(lesson: DiffusionLesson) -> None:
    """Offer the three ways, and show them while they run and when they are over."""
    st.header("One prompt, three ways", anchor=False)
    st.markdown(
        "**The loop needs a pass for every token, a beam search as many, wider ones; a masked "
        "model needs K, whatever the length.** The same beginning and number of tokens, no end."
    )
    is_running = lesson.ways is not None and lesson.ways.is_running
    st.fragment(_race, run_every=CLOCK_SECONDS if is_running else None)(lesson, is_running)
    show_code(write_by_loop, write_by_beams, write_by_passes, key="diffusion_code_3")


def _race(lesson: DiffusionLesson, has_clock: bool) -> None:
    run = lesson.ways
    is_running = run is not None and run.is_running
    if is_running != has_clock:
        st.rerun()  # the fragment's clock starts and stops with the whole page
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_race_buttons"):
        if is_running and run is not None:
            st.button(
                "Stop",
                key="diffusion_race_stop",
                on_click=run.waiting.clear,
                icon=":material/stop:",
            )
            st.caption(f"Running: {run.waiting[0][0]}…")
        else:
            st.button(
                "Start",
                key="diffusion_race_run",
                type="primary",
                on_click=_start,
                args=(lesson,),
                icon=":material/timer:",
            )
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
    if is_running:
        run.slice(SLICE_SECONDS)  # after all is drawn, so that nothing fades while it runs
        if not run.is_running:
            st.rerun()


def _start(lesson: DiffusionLesson) -> None:
    lm, judge, page = lesson.lm, lesson.judge, lesson.run.page
    lesson.stop_all()  # it would be timed as well
    prompt = str(st.session_state["diffusion_beginning"])
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
    lesson.ways_notice = None
    lesson.ways = WaysRun(
        [
            ("the loop", write_by_loop(judge, lm, prompt, page.length, settings, page.seed)),
            ("beam search", write_by_beams(judge, lm, prompt, page.length, N_BEAMS)),
            ("diffusion", write_by_passes(judge, own)),
        ]
    )


def _figures(lesson: DiffusionLesson, run: WaysRun) -> None:
    if not run.done:
        return
    lm = lesson.lm
    where = f"{lm.device}, {str(lm.dtype).removeprefix('torch.')}"
    show_chart(ways_figure(run.done, where, theme_now()), "diffusion_ways")
    for column, way in zip(st.columns(3, gap="large"), run.done, strict=False):
        with column:
            st.markdown(f"**{way.name}**")
            left, right = st.columns(2)
            left.metric("passes", way.n_passes)
            right.metric("of the models", duration(way.seconds))
            st.text(way.text.strip())
            found = way.clashes
            said = f"{nats(found.logprob)} a token, by {lesson.judge.name}; "
            said += f"{percent(found.repeated)} of its pairs repeated"
            if found.n_clashes is not None:
                said += f"; {plural(found.n_clashes, 'clash', 'es')} on a second look"
            st.caption(f"{said}.")

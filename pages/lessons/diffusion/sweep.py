"""The diffusion lesson's second part: the same page in few passes and in many."""

from __future__ import annotations

import streamlit as st

from model.diffusion.experiments import BETWEEN, EMPTY, Sweep, left_first
from model.diffusion.quality import clashes_of, find_names, judge_tokens, second_look
from model.diffusion.records import CLASH, Fill
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.running import halt, in_slices, is_running, start_or_stop
from pages.frame.slices import TimedRun
from pages.lessons.diffusion.fill import joined_ending
from pages.lessons.diffusion.settings import SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson
from viz.diffusion.denoise_grid import sheet_html
from viz.diffusion.fill_charts import sweep_figure, sweep_table
from viz.format import nats, percent, plural

SLICE_SECONDS = 0.7  # of measuring between two looks at the button: figures are drawn at each


def show_sweep(lesson: DiffusionLesson) -> None:
    """Offer the sweep, and show it while it runs and when it is over."""
    st.header("Few passes against many", anchor=False)
    st.markdown(
        "**Tokens filled in the same pass cannot know of each other, so the fewer the passes, the "
        "more of them clash.** Start fills the page above, and an empty one, in 1, 2, 4, … passes, "
        "with the temperature and the order that are set there."
    )
    in_slices(lambda: lesson.sweep, lambda: _sweep(lesson), SLICE_SECONDS)
    show_code(
        Sweep._run,
        second_look,
        judge_tokens,
        clashes_of,
        find_names,
        left_first,
        key="diffusion_code_2",
    )


def _sweep(lesson: DiffusionLesson) -> None:
    run = lesson.sweep
    _controls(lesson, is_disabled=is_running(run))
    if lesson.sweep_notice:
        st.error(lesson.sweep_notice)
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    sweep = run.work
    if run.is_running:
        done = len(sweep.fills) / sweep.n_jobs
        waiting = ", waiting for another reader’s measurement" if run.is_waiting else ""
        st.progress(done, f"{len(sweep.fills)} of {plural(sweep.n_jobs, 'fill')}{waiting}")
    elif not sweep.is_done:
        st.caption(f"Stopped after {len(sweep.fills)} of {plural(sweep.n_jobs, 'fill')}.")
    _figures(run)


def _controls(lesson: DiffusionLesson, *, is_disabled: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_sweep_buttons"):
        SETTINGS.widget("sweep_length", width=120, disabled=is_disabled)
        SETTINGS.widget("sweep_fills", width=120, disabled=is_disabled)
        start_or_stop(
            is_running=is_disabled,
            title="Start",
            key="diffusion_sweep",
            start=lambda: _start(lesson),
            stop=lambda: halt(lesson.sweep),
            icon=":material/timer:",
        )


def _start(lesson: DiffusionLesson) -> None:
    page = lesson.run.page
    lesson.stop_all()  # it would be timed as well
    try:
        sweep = Sweep(
            lesson.lm,
            lesson.judge,
            SETTINGS["sweep_length"],
            SETTINGS["beginning"],
            joined_ending(SETTINGS["ending"]),
            order=page.order,
            temperature=page.temperature,
            n_seeds=SETTINGS["sweep_fills"],
        )
    except ValueError as error:
        lesson.sweep_notice = str(error)
    else:
        lesson.sweep, lesson.sweep_notice = TimedRun(sweep), None


def _figures(run: TimedRun[Sweep]) -> None:
    fills, loop, theme = run.work.fills, run.work.loop, theme_now()
    if not fills:
        return
    left, right = st.columns(2, gap="large")
    shown = ("clashes", "logprob", "order", "seconds")
    for i, measure in enumerate(shown[:2] if run.is_running else shown):
        with (left, right)[i % 2]:
            show_chart(sweep_figure(fills, loop, measure, theme), f"diffusion_sweep_{measure}")
    if run.is_running:
        return
    _sheets(fills)
    with st.expander("Every fill, with all that was measured", key="diffusion_fills"):
        st.dataframe(sweep_table(fills, loop), hide_index=True, key="diffusion_table")
    st.caption(
        f"Clashes: tokens to which the model itself gives less than {percent(CLASH)} once it knows "
        "all the rest; it is no oracle, and the loop’s own text may have some as well. The judge "
        "is a causal model; its own text is judged by itself, which flatters it. Left first: over "
        "pairs filled in different passes; Kendall’s τ is twice it, less 1. Names: words with a "
        "capital inside a sentence, and whether the given text has them, too."
    )


def _sheets(fills: list[Fill]) -> None:
    """Show the first and the last of the fills of each kind beside each other."""
    for place in (BETWEEN, EMPTY):
        chosen = [fill for fill in fills if fill.place == place and fill.seed == 0]
        if not chosen:
            continue
        for column, fill in zip(st.columns(2, gap="large"), (chosen[0], chosen[-1]), strict=True):
            with column:
                st.markdown(f"**{plural(fill.n_passes, 'pass', 'es')}**, {place}")
                st.html(sheet_html(fill.sheet))
                st.caption(f"Measured: {_found(fill)}.")


def _found(fill: Fill) -> str:
    """Write what was measured of a fill."""
    found = fill.clashes
    said = [
        f"{nats(found.logprob)} a token, by the judge",
        f"{percent(found.repeated)} of its pairs repeated",
        f"{plural(found.n_doubled, 'token')} doubled",
    ]
    if found.n_clashes is not None:
        share = percent(found.n_clashes / fill.length)
        said.insert(0, f"{plural(found.n_clashes, 'clash', 'es')} ({share})")
    if found.agreement is not None:
        said.append(f"{percent(found.agreement)} of its names are those of the given text")
    elif found.n_names:
        said.append(plural(found.n_names, "name"))
    return ", ".join(said)

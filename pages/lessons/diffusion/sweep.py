"""The diffusion lesson's second part: the same page in few passes and in many."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from model.diffusion.experiments import BETWEEN, EMPTY, left_first, sweep_passes
from model.diffusion.quality import clashes_of, find_names, judge_tokens, leave_one_out
from model.diffusion.records import CLASH, Fill, Sweep
from model.job import Job
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.diffusion.fill import joined_ending
from pages.lessons.diffusion.settings import SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson
from viz.diffusion.denoise_grid import sheet_html
from viz.diffusion.fill_charts import sweep_figure, sweep_table
from viz.format import nats, percent, plural

SLICE_SECONDS = 0.7  # of measuring between two looks at the button: figures are drawn at each
MEASURES = ("clashes", "logprob", "order", "seconds")
N_LIVE = 2  # of them that are drawn while the sweep goes on


def show_sweep(lesson: DiffusionLesson) -> None:
    """Offer the sweep, and show it while it runs and when it is over."""
    st.header("Quality against the number of passes", anchor=False)
    st.markdown(
        "**Tokens filled in the same pass cannot know of each other, so fewer passes mean more "
        "clashes.** Start fills the sequence above, and an empty one, in 1, 2, 4, … passes, with "
        "the temperature and the order that are set there."
    )
    show_job(
        lesson.jobs,
        "diffusion_sweep",
        "Start",
        lambda: _start(lesson),
        _show,
        controls=_controls,
        icon=":material/timer:",
        seconds=SLICE_SECONDS,
    )
    show_code(
        sweep_passes,
        leave_one_out,
        judge_tokens,
        clashes_of,
        find_names,
        left_first,
        key="diffusion_code_2",
    )


def _controls(is_disabled: bool) -> None:
    SETTINGS.widget("sweep_length", width=120, disabled=is_disabled)
    SETTINGS.widget("sweep_fills", width=120, disabled=is_disabled)


def _start(lesson: DiffusionLesson) -> Job[Sweep]:
    lesson.stop_playing()
    work = sweep_passes(
        lesson.lm,
        lesson.judge,
        SETTINGS["sweep_length"],
        SETTINGS["beginning"],
        joined_ending(SETTINGS["ending"]),
        order=lesson.page.order,
        temperature=lesson.page.temperature,
        n_seeds=SETTINGS["sweep_fills"],
    )
    return Job(work, is_timed=True)


def _show(job: Job[Sweep]) -> None:
    sweep, theme = job.found, theme_now()
    assert sweep is not None
    columns = st.columns(2, gap="large")
    for i, measure in enumerate(MEASURES[:N_LIVE] if job.is_running else MEASURES):
        with columns[i % 2]:
            show_chart(sweep_figure(sweep, measure, theme), f"diffusion_sweep_{measure}")
    if job.is_running:
        return
    _sheets(sweep.fills)
    with st.expander("Every fill, with all that was measured", key="diffusion_fills"):
        st.dataframe(sweep_table(sweep), hide_index=True, key="diffusion_table")
    st.caption(
        f"Clashes: tokens to which the model itself gives less than {percent(CLASH)} once it knows "
        "all the others. It is no oracle, and the loop’s own text may have some as well. The judge "
        "is a causal model; its own text is judged by itself, which flatters it. Left first: over "
        "pairs filled in different passes; Kendall’s τ is twice it, less 1. Names: words with a "
        "capital inside a sentence, and whether the given text has them, too."
    )


def _sheets(fills: Sequence[Fill]) -> None:
    """Show the first and the last of the fills of each kind beside each other."""
    for place in (BETWEEN, EMPTY):
        chosen = [fill for fill in fills if fill.place == place and fill.seed == 0]
        if not chosen:
            continue
        for column, fill in zip(st.columns(2, gap="large"), (chosen[0], chosen[-1]), strict=True):
            with column:
                st.markdown(f"**{plural(fill.n_passes, 'pass', 'es')}**, {place}")
                st.html(sheet_html(fill.sheet))
                st.caption(f"Measured: {_measured(fill)}.")


def _measured(fill: Fill) -> str:
    """Write what was measured of a fill."""
    clashes = fill.clashes
    said = [
        f"{nats(clashes.logprob)} a token, by the judge",
        f"{percent(clashes.repeated)} of its pairs repeated",
        f"{plural(clashes.n_doubled, 'token')} doubled",
    ]
    if clashes.n_clashes is not None:
        share = percent(clashes.n_clashes / fill.n_tokens)
        said.insert(0, f"{plural(clashes.n_clashes, 'clash', 'es')} ({share})")
    if clashes.agreement is not None:
        said.append(f"{percent(clashes.agreement)} of its names are those of the given text")
    elif clashes.n_names:
        said.append(plural(clashes.n_names, "name"))
    return ", ".join(said)

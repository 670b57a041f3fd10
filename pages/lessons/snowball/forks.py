"""The snowball lesson's second part: the same slip in a hundred texts, and (1 - e)^n."""

from __future__ import annotations

import streamlit as st

from model.snowball.error_compounding import ManyForks, compounding
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_charts, theme_now
from pages.lessons.snowball.job_panel import live_part, run_part, took
from pages.lessons.snowball.state import SnowLesson, WatchedRun
from viz.format import percent, plural
from viz.snowball.fork_chart import cost_figure, parting_figure, survival_figure, verdict

RANKS = (2, 5, 20, 100, 1000)
N_TOKENS = 40  # after the forced one
N_FORKS = 100
THRESHOLDS = (0.05, 0.01, 0.001)


def show_forks(lesson: SnowLesson) -> None:
    """Offer the run, and show it as far as it has come."""
    st.header("A hundred forks", anchor=False)
    st.markdown(
        "**If each token fails with a chance e, and a failure is for good, then (1 − e)ⁿ of the "
        "texts are still right after n tokens.** So goes the argument; it takes errors for "
        "independent and never mended. A hundred texts, each by its own seed, with the same slip."
    )
    live_part(lesson, "forks", lambda: _forks(lesson))
    show_code(ManyForks.advance, compounding, key="snow_code_forks")


def _forks(lesson: SnowLesson) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Force",
            [rank for rank in RANKS if rank < lesson.lm.vocab_size],
            index=2,
            format_func=lambda rank: f"the {'2nd' if rank == 2 else f'{rank}th'} best",
            key="snow_forks_rank",
            width=170,
            persist_state="session",
        )
        threshold = st.selectbox(
            "A slip is a token below",
            THRESHOLDS,
            index=1,
            format_func=percent,
            key="snow_forks_threshold",
            width=190,
            persist_state="session",
        )
        run_part(
            lesson,
            "forks",
            f"Fork {N_FORKS} texts",
            lambda: _start(lesson),
            f"{plural(N_FORKS, 'fork')}",
        )
    run = lesson.forks
    forks = run.seen(run.work.forks) if run else None
    if run is None or forks is None:
        return
    found, theme = compounding(forks, threshold), theme_now()
    if not run.is_running:
        st.markdown(verdict(found))
    show_charts(
        [
            (parting_figure(forks, theme), "snow_parting"),
            (cost_figure(forks, theme), "snow_cost"),
            (survival_figure(found, theme), "snow_survival"),
        ]
    )
    st.caption(
        f"{took(run, lesson.lm)} {plural(forks.n_texts, 'text')} after the prompt above, forked "
        f"after {plural(forks.n_before, 'token')}, temperature "
        f"{run.work.settings.temperature:g}. A slip is an unlikely token by the model itself: no "
        "human judge is asked."
    )


def _start(lesson: SnowLesson) -> None:
    part = lesson.text
    work = ManyForks(
        lesson.lm,
        part.text.prompt_ids,
        part.settings,
        n_before=int(st.session_state.get("snow_place") or 4) - 1,
        rank=st.session_state["snow_forks_rank"],
        n_tokens=N_TOKENS,
        n_forks=N_FORKS,
    )
    lesson.forks = WatchedRun(work)

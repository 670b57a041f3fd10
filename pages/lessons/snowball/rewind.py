"""The third part: stop, go back to the bad token, choose again."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.generation import Generation
from model.job import Job
from model.snowball.records import Estimate, Forks, RewindStrategy
from model.snowball.rewind_strategies import compare_rewinds
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.snowball.forks import FORKS
from pages.lessons.snowball.state import SnowballLesson, provenance
from viz.format import nats
from viz.snowball.rewind_chart import strategies_table, work_figure

WAITS = (1, 4, 16)  # and to the end


def show_rewind(lesson: SnowballLesson) -> None:
    """Offer the job on the fork above, and show what it has measured."""
    st.header("Rewind strategies", anchor=False)
    st.markdown(
        "**Going back to the bad token costs only what came after it: everything before it is "
        "kept, cache and all.** The sooner the error is noticed, the less is discarded. The bad "
        "token is the one that you forced above."
    )
    show_job(
        lesson.jobs,
        "snowball_rewind",
        "Compare five rewind strategies",
        lambda: _start(lesson),
        lambda job: _show(lesson, job),
    )
    show_code(compare_rewinds, Generation.rewind, key="snowball_code_rewind")


def _start(lesson: SnowballLesson) -> Job[tuple[RewindStrategy, ...]]:
    if lesson.slip is None:
        raise ValueError("There is no bad token yet: force one at the top of the page.")
    place, bad_id = lesson.slip
    n_tokens = len(lesson.text.steps) - place
    waits = [*(wait for wait in WAITS if wait < n_tokens), n_tokens]
    work = compare_rewinds(lesson.start_at(place), bad_id, lesson.settings, n_tokens, waits)
    return Job(work, is_timed=True)


def _show(lesson: SnowballLesson, job: Job[tuple[RewindStrategy, ...]]) -> None:
    if not job.found:
        return
    show_chart(work_figure(job.found, theme_now()), "snowball_work")
    st.dataframe(
        strategies_table(job.found),
        hide_index=True,
        key="snowball_ways",
        column_config={
            "strategy": st.column_config.TextColumn(width=150),
            "text from there on": st.column_config.TextColumn(width=600),
        },
    )
    st.caption(
        f"{provenance(job, lesson.lm)} Surprise and distinct pairs of neighbouring tokens are of "
        "what follows the bad place. The coin of a place is fixed, so choosing again gives the "
        "original text. Low surprise does not prove quality: a dull text has less of it. "
        f"{_forks_say(lesson)}"
    )


def _forks_say(lesson: SnowballLesson) -> str:
    """Say what the hundred forks show of quality, once they are there."""
    job = lesson.jobs.get(FORKS)
    forks: Forks | None = job.found if job else None
    if forks is None:
        return "One text says little about quality: the hundred forks above say more."
    gap = Estimate.of(np.nanmean(forks.original, axis=1) - np.nanmean(forks.forced, axis=1))
    return (
        f"Over {gap.n} forks, leaving the bad token in changes the surprise of what follows by "
        f"{nats(gap.mean)} ± {gap.half_width:.2f} a token (95 %)."
    )

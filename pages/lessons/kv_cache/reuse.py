"""The last part: a prompt that begins like one that was read before."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from model.job import Job
from model.kv_cache.experiments import common_start, reuse_prefix
from model.kv_cache.records import PrefixReuse
from model.loading import LanguageModel
from model.tokenizing import encode
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.kv_cache.settings import SETTINGS
from pages.lessons.kv_cache.state import CacheLesson
from viz.kv_cache.prefix_chart import reuse_figure
from viz.palette import Theme
from viz.strip import chip, row

MAX_TOKENS = 512  # of one prompt
N_RUNS = 7  # of each of the three readings


def show_reuse(lesson: CacheLesson) -> None:
    """Offer two prompts, and show what the second one saves by the first."""
    st.header("Prefix caching: a common start is read once", anchor=False)
    st.markdown(
        "**Keys and values depend only on the tokens before them, so two prompts that begin alike "
        "can share the cache of that beginning.** From the first different token on, all is read."
    )
    for column, name in zip(st.columns(2, gap="medium"), ("first", "second"), strict=True):
        with column:
            SETTINGS.widget(name, height=140)
    show_job(
        lesson.jobs,
        "kv_prefix",
        "Read both",
        lambda: _start(lesson),
        lambda job: _show(lesson.lm, job),
        icon=":material/timer:",
    )
    show_code(reuse_prefix, common_start, key="kv_code_4")


def _start(lesson: CacheLesson) -> Job[PrefixReuse]:
    lm = lesson.lm
    first, second = (encode(lm, SETTINGS[name]) for name in ("first", "second"))
    n_longest, limit = (
        max(len(first), len(second)),
        min(MAX_TOKENS, lm.context_length or MAX_TOKENS),
    )
    if n_longest > limit:
        raise ValueError(
            f"A prompt has {n_longest:,} tokens, and at most {limit:,} are read here: shorten it."
        )
    job = Job(reuse_prefix(lm, first, second, N_RUNS), is_timed=True)
    lesson.stepper.is_playing = False  # it would be timed as well
    return job


def _show(lm: LanguageModel, job: Job[PrefixReuse]) -> None:
    reuse, theme = job.found, theme_now()
    if reuse is None:
        return
    st.html(token_strip(reuse, theme))
    st.caption("The second prompt. Filled: taken from the cache. Outlined: read.")
    show_chart(reuse_figure(reuse, lm.where, theme), "kv_reuse")


def token_strip(reuse: PrefixReuse, theme: Theme) -> Markup:
    """Write the second prompt's tokens as boxes: what was kept, and what was read."""
    kept, read = reuse.labels[: reuse.n_reused], reuse.labels[reuse.n_reused :]
    return row(
        *(chip(label, "prompt", theme) for label in kept),
        *(chip(label, "generated", theme, "open") for label in read),
    )

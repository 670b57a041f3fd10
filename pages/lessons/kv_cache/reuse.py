"""The cache lesson's last part: a prompt that begins like one that was read before."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from model.kv_cache.experiments import common_start, reuse_passes
from model.kv_cache.records import PrefixReuse
from model.pass_by_pass import PassByPass
from model.tokenizing import encode
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.running import halt, in_slices, is_running, start_or_stop
from pages.frame.slices import TimedRun
from pages.lessons.kv_cache.state import CacheLesson
from viz.format import percent
from viz.kv_cache.prefix_chart import reuse_figure
from viz.palette import Theme
from viz.strip import chip, row

LONGEST = 8_000  # characters of one prompt
MOST_TOKENS = 512  # of one prompt
N_RUNS = 7  # of each of the three readings
COMMON = (
    "You are a kind storyteller. You tell short stories for small children. Every story has an "
    "animal in it, a problem that the animal has, and a friend who helps. Nobody is hurt, and in "
    "the end all go home and are happy. Use short words and short sentences.\n"
)
FIRST = COMMON + "Tell a story about a cat who lost her ball."
SECOND = COMMON + "Tell a story about a bird who could not sing."


def show_reuse(lesson: CacheLesson) -> None:
    """Offer two prompts, and show what the second one saves by the first."""
    st.header("A common start is read once", anchor=False)
    st.markdown(
        "**Keys and values depend only on what stands before them, so two prompts that begin alike "
        "share the cache of that beginning.** From the first token that differs, all is read anew."
    )
    in_slices(lambda: lesson.reuse_run, lambda: _reuse(lesson))
    show_code(reuse_passes, common_start, key="kv_code_4")


def _reuse(lesson: CacheLesson) -> None:
    run = lesson.reuse_run
    left, right = st.columns(2, gap="medium")
    for column, name, key, text in (
        (left, "First prompt", "kv_first", FIRST),
        (right, "Second prompt", "kv_second", SECOND),
    ):
        with column:
            st.text_area(
                name, text, key=key, height=140, max_chars=LONGEST, persist_state="session"
            )
    start_or_stop(
        is_running=is_running(run),
        title="Read both",
        key="kv_read",
        start=lambda: _read(lesson),
        stop=lambda: halt(run),
        start_key="kv_read",
    )
    if lesson.reuse_notice:
        st.error(lesson.reuse_notice)
    if run is not None:
        _progress(run)
        lesson.reuse = run.work.result or lesson.reuse
    if lesson.reuse is None:
        return
    theme = theme_now()
    st.html(token_strip(lesson.reuse, theme))
    st.caption("The second prompt. Filled: taken from the cache. Outlined: read.")
    show_chart(reuse_figure(lesson.reuse, lesson.lm.where, theme), "kv_reuse")


def _progress(run: TimedRun[PassByPass[PrefixReuse]]) -> None:
    reading = run.work
    if run.notice:
        st.error(run.notice)
    elif run.is_running:
        waiting = "waiting for another reader’s measurement; " if run.is_waiting else ""
        share = min(1.0, reading.n_done / reading.n_total)
        st.progress(share, f"{percent(share)}: {waiting}{reading.doing}")
    elif not reading.is_done:
        st.caption("Stopped: what was read to the end before stays.")


def _read(lesson: CacheLesson) -> None:
    """Begin to read; on bad input say so and keep what was measured last."""
    lm = lesson.lm
    lesson.walk.is_playing = False  # it would be timed as well
    try:
        first, second = (encode(lm, st.session_state[key]) for key in ("kv_first", "kv_second"))
        longest = max(len(first), len(second))
        most = min(MOST_TOKENS, lm.context_length or MOST_TOKENS)
        if longest > most:
            raise ValueError(
                f"A prompt has {longest:,} tokens, and up to {most:,} are read here: shorten it."
            )
        reading = PassByPass(reuse_passes(lm, first, second, N_RUNS), 1 + 3 * N_RUNS)
    except ValueError as error:
        lesson.reuse_notice = str(error)
    else:
        lesson.reuse_run, lesson.reuse_notice = TimedRun(reading), None


def token_strip(reuse: PrefixReuse, theme: Theme) -> Markup:
    """Write the second prompt's tokens as boxes: what was kept, and what was read."""
    kept, read = reuse.labels[: reuse.n_reused], reuse.labels[reuse.n_reused :]
    return row(
        *(chip(label, "prompt", theme) for label in kept),
        *(chip(label, "generated", theme, "open") for label in read),
    )

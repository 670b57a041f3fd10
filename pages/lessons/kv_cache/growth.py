"""The cache lesson's first part: the cache as a grid that gains one column per token."""

from __future__ import annotations

import streamlit as st

from model.generation import Generation
from model.kv_cache import bytes_in_use, cache_shape
from model.kv_cache.experiments import look_into, watch_rewind
from model.loading import LanguageModel
from model.tokenizing import encode, text_of
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.stepping import at_a_pace, step_buttons
from pages.lessons.kv_cache.state import CacheLesson, Walk
from viz.kv_cache.bytes_chart import bytes_figure, rewind_figure
from viz.kv_cache.grid_chart import grid_figure

PLAY_SECONDS = 0.7  # between two columns: paced for the eye
MOST_CHARACTERS = 2_000  # of a prompt typed here
LONGEST_PROMPT = 150  # tokens; more columns than that tell nothing apart


def show_growth(lesson: CacheLesson) -> None:
    """Show the text, its cache as a grid, and its bytes counted twice."""
    st.markdown(
        "**The keys and values of past tokens never change, so the model keeps them.** Reading the "
        "prompt lays all its columns at once; every token after it adds one column, and the same "
        "number of bytes."
    )
    with (
        st.form("kv_start", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        begun = lesson.walk.generation.prompt_ids
        st.session_state.setdefault("kv_prompt", text_of(lesson.lm.tokenizer, begun))
        st.text_input(
            "A text to start from",
            key="kv_prompt",
            max_chars=MOST_CHARACTERS,
        )
        st.form_submit_button("Start", key="kv_begin", on_click=_begin, args=(lesson,))
    at_a_pace(
        lambda: lesson.walk.is_playing,
        lambda: lesson.walk.step(),
        lambda: _growth(lesson),
        PLAY_SECONDS,
    )
    show_code(Generation.step, look_into, bytes_in_use, cache_shape, watch_rewind, key="kv_code_1")


def _begin(lesson: CacheLesson) -> None:
    """Start another text; if it cannot be read, the one on the page stays."""
    walk = lesson.walk
    try:
        text = st.session_state["kv_prompt"]
        generation = start(lesson.lm, text, walk.generation.seed)
    except ValueError as error:
        walk.is_playing, walk.notice = False, str(error)
    else:
        lesson.walk = Walk(generation, walk.settings)


def start(lm: LanguageModel, prompt: str, seed: int) -> Generation:
    """Start a text that the picture has room for.

    Raises:
        ValueError: One sentence with the remedy.
    """
    ids = encode(lm, prompt)
    if len(ids) > LONGEST_PROMPT:
        raise ValueError(
            f"The text has {len(ids)} tokens and the picture room for {LONGEST_PROMPT} of a "
            "prompt: shorten it."
        )
    return Generation(lm, ids, seed=seed)


def _growth(lesson: CacheLesson) -> None:
    walk = lesson.walk
    with st.container(horizontal=True, vertical_alignment="center", key="kv_buttons"):
        step_buttons(
            "kv",
            is_playing=walk.is_playing,
            can_step=walk.can_step,
            can_go_back=walk.n_generated > 0,
            step=walk.step,
            play=walk.play,
            back=walk.back,
        )
    if walk.notice:
        st.info(walk.notice)
    generation, theme = walk.generation, theme_now()
    grid = look_into(generation)
    if grid is None:
        st.info(
            f"{lesson.lm.name} keeps no keys and values by position, so there is no grid to draw: "
            "choose another model on the first page."
        )
        return
    show_chart(grid_figure(grid, theme), "kv_grid")
    left, right = st.columns(2, gap="large")
    with left:
        chart = bytes_figure(
            generation.cache_tokens,
            generation.cache_bytes,
            generation.bytes_held,
            lesson.lm.cache_shape,
            theme,
        )
        show_chart(chart, "kv_bytes")
    with right:
        if walk.moments:
            show_chart(rewind_figure(walk.moments, theme), "kv_rewind")
        else:
            st.caption(
                "What does going back free? Write a few tokens, then watch half of them being "
                "taken back in a copy of this text."
            )
            st.button(
                "Watch a rewind",
                key="kv_watch",
                on_click=walk.watch,
                disabled=walk.n_generated == 0,
            )

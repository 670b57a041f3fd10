"""The first part: the cache as a grid that gains one column per token."""

from collections.abc import Callable
from functools import partial

import streamlit as st
from markupsafe import Markup

from model.generation import Generation
from model.kv_cache import bytes_in_use, cache_shape
from model.kv_cache.experiments import look_into, watch_rewind
from model.kv_cache.query_key_value import attention_weights, read_query
from model.kv_cache.records import CacheGrid
from model.loading import LanguageModel
from model.tokenizing import encode_within, text_of
from pages.frame.code_that_ran import show_code
from pages.frame.figures import draw_when_opened, show_chart
from pages.frame.layout import is_presenting, show_error
from pages.frame.question import answered, lesson_asks, lesson_task_is_done, opening
from pages.frame.stepper import Stepper, show_stepper
from pages.lessons.kv_cache.settings import SETTINGS
from pages.lessons.kv_cache.state import (
    N_COUNTED,
    N_WATCHED,
    CacheLesson,
    GrowingText,
    new_stepper,
)
from viz.kv_cache.attention_chart import attention_figure
from viz.kv_cache.bytes_chart import bytes_figure, rewind_figure
from viz.kv_cache.grid_chart import grid_figure
from viz.kv_cache.squares_chart import one_half, squares_figure, total_html
from viz.strip import prose

PLAY_SECONDS = 0.7  # between two columns: paced for the eye
QUESTION = "With the cache, how many columns does the next pass compute?"
ANSWERS = "all of them", "half of them", "one"
UNTIL, COUNT = "Press Play to see it.", "Watch how many squares each pass computes."
HELD = '<p class="kv-total"></p>'
MAX_SHOWN = 300  # characters of the prompt
MAX_PROMPT = 150  # tokens; more columns than that tell nothing apart


def show_growth(lesson: CacheLesson, summary: Callable[[], None]) -> None:
    """Asks what a pass computes, shows that, why it is enough, and the cache itself in a fold.

    Args:
        lesson: What the reader has on the page.
        summary: Draws what to remember, right below the picture.
    """
    opening("For each token, a model computes a column of numbers, called its keys and values.")
    show_error(lesson.problem)
    show_stepper(lambda: lesson.stepper, lambda: _growth(lesson, summary), PLAY_SECONDS)


def show_setup(lesson: CacheLesson) -> None:
    """Offers another text, and shows the code that ran."""
    with st.expander("Another text", key="kv_setup"):
        _choose_text(lesson)
    functions = Generation.step, look_into, read_query, attention_weights, watch_rewind
    show_code(*functions, bytes_in_use, cache_shape, key="kv_code_1")


def _choose_text(lesson: CacheLesson) -> None:
    with (
        st.form("kv_start", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", key="kv_text"),
    ):
        begun = lesson.text.generation.prompt_ids
        if SETTINGS["prompt"] is None:
            SETTINGS.put(prompt=text_of(lesson.lm.tokenizer, begun))
        SETTINGS.widget("prompt")
        st.form_submit_button("Start", key="kv_begin", on_click=_begin, args=(lesson,))


def _begin(lesson: CacheLesson) -> None:
    """Starts another text; if it cannot be read, the one on the page stays."""
    with lesson.attempt():
        text = lesson.text
        generation = start(lesson.lm, SETTINGS["prompt"], text.generation.seed)
        lesson.stepper = new_stepper(generation, text.settings)


def start(lm: LanguageModel, prompt: str, seed: int) -> Generation:
    """Starts a text that the grid has room for; raise ValueError where it has none."""
    return Generation(lm, encode_within(lm, prompt, MAX_PROMPT), seed=seed)


def _growth(lesson: CacheLesson, summary: Callable[[], None]) -> None:
    text, generation = lesson.text, lesson.text.generation
    is_guided = lesson_asks()  # its reader counts
    text.n_watched = N_COUNTED if is_guided else N_WATCHED
    text.is_counted = lesson_task_is_done()
    grid = look_into(generation)
    # where nothing is kept there are no columns to ask for
    is_whole = len(generation.steps) >= text.n_watched or not text.can_step
    until = "" if is_whole else COUNT if generation.steps else UNTIL
    is_said = grid is None or answered(QUESTION, ANSWERS, ANSWERS[-1], "kv_said", until=until)
    with lesson.stepper.show(waits=not is_said):
        _show_text(lesson)
    if grid is None:
        st.info(
            f"{lesson.lm.shown} keeps no keys and values by position, so there is no grid to draw: "
            "choose another model on the first page."
        )
        summary()
        return
    n_to_come = max(0, text.n_watched - len(generation.steps))
    chart = squares_figure(grid.labels, generation.n_prompt, n_to_come, sums=not is_guided)
    if is_guided:  # to be counted by eye, also on a phone side by side
        with st.container(key="kv_halves"):
            columns = st.columns(2, gap="large")
        for half, column in enumerate(columns):
            with column:
                shown = one_half(chart, half, is_low=is_presenting())
                total = total_html(generation.n_prompt, len(generation.steps) + 1, half)
                below = total if is_whole else Markup(HELD)  # its room, until all is counted
                show_chart(shown, f"kv_squares_{half}", below=partial(_show_html, below))
        return

    show_chart(chart, "kv_squares", below=summary)
    why = "Why keys and values are kept, and queries are not"
    draw_when_opened(why, lambda: _show_why(text), key="kv_why")
    inside = "What lies in the cache, its bytes, and a rewind"
    draw_when_opened(inside, lambda: _show_inside(lesson, grid), key="kv_inside")


def _show_html(html: Markup) -> None:
    st.html(html)


def _show_text(lesson: CacheLesson) -> None:
    """Shows what is written, beside the buttons, unless the scene of a guided lesson does."""
    if lesson_asks():
        return
    generation, tokenizer = lesson.text.generation, lesson.lm.tokenizer
    prompt = text_of(tokenizer, generation.prompt_ids)
    written = text_of(tokenizer, generation.ids).removeprefix(prompt)
    said = prose((prompt[-MAX_SHOWN:], ""), (written, "generated"), size="lead")
    st.html(said, width="content")  # below the buttons where it has no room


def _show_why(text: GrowingText) -> None:
    """Shows what the newest token's query looks up."""
    st.markdown(
        "The newest token’s query is compared with the **key** of every token, and their "
        "**values** are mixed by the match. The next token brings a **query** of its own."
    )
    if (head := text.query()) is not None:
        show_chart(attention_figure(head), "kv_attention")


def _show_inside(lesson: CacheLesson, grid: CacheGrid) -> None:
    """Shows every key and value, their bytes counted twice, and what going back frees."""
    text, generation = lesson.text, lesson.text.generation
    show_chart(grid_figure(grid), "kv_grid")
    left, right = st.columns(2, gap="large")
    with left:
        chart = bytes_figure(
            generation.cache_tokens,
            generation.cache_bytes,
            generation.bytes_held,
            lesson.lm.cache_shape,
        )
        show_chart(chart, "kv_bytes")
    with right:
        if text.moments:
            show_chart(rewind_figure(text.moments), "kv_rewind")
        else:
            _offer_rewind(lesson)


def _offer_rewind(lesson: CacheLesson) -> None:
    st.caption(
        "What does going back free? Generate a few tokens, then watch half of them being taken "
        "back in a copy of this text."
    )
    st.button(
        "Watch a rewind",
        key="kv_watch",
        on_click=_watch,
        args=(lesson.stepper,),
        disabled=not lesson.text.can_go_back,
    )


def _watch(stepper: Stepper[GrowingText]) -> None:
    stepper.pause()
    with stepper.attempt():
        stepper.steps.watch()

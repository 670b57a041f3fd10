"""The diffusion lesson's first part: a page of masks that settles, pass by pass."""

from __future__ import annotations

from typing import Any

import streamlit as st

from model.diffusion.denoising import ORDERS, Diffusion, propose
from model.diffusion.experiments import history_of, left_first, sheet_of
from model.diffusion.layout import plan_passes
from model.diffusion.quality import second_look
from model.loading import LanguageModel
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.layout import is_presenting
from pages.frame.lesson_link import LessonLink
from pages.frame.link_fields import Number, OneOf, Whole, Words
from pages.frame.running import CLOCK_SECONDS
from pages.frame.stepping import step_buttons
from pages.lessons.diffusion.state import DiffusionLesson, Mode, PageRun
from viz.diffusion.denoise_grid import sheet_html, sheet_style, sheet_words
from viz.diffusion.fill_charts import history_figure
from viz.format import digits, duration, percent, plural

PLAY_SECONDS = 0.75  # between two passes: paced for the eye
SLICE_SECONDS = 0.35  # of passes between two looks at the buttons
LONGEST_TEXT = 1_000  # characters of a beginning or an end
MOST_POSITIONS = 128
LARGEST_SEED = 10_000
BLOCKS = (0, 8, 16)  # 0: all positions are one block
PROJECTOR = 1.3  # the sheet's scale in presenter mode
BEGINNING = "Once upon a time, there was a little girl named Lily. She had a red ball."
ENDING = "Lily hugged her mom and they went home."
PAGES = {
    "Between beginning and end": (BEGINNING, ENDING),
    "After a beginning": (BEGINNING, ""),
    "An empty page": ("", ""),
}
DEFAULTS: dict[str, Any] = {
    "diffusion_beginning": BEGINNING,
    "diffusion_ending": ENDING,
    "diffusion_passes": 8,
    "diffusion_length": 32,
    "diffusion_temperature": 0.8,
    "diffusion_order": "confidence",
    "diffusion_block": 0,
    "diffusion_seed": 0,
}
LINK = LessonLink(
    "diffusion",
    (
        Words("beginning", "diffusion_beginning", "the beginning", longest=LONGEST_TEXT),
        Words("ending", "diffusion_ending", "the end", longest=LONGEST_TEXT),
        Whole("passes", "diffusion_passes", "the number of passes", low=1, high=MOST_POSITIONS),
        Whole("positions", "diffusion_length", "positions", low=4, high=MOST_POSITIONS),
        Number("temperature", "diffusion_temperature", "the temperature", high=1.5),
        OneOf("order", "diffusion_order", "the order", names=ORDERS),
        OneOf("blocks", "diffusion_block", "the size of a block", names=BLOCKS),
        Whole("seed", "diffusion_seed", "the seed", high=LARGEST_SEED),
    ),
    default_model="unmasker",
)


def lay_out(lm: LanguageModel) -> Diffusion:
    """Lay out a page as the reader's settings have it.

    Raises:
        ValueError: where they cannot be had together.
    """
    wish = {key: st.session_state.get(key, default) for key, default in DEFAULTS.items()}
    return Diffusion(
        lm,
        int(wish["diffusion_length"]),
        str(wish["diffusion_beginning"]),
        joined_ending(str(wish["diffusion_ending"])),
        n_passes=int(wish["diffusion_passes"]),
        order=wish["diffusion_order"] or ORDERS[0],
        temperature=float(wish["diffusion_temperature"]),
        block_length=int(wish["diffusion_block"] or 0),
        seed=int(wish["diffusion_seed"]),
    )


def joined_ending(ending: str) -> str:
    """Return an end as it follows a token: with the space that a word begins with."""
    return f" {ending}" if ending[:1].isalnum() else ending


def show_fill(lesson: DiffusionLesson) -> None:
    """Show the settings, the page as a sheet of cells, and every pass as a row."""
    st.markdown(
        "**This model does not write from left to right: every pass reads the whole page and fills "
        "many positions at once, each blind to the others of its pass.** Press Step, or Play."
    )
    _settings(lesson)
    mode = lesson.run.mode
    pace = {"still": None, "play": PLAY_SECONDS}.get(mode, CLOCK_SECONDS)
    st.fragment(_fill, run_every=pace)(lesson, mode)
    show_code(Diffusion.step, propose, plan_passes, second_look, key="diffusion_code_1")


# Settings


def _settings(lesson: DiffusionLesson) -> None:
    begin: dict[str, Any] = {"on_change": _begin, "args": (lesson,)}
    for key, default in DEFAULTS.items():
        st.session_state.setdefault(key, default)
    kept: dict[str, Any] = {"persist_state": "session", **begin}
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_texts"):
        st.selectbox(
            "Page",
            list(PAGES),
            key="diffusion_page",
            on_change=_choose_page,
            args=(lesson,),
            width=290,
            persist_state="session",
        )
        with st.container(width=380):
            st.text_input("Beginning", key="diffusion_beginning", max_chars=LONGEST_TEXT, **kept)
        with st.container(width=330):
            st.text_input("End", key="diffusion_ending", max_chars=LONGEST_TEXT, **kept)
        wish = st.session_state
        has_coins = wish["diffusion_temperature"] > 0 or wish["diffusion_order"] == "random"
        st.number_input(
            "Seed", 0, LARGEST_SEED, key="diffusion_seed", width=110, disabled=not has_coins, **kept
        )
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_wishes"):
        with st.container(width=200):
            st.slider("Passes (K)", 1, MOST_POSITIONS, key="diffusion_passes", **kept)
        with st.container(width=200):
            st.slider("Positions to fill", 4, MOST_POSITIONS, key="diffusion_length", **kept)
        with st.container(width=150):
            st.slider(
                "Temperature",
                0.0,
                1.5,
                step=0.1,
                format="%.1f",
                key="diffusion_temperature",
                **kept,
            )
        st.segmented_control(
            "Fill first",
            ORDERS,
            key="diffusion_order",
            format_func=lambda order: {"confidence": "the surest"}.get(order, order),
            required=True,
            **kept,
        )
        st.segmented_control(
            "Blocks of",
            BLOCKS,
            key="diffusion_block",
            format_func=lambda n: str(n) if n else "all",
            required=True,
            help="Blocks are filled one after another, from left to right; within one, many "
            "positions at once.",
            **kept,
        )
    if lesson.notice:
        st.error(f"{lesson.notice} The page before it stays below.")


def match_page() -> None:
    """Let the choice of a page say which one the two texts are, where they are one of them."""
    texts = LINK.now("beginning"), LINK.now("ending")
    for name, known in PAGES.items():
        if texts == known:
            st.session_state["diffusion_page"] = name


def _choose_page(lesson: DiffusionLesson) -> None:
    beginning, ending = PAGES[st.session_state["diffusion_page"]]
    st.session_state["diffusion_beginning"] = beginning
    st.session_state["diffusion_ending"] = ending
    _begin(lesson)


def _begin(lesson: DiffusionLesson) -> None:
    """Lay out the page anew; where that cannot be, the one on the screen stays."""
    try:
        page = lay_out(lesson.lm)
    except ValueError as error:
        lesson.run.mode, lesson.notice = "still", str(error)
    else:
        lesson.run, lesson.notice = PageRun(page), None


# The page


def _fill(lesson: DiffusionLesson, mode: Mode) -> None:
    run = lesson.run
    if mode != "still" and run.mode == mode:
        run.tick(SLICE_SECONDS)
    if run.mode != mode:
        st.rerun()  # the fragment's clock starts and stops with the whole page
    _buttons(run)
    if run.notice:
        st.error(run.notice)
    sheet, theme = sheet_of(run.page, run.second), theme_now()
    scale = PROJECTOR if is_presenting() else 1.0
    st.html(f"<style>{sheet_style(theme, scale)}</style>")
    st.html(sheet_html(sheet))
    _say(run, sheet_words(sheet))
    if run.page.passes:
        show_chart(history_figure(history_of(run.page), theme), "diffusion_history")


def _buttons(run: PageRun) -> None:
    is_still, page = run.mode == "still", run.page
    with st.container(horizontal=True, vertical_alignment="center", key="diffusion_buttons"):
        step_buttons(
            "diffusion",
            is_playing=not is_still,
            can_step=not page.finished,
            can_go_back=bool(page.passes),
            step=run.step,
            play=run.play,
            back=run.back,
        )
        st.button(
            "Fill",
            key="diffusion_fill",
            on_click=run.fill,
            disabled=not is_still or page.finished,
            icon=":material/fast_forward:",
        )
        st.button(
            "Second look",
            key="diffusion_look",
            on_click=run.look,
            disabled=not is_still or not page.finished or run.second is not None,
            icon=":material/visibility:",
            help="Mask one position at a time of the finished page: what does the model give the "
            "token there, once it knows all the rest?",
        )
        if run.mode == "look":
            st.caption(f"Looking: {percent(run.share_looked)}")


def _bar_words(run: PageRun) -> str:
    """Say what the bar at the foot of a cell is."""
    if not run.page.passes:
        return ""
    if run.second is not None:
        return "The bar at a cell’s foot is what the model gives its token on the second look."
    return (
        "The bar at a cell’s foot is how sure the model is of what it proposes there, or was when "
        "it filled it."
    )


def _say(run: PageRun, words: str) -> None:
    page = run.page
    said = [f"Measured. {words} {_bar_words(run)}"]
    if page.passes:
        n_read, n_passes = page.passes[-1].n_input, len(page.passes)
        said.append(
            f"Every pass reads all {plural(n_read, 'token')} and fills "
            f"{digits(page.length / len(page.plan), 2)} positions on average; "
            f"{plural(n_passes, 'pass', 'es')} took {duration(page.seconds)}."
        )
    share = left_first(page.filled_in)
    if share is not None:
        said.append(
            f"Of two positions filled in different passes, the left one came first in "
            f"{percent(share)} (50{chr(0x202F)}% is no order, 100{chr(0x202F)}% left to right)."
        )
    st.caption(" ".join(said))
    if page.finished:
        st.text(page.text)

"""The diffusion lesson's first part: a page of masks that settles, pass by pass."""

from __future__ import annotations

from typing import Any

import streamlit as st

from model.diffusion.denoising import Diffusion, propose
from model.diffusion.experiments import history_of, left_first, sheet_of
from model.diffusion.layout import plan_passes
from model.diffusion.quality import second_look
from model.loading import LanguageModel
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.layout import is_presenting
from pages.frame.running import CLOCK_SECONDS
from pages.frame.stepping import step_buttons
from pages.lessons.diffusion.settings import PAGES, SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson, Mode, PageRun
from viz.diffusion.denoise_grid import sheet_html, sheet_style, sheet_words
from viz.diffusion.fill_charts import history_figure
from viz.format import digits, duration, percent, plural

PLAY_SECONDS = 0.75  # between two passes: paced for the eye
SLICE_SECONDS = 0.35  # of passes between two looks at the buttons
PROJECTOR = 1.3  # the sheet's scale in presenter mode


def lay_out(lm: LanguageModel) -> Diffusion:
    """Lay out a page as the reader's settings have it.

    Raises:
        ValueError: where they cannot be had together.
    """
    return Diffusion(
        lm,
        SETTINGS["positions"],
        SETTINGS["beginning"],
        joined_ending(SETTINGS["ending"]),
        n_passes=SETTINGS["passes"],
        order=SETTINGS["order"],
        temperature=SETTINGS["temperature"],
        block_length=SETTINGS["blocks"],
        seed=SETTINGS["seed"],
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
    anew: dict[str, Any] = {"on_change": _begin, "args": (lesson,)}
    has_coins = SETTINGS["temperature"] > 0 or SETTINGS["order"] == "random"
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_texts"):
        SETTINGS.widget("page", on_change=_choose_page, args=(lesson,), width=290)
        SETTINGS.widget("beginning", width=380, **anew)
        SETTINGS.widget("ending", width=330, **anew)
        SETTINGS.widget("seed", width=110, disabled=not has_coins, **anew)
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_wishes"):
        SETTINGS.widget("passes", width=200, **anew)
        SETTINGS.widget("positions", width=200, **anew)
        SETTINGS.widget("temperature", width=150, format="%.1f", **anew)
        SETTINGS.widget("order", **anew)
        SETTINGS.widget("blocks", **anew)
    if lesson.notice:
        st.error(f"{lesson.notice} The page before it stays below.")


def match_page() -> None:
    """Let the choice of a page say which one the two texts are, where they are one of them."""
    texts = SETTINGS["beginning"], SETTINGS["ending"]
    for name, known in PAGES.items():
        if texts == known:
            SETTINGS.put(page=name)


def _choose_page(lesson: DiffusionLesson) -> None:
    beginning, ending = PAGES[SETTINGS["page"]]
    SETTINGS.put(beginning=beginning, ending=ending)
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

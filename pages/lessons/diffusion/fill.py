"""The diffusion lesson's first part: one text, by the loop and by a page of masks, pass by pass."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from model.diffusion.denoising import Diffusion, propose
from model.diffusion.layout import plan_passes
from model.diffusion.page_view import (
    history_of,
    left_first,
    loop_sheet,
)
from model.diffusion.quality import leave_one_out
from model.diffusion.records import Sheet
from model.loading import LanguageModel
from pages.frame.code_that_ran import show_code
from pages.frame.figures import draw_when_opened, show_chart, show_folded
from pages.frame.layout import show_error
from pages.frame.question import answered
from pages.frame.stepper import Stepper, show_stepper
from pages.lessons.diffusion.settings import FIRST_SEED, PAGES, SETTINGS
from pages.lessons.diffusion.state import BothSides, DiffusionLesson
from viz.diffusion.history_chart import history_figure
from viz.diffusion.sheet import STYLE, beginning_html, key_html, sheet_html, sheet_words
from viz.format import digits, duration, percent, plural

SAID = "diffusion_said"
QUESTION = "The right side writes several words in one pass. What may go wrong?"
ANSWERS = "it takes longer", "they may clash", "nothing"
PLAY_SECONDS = 0.5  # between two passes: paced for the eye


def lay_out(lm: LanguageModel, wants: Mapping[str, Any]) -> Diffusion:
    """Makes a masked page from settings, by name.

    Raises:
        ValueError: where they cannot be had together.
    """
    return Diffusion(
        lm,
        wants["positions"],
        wants["beginning"],
        joined_ending(wants["ending"]),
        n_passes=wants["passes"],
        order=wants["order"],
        temperature=wants["temperature"],
        block_length=wants["blocks"],
        seed=wants["seed"],
    )


def joined_ending(ending: str) -> str:
    """Returns an end as it follows a token: with the space that a word begins with."""
    return f" {ending}" if ending[:1].isalnum() else ending


def steps_of(page: Diffusion) -> Stepper[BothSides]:
    """Returns what a page is stepped by."""
    return Stepper(BothSides(page), "diffusion")


def show_fill(lesson: DiffusionLesson, summary: Callable[[], None]) -> None:
    """Shows the loop and the masked model at the same text, then what both are set up with.

    Args:
        lesson: What the reader has on the page.
        summary: Draws what to remember, right below the picture.
    """
    st.html(f"<style>{STYLE}</style>")
    show_stepper(lambda: lesson.stepper, lambda: _draw(lesson, summary), PLAY_SECONDS)
    with st.expander("Passes, other texts, length, temperature and order", key="diffusion_setup"):
        _settings(lesson)
    show_code(Diffusion.step, propose, plan_passes, leave_one_out, key="diffusion_code")


# Settings


def _settings(lesson: DiffusionLesson) -> None:
    anew: dict[str, Any] = {"on_change": _begin, "args": (lesson,)}
    has_pointers = SETTINGS["temperature"] > 0 or SETTINGS["order"] == "random"
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_texts"):
        SETTINGS.widget("page", on_change=_choose_page, args=(lesson,), width=290)
        SETTINGS.widget("beginning", width=380, **anew)
        SETTINGS.widget("ending", width=330, **anew)
        SETTINGS.widget("seed", width=110, disabled=not has_pointers, **anew)
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_sliders"):
        SETTINGS.widget("passes", width=200, **anew)
        SETTINGS.widget("positions", width=200, **anew)
        SETTINGS.widget("temperature", width=150, format="%.1f", **anew)
        SETTINGS.widget("order", **anew)
        SETTINGS.widget("blocks", **anew)


def match_page() -> None:
    """Lets the choice of a page say which one the two texts are, where they are one of them."""
    texts = SETTINGS["beginning"], SETTINGS["ending"]
    for name, known in PAGES.items():
        if texts == known:
            SETTINGS.put(page=name)


def _choose_page(lesson: DiffusionLesson) -> None:
    beginning, ending = PAGES[SETTINGS["page"]]
    SETTINGS.put(beginning=beginning, ending=ending)
    _begin(lesson)


def _begin(lesson: DiffusionLesson) -> None:
    """Lays out the page anew; where that cannot be, the one on the screen stays."""
    with lesson.attempt("The sequence before it stays below."):
        lesson.stepper = steps_of(lay_out(lesson.lm, SETTINGS.values()))


# The page


def _draw(lesson: DiffusionLesson, summary: Callable[[], None]) -> None:
    page = lesson.page
    is_said = _asked(lesson)
    lesson.stepper.show(waits=not is_said)
    show_error(lesson.problem)
    sheet = lesson.sheet()
    with st.container(key="diffusion_sides"):
        if beginning := beginning_html(sheet):
            with st.container(key="diffusion_given"):
                st.html(beginning)
        with st.container(key="diffusion_page_sheet"):
            st.markdown(f"**All over the page:** {_passes(page.n_done)}, {_filled(sheet)}")
            st.html(sheet_html(sheet, is_opened=True))
        with st.container(key="diffusion_loop"):
            _loop(lesson)
        with st.container(key="diffusion_end"):
            st.html(key_html(sheet))
            summary()
    if not is_said:
        return
    if page.finished:
        st.text(page.text)
        _say(page, sheet)
    title = "What each pass proposed and filled"
    draw_when_opened(title, lambda: _show_passes(page), key="diffusion_every_pass")


def _asked(lesson: DiffusionLesson) -> bool:
    """Asks what it costs to fill several places at once; tells whether the passes may begin."""
    page = lesson.page
    is_one_by_one = len(page.plan) == page.length
    until = "" if page.finished else "Press Play to see it."
    return is_one_by_one or answered(QUESTION, ANSWERS, ANSWERS[1], SAID, until=until)


def _show_passes(page: Diffusion) -> None:
    if page.passes:
        show_chart(history_figure(history_of(page)), "diffusion_history")


def _loop(lesson: DiffusionLesson) -> None:
    """Shows what the loop has after as many passes."""
    page, steps = lesson.page, lesson.stepper.steps
    text = lesson.loop(SETTINGS["beginning"], steps.n_loop)
    if text is None:
        steps.n_beside = 0
        st.caption(f"{lesson.judge.name} cannot read this beginning, so nothing stands beside it.")
        return
    if text.finished:
        steps.n_beside = len(text.steps)
    sheet = loop_sheet(text, steps.n_loop, page.length)
    st.markdown(f"**Left to right:** {_passes(sheet.n_passes)}, {_filled(sheet)}")
    st.html(sheet_html(sheet, is_opened=True))
    if SETTINGS["ending"]:
        st.caption("It cannot see the end.")


def _passes(n: int) -> str:
    return plural(n, "pass", "es")


def _filled(sheet: Sheet) -> str:
    return plural(sum(not given for given in sheet.given) - sheet.n_open, "token")


def _say(page: Diffusion, sheet: Sheet) -> None:
    """Says what a full sheet shows, what the passes took, and in which order they filled it."""
    said = [f"Measured. {sheet_words(sheet)}"]
    said.append(
        f"Every pass reads all {len(page.ids)} tokens, proposes one for each open position and "
        f"fills {digits(page.length / len(page.plan), 2)} positions on average; "
        f"{plural(page.n_done, 'pass', 'es')} took {duration(page.seconds)}."
    )
    share = left_first(page.filled_in)
    if share is not None:
        said.append(
            f"Of two positions filled in different passes, the left one came first in "
            f"{percent(share)} ({percent(0.5)} is no order, {percent(1)} left to right)."
        )
    if page.seed == FIRST_SEED:
        said.append(
            f"Seed {FIRST_SEED}, on which the page opens, is the first one whose text has a clash "
            "of just two words that one pass wrote side by side."
        )
    show_folded(" ".join(said), "diffusion_sheet_words")

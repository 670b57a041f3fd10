"""The diffusion lesson's first part: a sequence of masks that is filled, pass by pass."""

from __future__ import annotations

from typing import Any

import streamlit as st

from model.diffusion.denoising import Diffusion, propose
from model.diffusion.layout import plan_passes
from model.diffusion.page_view import check_page, history_of, left_first, sheet_of
from model.diffusion.quality import leave_one_out
from model.diffusion.records import Sheet
from model.job import Job
from model.loading import LanguageModel
from pages.frame.experiment import Experiment
from pages.frame.figures import show_caption, show_chart
from pages.frame.job_panel import CLOCK_SECONDS, SLICE_SECONDS
from pages.frame.layout import show_error
from pages.frame.stepper import PassSteps, Stepper, show_stepper
from pages.lessons.diffusion.settings import PAGES, SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson
from viz.diffusion.history_chart import history_figure
from viz.diffusion.sheet import STYLE, sheet_html, sheet_words
from viz.format import digits, duration, percent, plural

PLAY_SECONDS = 0.75  # between two passes: paced for the eye


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


def steps_of(page: Diffusion) -> Stepper[PassSteps[Diffusion]]:
    """Return what a page is stepped by."""
    return Stepper(PassSteps(page), "diffusion")


def show_fill(lesson: DiffusionLesson) -> None:
    """Show the settings, the sequence as a sheet of cells, and every pass as a row."""
    st.markdown(
        "A masked model does not write from left to right. Every pass reads the whole sequence "
        "and fills many positions at once, each blind to the others of its pass. Press Step, or "
        "Play."
    )
    st.html(f"<style>{STYLE}</style>")
    is_filling = lesson.stepper.steps.seconds > 0
    pace = CLOCK_SECONDS if is_filling else PLAY_SECONDS
    with st.container(key="diffusion_part"):
        with st.container(key="setup_diffusion"):
            _settings(lesson)
        show_stepper(lambda: lesson.stepper, lambda: _draw(lesson), pace)


# Settings


def _settings(lesson: DiffusionLesson) -> None:
    anew: dict[str, Any] = {"on_change": _begin, "args": (lesson,)}
    has_coins = SETTINGS["temperature"] > 0 or SETTINGS["order"] == "random"
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_texts"):
        SETTINGS.widget("page", on_change=_choose_page, args=(lesson,), width=290)
        SETTINGS.widget("beginning", width=380, **anew)
        SETTINGS.widget("ending", width=330, **anew)
        SETTINGS.widget("seed", width=110, disabled=not has_coins, **anew)
    with st.container(horizontal=True, vertical_alignment="bottom", key="diffusion_draws"):
        SETTINGS.widget("passes", width=200, **anew)
        SETTINGS.widget("positions", width=200, **anew)
        SETTINGS.widget("temperature", width=150, format="%.1f", **anew)
        SETTINGS.widget("order", **anew)
        SETTINGS.widget("blocks", **anew)
    show_error(lesson.problem)


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
    with lesson.attempt("The sequence before it stays below."):
        lesson.stepper = steps_of(lay_out(lesson.lm))
        lesson.jobs.pop("diffusion_check", None)


# The page


def _draw(lesson: DiffusionLesson) -> None:
    stepper, page = lesson.stepper, lesson.page
    if not stepper.is_playing:
        stepper.steps.seconds = 0  # the next Play is one pass at a time again
    stepper.show().button(
        "Fill",
        key="diffusion_fill",
        on_click=_fill,
        args=(stepper,),
        disabled=stepper.is_playing or page.finished,
        icon=":material/fast_forward:",
    )
    sheet = sheet_of(page)
    st.html(sheet_html(sheet))
    _say(page, sheet)
    if page.passes:
        show_chart(history_figure(history_of(page)), "diffusion_history")


def _fill(stepper: Stepper[PassSteps[Diffusion]]) -> None:
    """Run the passes that are left as fast as they go."""
    stepper.steps.seconds = SLICE_SECONDS
    stepper.play()


def _say(page: Diffusion, sheet: Sheet) -> None:
    """Say what the sheet shows, what the passes took, and in which order they filled it."""
    said = [f"Measured. {sheet_words(sheet)}"]
    if page.passes:
        said.append(
            "The bar at the foot of a cell is the model’s confidence in what it proposes there, "
            f"or had when it filled it. Every pass reads all {len(page.ids)} tokens and fills "
            f"{digits(page.length / len(page.plan), 2)} positions on average; "
            f"{plural(page.n_done, 'pass', 'es')} took {duration(page.seconds)}."
        )
    share = left_first(page.filled_in)
    if share is not None:
        said.append(
            f"Of two positions filled in different passes, the left one came first in "
            f"{percent(share)} ({percent(0.5)} is no order, {percent(1)} left to right)."
        )
    st.caption(" ".join(said))
    if page.finished:
        st.text(page.text)


class LeaveOneOut(Experiment[DiffusionLesson]):
    """Every token that was filled in, given all the others."""

    key, title = "diffusion_check", "Leave-one-out check"
    button, icon = "Check", ":material/visibility:"
    recorded = Sheet
    claim = (
        "Does each token fit all the others? Check masks every filled position again, one at a "
        "time, and asks how likely its token is given all the rest."
    )
    code = (Diffusion.step, propose, plan_passes, leave_one_out)

    def _start(self) -> Job[Sheet]:
        return Job(check_page(self.lesson.page))

    def _draw(self, job: Job[Sheet]) -> None:
        sheet = job.result
        st.html(sheet_html(sheet))
        show_caption(
            f"Measured. {sheet_words(sheet)} The bar at the foot of a cell is the probability of "
            "its token given all the others."
        )

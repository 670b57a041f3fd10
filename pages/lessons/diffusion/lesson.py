"""The diffusion lesson below its title: the reader's state, then its parts from top to bottom."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from pages.frame.course import show_summary
from pages.frame.layout import show_error
from pages.frame.lesson_state import lesson_state, progress_caption
from pages.frame.link import asked_model, begin_by_link, offer_link, show_faults
from pages.frame.models import shared_model
from pages.frame.second_run import draw_in_second_run
from pages.lessons.diffusion.experiments import FewPassesOrMany, ThreeWays
from pages.lessons.diffusion.fill import (
    SAID,
    lay_out,
    match_page,
    show_fill,
    steps_of,
)
from pages.lessons.diffusion.settings import SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson

LESSON = "diffusion_lesson"
FILLER = SETTINGS.default_model


def show_diffusion_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""

    def begin(judge: LanguageModel, old: DiffusionLesson | None) -> DiffusionLesson:
        if old is not None:  # the sequence stays, another model judges it
            return DiffusionLesson(old.lm, old.stepper, judge)
        return begin_by_link(SETTINGS, lambda: begin_anew(judge))

    def begin_anew(judge: LanguageModel) -> DiffusionLesson:
        lm = shared_model(asked_model(SETTINGS) or FILLER, progress=progress_caption(waiting))
        page = lay_out(lm, SETTINGS.values())
        match_page()
        return DiffusionLesson(lm, steps_of(page), judge)

    lesson = lesson_state(LESSON, waiting, begin, model_of=lambda lesson: lesson.judge)
    show_faults(SETTINGS)
    show_fill(lesson, _summary)
    draw_in_second_run(lambda: _show_laboratory(lesson))


def _summary() -> None:
    titles = FewPassesOrMany.title, ThreeWays.title
    show_summary("pages/diffusion.py", *titles, asked=SAID)


def _show_laboratory(lesson: DiffusionLesson) -> None:
    _choose_model(lesson)
    FewPassesOrMany(lesson).show()
    ThreeWays(lesson).show()
    _show_old_link()


def _show_old_link() -> None:
    """Leads a link to gaps, which were filled on this page once, to the page where they are now."""
    if gaps := st.query_params.get("gaps"):
        page = "pages/encoder_decoder.py"
        st.page_link(page, label="The text with gaps of this link", query_params={"gaps": gaps})


def _choose_model(lesson: DiffusionLesson) -> None:
    """Offers another masked model; one that will not do leaves the one in use."""
    lm = lesson.lm
    with st.container(horizontal=True, vertical_alignment="center", key="diffusion_models"):
        st.caption(
            f"Filled by {lm.shown}, a masked model of {lm.n_parameters / 1e6:.1f} million "
            f"parameters ({lm.where}); read and judged by "
            f"{lesson.judge.name}, which writes from left to right."
        )
        offer_link(SETTINGS, lm)
        with st.popover("Another model", icon=":material/swap_horiz:"):
            st.text_input(
                "A masked model: a folder, or a hub id",
                key="diffusion_model",
                placeholder="answerdotai/ModernBERT-base",
                on_change=_change_model,
                args=(lesson,),
            )
            show_error(lesson.problem)


def _change_model(lesson: DiffusionLesson) -> None:
    name = st.session_state["diffusion_model"].strip()
    with lesson.attempt("The sequence before it stays."):
        lm = shared_model(name or FILLER)
        stepper = steps_of(lay_out(lm, SETTINGS.values()))
        st.session_state[LESSON] = DiffusionLesson(lm, stepper, lesson.judge)

"""The laboratory of sampling: engines' orders of the masks, draws and chi-square, Mirostat."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.draw import count_draws
from model.sampling import process
from pages.frame.code_that_ran import show_code
from pages.frame.link import offer_link
from pages.frame.second_run import draw_in_second_run
from pages.lessons.sampling.aimed import AimedTexts
from pages.lessons.sampling.engines import show_engines, show_pipelines
from pages.lessons.sampling.lesson import as_shown, begin_lab, choose_source, show_masks
from pages.lessons.sampling.measured import show_draws, show_overlap, show_temperatures
from pages.lessons.sampling.settings import COMPARED
from pages.lessons.sampling.state import Lab


def show_samplers_compared(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    state = begin_lab(waiting)
    st.fragment(show_pipelines)()
    draw_in_second_run(lambda: _show_rest(state))


def _show_rest(state: Lab) -> None:
    choose_source(state)
    _measured_masks()
    offer_link(COMPARED, state.lm, lambda: as_shown(state))
    AimedTexts(state).show()
    show_code(process, count_draws, key="engines_code")


@st.fragment
def _measured_masks() -> None:
    """Shows the masks, and the figures that are drawn anew when a slider is released."""
    state = show_masks(compares=True)
    show_engines()
    show_temperatures(state)
    show_overlap(state)
    show_draws(state)

"""The sampling lesson below its title: the distribution, the masks on it, what is drawn from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel
from model.masks import MASKS
from model.sampling import process
from model.sampling.experiments import count_draws, find_loop
from model.tokenizing import vocabulary_labels
from pages.frame.code_that_ran import show_code
from pages.frame.component import trigger_value
from pages.frame.layout import is_presenting
from pages.frame.lesson_link import LessonLink, asked_text, offer_link
from pages.frame.lesson_state import home_session, kept_lesson
from pages.frame.link_fields import Number, OneOf, Whole, Words
from pages.frame.models import DEFAULT_PROMPT
from pages.lessons.sampling.component import lab, vocabulary
from pages.lessons.sampling.draws import show_draws
from pages.lessons.sampling.loop import show_loop
from pages.lessons.sampling.overlap import show_overlap
from pages.lessons.sampling.source import (
    SHAPES,
    TEXTBOOK,
    UNITS,
    Unit,
    from_generation,
    from_lines,
)
from pages.lessons.sampling.state import SLIDERS, Lab, LabControls
from pages.lessons.sampling.votes import show_votes

LAB = "sampling_lab"
SOURCES = {
    "text": "The first page’s text",
    "prompt": "Another prompt",
    "textbook": "Textbook",
    "flat": "Flat",
    "peaked": "Peaked",
    "heavy": "Heavy tail",
    "typed": "Typed by hand",
}
LONGEST_TYPED = 2_000  # characters of a list that a link carries
LINK = LessonLink(
    "lab",
    (
        OneOf("source", "lab_source", "the distribution", "text", names=tuple(SOURCES)),
        Words("prompt", "lab_prompt", "the prompt", "She looked at the"),
        Words("typed", "lab_typed", "the list", TEXTBOOK, longest=LONGEST_TYPED),
        OneOf("unit", "lab_unit", "the unit", names=UNITS),
        Whole("top_k", "lab_top_k", "top_k", high=10**6),
        Words("use", "lab_use", "the masks in use", longest=100),
        *(  # which of these a slider can say, the controls themselves know
            Number(name, f"lab_{name}", name, high=1_000) for name in SLIDERS if name != "top_k"
        ),
    ),
)


def show_lab(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    state = kept_lesson(LAB, waiting, _begin, link=LINK)
    waiting.empty()
    st.markdown(
        "The model says how likely each token is; a mask says which may still be drawn. "
        "**Drag a slider, or change the distribution.**"
    )
    _choose_source(state)
    vocabulary(state.lm.name, vocabulary_labels(state.lm))
    _masks()
    offer_link(LINK, state.lm, lambda: _as_shown(state))
    show_votes(state)
    show_loop(state)
    show_code(process, *MASKS.values(), count_draws, find_loop, key="lab_code")


def _begin(lm: LanguageModel, old: Lab | None) -> Lab:
    """Begin with the first page's text, the sliders as a link has them; later they stay."""
    reader = home_session()
    text = reader.generation if reader else Generation(lm, DEFAULT_PROMPT)
    controls = _asked_controls() if old is None else old.controls
    return Lab(lm, text, from_generation(text), controls)


def _asked_controls() -> LabControls:
    """Return the sliders of a link, and the usual ones for what it does not say.

    Raises:
        ValueError: One sentence with the remedy.
    """
    asked = {name: asked_text(LINK, name) for name in SLIDERS}
    values: dict[str, Any] = {name: text for name, text in asked.items() if text is not None}
    use = asked_text(LINK, "use")
    names = LabControls().use if use is None else tuple(filter(None, use.split(",")))
    return LabControls.from_page(values | {"use": names})


def _as_shown(state: Lab) -> dict[str, object]:
    """Return what stands on the page, as its link has it: its sliders, and where it reads."""
    source = LINK.now("source")
    shown: dict[str, object] = {name: getattr(state.controls, name) for name in SLIDERS}
    shown["use"] = ",".join(state.controls.use)
    if source == "text":  # of the first page: it may be another by the time the link is opened
        reader = home_session()
        text = (reader.generation if reader else state.text).text
        return shown | {"source": "prompt", "prompt": text, "typed": None, "unit": None}
    if source != "prompt":
        shown["prompt"] = None
    if source != "typed":
        shown |= {"typed": None, "unit": None}
    return shown


# Where the distribution comes from


def _choose_source(state: Lab) -> None:
    """Let the reader choose a distribution; one that cannot be read leaves the one in use."""
    kind = st.segmented_control(
        "Distribution",
        list(SOURCES),
        required=True,
        format_func=lambda name: SOURCES[name],
        key="lab_source",
        persist_state="session",
        label_visibility="collapsed",
    )
    problem = st.empty()
    try:
        _take_source(state, kind or "text")
        if state.given.notice:
            problem.info(state.given.notice)
    except ValueError as error:
        problem.error(f"{error} The distribution before it stays below.")


def _take_source(state: Lab, kind: str) -> None:
    if kind in SHAPES:
        state.given = SHAPES[kind]
    elif kind == "textbook":
        given = from_lines(TEXTBOOK, "probabilities")
        state.given = replace(
            given, caption="Illustrative: eleven tokens that might follow “The cat sat on the”."
        )
    elif kind == "typed":
        _take_typed(state)
    elif kind == "prompt":
        _take_prompt(state)
    else:
        reader = home_session()
        state.given = from_generation(reader.generation if reader else state.text)


def _take_typed(state: Lab) -> None:
    left, right = st.columns([3, 1], gap="medium")
    with left:
        text = st.text_area(
            "One token to a line, token: number",
            height=140,
            key="lab_typed",
            persist_state="session",
        )
    with right:
        unit: Unit = st.radio(
            "The numbers are",
            UNITS,
            key="lab_unit",
            persist_state="session",
        )
    state.given = from_lines(text, unit)


def _take_prompt(state: Lab) -> None:
    prompt = st.text_input("Prompt", key="lab_prompt", persist_state="session")
    state.given = from_generation(Generation(state.lm, prompt))


# The component, and the figures that are drawn anew when a slider is released


@st.fragment
def _masks() -> None:
    state: Lab = st.session_state[LAB]
    lab(state.payload(presenter=is_presenting()), on_event=_take_event)
    if state.notice:
        st.error(state.notice)
    show_overlap(state)
    show_draws(state)


def _take_event() -> None:
    event: dict[str, Any] | None = trigger_value("lab", "event")
    if event:
        st.session_state[LAB].take(event)

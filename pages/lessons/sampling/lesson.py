"""The sampling lesson below its title: the distribution, the masks on it, texts under them."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel
from model.masks import MASKS
from model.records import Memory
from model.sampling import process
from model.sampling.experiments import find_loop
from pages.frame.assets import SHARED
from pages.frame.attempts import made_or_said
from pages.frame.code_that_ran import show_code
from pages.frame.component import component, trigger_value
from pages.frame.course import follow_moved, show_summary
from pages.frame.layout import is_presenting, show_error
from pages.frame.lesson_state import home_session, lesson_state
from pages.frame.link import offer_link
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.question import answered, lesson_asks, lesson_waits
from pages.frame.second_run import draw_in_second_run
from pages.lessons.sampling.settings import COMPARED, SAMPLED, SETTINGS
from pages.lessons.sampling.source import SHAPES, Given, from_generation, from_lines
from pages.lessons.sampling.state import FIELDS, Lab, LabControls
from pages.lessons.sampling.texts import GreedyLoops, SelfConsistency

LAB = "sampling_lab"
PATH = "pages/sampling.py"
QUESTION = "Top-p goes down: fewer tokens may be drawn. What becomes of “{}”?"
SAID, LONGER = "lab_said", "it grows"
CHOICES = ("it shrinks", "it stays", LONGER)
SOURCE_TITLE = "Another text, or another distribution"
GUIDE_TITLE = "Which temperature for which task?"
GUIDE = Path(__file__).with_name("guide.md").read_text(encoding="utf-8")
_FOLDER = Path(__file__).parent
_lab = component("lab", _FOLDER / "mount.js", SHARED, _FOLDER)


def show_lab(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    follow_moved(PATH, SAMPLED, COMPARED)
    state = begin_lab(waiting)
    question, picture, summary, masks = (st.container() for _ in range(4))
    with st.container(key="lab_source_below"):
        choose_source(state)
    with question:
        is_answered = answered(QUESTION.format(state.first_word), CHOICES, LONGER, SAID)
    with picture:
        waits = not is_answered or lesson_waits()
        st.fragment(show_masks)(is_picture=True, waits=waits)
    with summary:
        show_summary(PATH, GUIDE_TITLE, SelfConsistency.title, GreedyLoops.title, asked=SAID)
    if not lesson_asks():
        with masks:
            st.fragment(show_masks)()
    draw_in_second_run(lambda: _show_laboratory(state))


def _show_laboratory(state: Lab) -> None:
    offer_link(SAMPLED, state.lm, lambda: as_shown(state))
    st.header(GUIDE_TITLE, anchor=False)
    st.markdown(GUIDE)
    st.caption("Rules of thumb for large chat models: try both ends of a range on your own task.")
    SelfConsistency(state).show()
    GreedyLoops(state).show()
    remembers = Memory.under, Memory.after
    show_code(process, *MASKS.values(), *remembers, find_loop, key="lab_code")


# What the lesson and its laboratory share


def begin_lab(waiting: DeltaGenerator) -> Lab:
    """Returns the reader's state."""
    return lesson_state(LAB, waiting, _begin, settings=SETTINGS, over_server=True)


def _begin(lm: LanguageModel, old: Lab | None) -> Lab:
    """Begins with the first page's text, the sliders as a link has them; later they stay."""
    reader = home_session()
    text = reader.generation if reader else Generation(lm, DEFAULT_PROMPT)
    controls = {field.name: SETTINGS[field.name] for field in FIELDS}
    kept = LabControls(**controls) if old is None else old.controls
    return Lab(lm, text, from_generation(text), kept)


def as_shown(state: Lab) -> dict[str, object]:
    """Returns the fields of a link to the page: its sliders, and the source of its text."""
    source = SETTINGS["source"]
    shown: dict[str, object] = asdict(state.controls)
    if source == "text":  # of the first page: it may be another by the time the link is opened
        reader = home_session()
        text = (reader.generation if reader else state.text).text
        return shown | {"source": "prompt", "prompt": text, "typed": None, "unit": None}
    if source != "prompt":
        shown["prompt"] = None
    if source != "typed":
        shown |= {"typed": None, "unit": None}
    return shown


def choose_source(state: Lab) -> None:
    """Lets the reader choose a distribution; one that cannot be read leaves the one in use."""
    problem = st.empty()  # seen where the fold is closed, too
    stays = "The distribution before it stays below."
    with st.expander(SOURCE_TITLE, key="lab_sources"):
        kind = SETTINGS.widget("source", label_visibility="collapsed")
        given = made_or_said(lambda: _read_source(state, kind), problem, stays)
    if given is not None:
        state.given = given
        if given.notice:
            problem.info(given.notice)


def _read_source(state: Lab, kind: str) -> Given:
    if kind in SHAPES:
        return SHAPES[kind]
    if kind == "typed":
        left, right = st.columns([3, 1], gap="medium")
        with left:
            text = SETTINGS.widget("typed", height=140)
        with right:
            unit = SETTINGS.widget("unit")
        return from_lines(text, unit)
    if kind == "prompt":
        return from_generation(Generation(state.lm, SETTINGS.widget("prompt")))
    reader = home_session()
    return from_generation(reader.generation if reader else state.text)


def show_masks(*, is_picture: bool = False, compares: bool = False, waits: bool = False) -> Lab:
    """Shows the masks on the distribution, in a fragment; returns the reader's state.

    Args:
        is_picture: Whether the one picture is shown, and none of the masks beside each other.
        compares: Whether the engines' orders stand below them, and a sampler of one's own.
        waits: Whether the picture stands still until the reader has said what it will do.
    """
    state: Lab = st.session_state[LAB]
    key = "lab_picture" if is_picture else "lab"
    data = state.payload(
        presenter=is_presenting(),
        is_picture=is_picture,
        compares=compares,
        guided=lesson_asks(),
        waits=waits,
        moves=SETTINGS["moves"],
    )
    _lab(key=key, data=data, on_event_change=partial(_take_event, key))
    show_error(state.problem)
    return state


def _take_event(key: str) -> None:
    event: dict[str, Any] | None = trigger_value(key, "event")
    if event:
        st.session_state[LAB].take(event)

"""Whose page it is: the home page's session, its model, and what the reader has in each lesson."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Protocol, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel, LoadError
from model.sampling import Settings
from pages.frame.link import asked_model, begin_by_link, show_faults
from pages.frame.models import DEFAULT_MODEL, shared_model
from pages.frame.settings_table import SettingsTable

SESSION = "reader"

Kept = TypeVar("Kept")


class HomeControls(Protocol):
    """What lessons read from the home page's controls."""

    def settings(self) -> Settings:
        """Return the settings that they stand for."""


class HomeSession(Protocol):
    """What lessons read from what a reader has on the home page."""

    @property
    def lm(self) -> LanguageModel:
        """The model that writes."""

    @property
    def generation(self) -> Generation:
        """The text that is being written."""

    @property
    def seed(self) -> int:
        """The seed of its coins."""

    @property
    def controls(self) -> HomeControls:
        """Its controls."""


def home_session() -> HomeSession | None:
    """Return what this reader has on the home page; None where they have not been there."""
    session: HomeSession | None = st.session_state.get(SESSION)
    return session


def progress_caption(waiting: DeltaGenerator) -> Callable[[str], None]:
    """Return what says at a place of the page what is being done."""

    def say(doing: str) -> None:
        waiting.caption(f"{doing}…")

    return say


def lesson_state(
    key: str,
    waiting: DeltaGenerator,
    begin: Callable[[LanguageModel, Kept | None], Kept],
    model_of: Callable[[Kept], LanguageModel] = attrgetter("lm"),
    settings: SettingsTable | None = None,
) -> Kept:
    """Return what the reader has in a lesson, begun anew where home has another model by now.

    Args:
        key: Under which the session keeps it.
        waiting: Where to say what is being loaded.
        begin: Makes it from the home page's model, or the shipped one where the reader has not been
            there, and from what was kept of another model, if anything.
        model_of: Tells which model what is kept was begun with.
        settings: What the page's link may ask for.
    """
    lesson: Kept | None = st.session_state.get(key)
    reader = home_session()

    def begin_now() -> Kept:
        if reader is not None:
            return begin(reader.lm, lesson)
        name = None if settings is None else asked_model(settings)
        lm = shared_model(name or DEFAULT_MODEL, progress=progress_caption(waiting))
        if lm.kind != "causal":
            raise LoadError(f"{lm.name} is a {lm.kind} model: choose a causal one.")
        return begin(lm, lesson)

    if lesson is None or (reader is not None and reader.lm is not model_of(lesson)):
        fixed = None if reader is None else reader.lm.name
        lesson = (
            begin_now() if settings is None else begin_by_link(settings, begin_now, fixed=fixed)
        )
        st.session_state[key] = lesson
    if settings is not None:
        show_faults(settings)
    return lesson

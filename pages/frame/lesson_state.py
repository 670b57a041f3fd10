"""Whose page it is: the home page's session, its model, and what the reader has in each lesson."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Generic, Protocol, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.weights.check import check_causal
from pages.frame.attempts import Attempts
from pages.frame.job_panel import Jobs
from pages.frame.layout import CannotBeginError, as_written
from pages.frame.link import asked_model, begin_by_link, show_faults
from pages.frame.models import shared_model, with_weights
from pages.frame.offers import DEFAULT_MODEL, default_model, server_model
from pages.frame.settings_table import SettingsTable
from pages.frame.stepper import Stepper, Steps
from pages.frame.words import _

SESSION = "reader"

Kept = TypeVar("Kept")
S = TypeVar("S", bound=Steps)


@dataclass
class LessonState(Attempts):
    """What one reader has in a lesson."""

    lm: LanguageModel
    jobs: Jobs = field(default_factory=dict, kw_only=True)  # by the keys of their sections


@dataclass
class SteppedLesson(LessonState, Generic[S]):
    """What one reader has in a lesson that is stepped through."""

    stepper: Stepper[S]

    def pause(self) -> None:
        """Ends what goes on by itself."""
        self.stepper.pause()


class HomeControls(Protocol):
    """What lessons read from the home page's controls."""

    def settings(self) -> Settings:
        """Returns the settings that they stand for."""


class HomeText(Protocol):
    """What lessons read from one of a reader's texts."""

    ids: list[int]  # prompt and generated


class HomeSession(Protocol):
    """What lessons read from what a reader has on the home page."""

    lm: LanguageModel
    prompt: str  # of the text that is being written, as it was typed
    branches: Sequence[HomeText]  # all that are kept
    generation: Generation  # the text that is being written
    seed: int  # of its pointers
    controls: HomeControls


def home_session(lm: LanguageModel | None = None) -> HomeSession | None:
    """Returns what this reader has on the home page; None where they have not been there.

    Args:
        lm: Of the page that asks: what another model wrote is no text of its tokens.
    """
    session: HomeSession | None = st.session_state.get(SESSION)
    is_other = session is not None and lm is not None and session.lm is not lm
    return None if is_other else session


def progress_caption(waiting: DeltaGenerator) -> Callable[[str], None]:
    """Returns what says at a place of the page what is being done."""

    def say(doing: str) -> None:
        waiting.caption(f"{_(doing)}…")

    return say


def _usual_model(
    settings: SettingsTable | None, waiting: DeltaGenerator, usual: str
) -> LanguageModel:
    """Loads the model that the page's link asks for, or the usual one.

    Raises:
        LoadError: Where that cannot be loaded, or does not write.
    """
    name = None if settings is None else asked_model(settings)
    lm = shared_model(name or usual, progress=progress_caption(waiting))
    check_causal(lm.kind, lm.name)
    return lm


def lesson_state(
    key: str,
    waiting: DeltaGenerator,
    begin: Callable[[LanguageModel, Kept | None], Kept],
    model_of: Callable[[Kept], LanguageModel] = attrgetter("lm"),
    settings: SettingsTable | None = None,
    *,
    over_server: bool = False,
) -> Kept:
    """Returns what the reader has in a lesson, begun anew where home has another model by now.

    Args:
        key: Under which the session keeps it.
        waiting: Where to say what is being loaded.
        begin: Makes it from the home page's model, or the shipped one where the reader has not been
            there, and from what was kept of another model, if anything.
        model_of: Tells which model what is kept was begun with.
        settings: What the page's link may ask for.
        over_server: Whether a model whose weights are on a server will do; else the shipped one
            takes its place, and the page says so.

    Raises:
        CannotBeginError: The page cannot be begun with that model; one sentence.
    """
    lesson: Kept | None = st.session_state.get(key)
    reader = home_session()
    fit = (lambda lm: lm) if over_server else with_weights
    usual = default_model() if over_server else DEFAULT_MODEL
    home = None if reader is None else fit(reader.lm)

    def begin_now() -> Kept:
        return begin(fit(_usual_model(settings, waiting, usual)) if home is None else home, lesson)

    if lesson is None or (home is not None and home is not model_of(lesson)):
        fixed = None if home is None else home.name
        try:
            lesson = (
                begin_now() if settings is None else begin_by_link(settings, begin_now, fixed=fixed)
            )
        except ValueError as error:
            raise CannotBeginError(*error.args) from error
        st.session_state[key] = lesson
    waiting.empty()
    if settings is not None:
        show_faults(settings)
    if server_model() is not None and not over_server:
        lm = model_of(lesson)
        st.caption(f"This page needs weights in this process, so {as_written(lm.name)} runs here.")
    return lesson

"""The speculative lesson below its title: the pair of models, then its parts from top to bottom."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from model.tokenizing import text_of
from pages.frame.lesson_state import home_session, lesson_state
from pages.frame.link import asked, offer_link
from pages.frame.models import DEFAULT_PROMPT, shared_model
from pages.frame.stepper import Stepper
from pages.lessons.speculative.proof import show_proof
from pages.lessons.speculative.rounds import show_rounds
from pages.lessons.speculative.settings import DRAFTS, LOOKUP, OTHER, SETTINGS, masks_now
from pages.lessons.speculative.speed import show_drafts, show_speed
from pages.lessons.speculative.state import ModelPair, RoundSteps, SpeculativeLesson

LESSON = "spec_lesson"
MAX_HOME_PROMPT = 400  # characters of the first page's prompt


def show_speculative_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    try:
        lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    except ValueError as error:  # the first page's model cannot speculate
        waiting.error(str(error))
        return
    waiting.empty()
    st.markdown(
        "**A small draft model proposes a few tokens, and the large target verifies them all in "
        "one pass. The text is still the target’s own: greedy text is the same text, sampled text "
        "follows the same distribution.** Press Step."
    )
    _choose(lesson)
    show_rounds(lesson)
    offer_link(SETTINGS, lesson.lm, _unless_hidden, _models(lesson))
    show_speed(lesson)
    show_drafts(lesson)
    show_proof(lesson)


def _unless_hidden() -> dict[str, object]:
    """Keep the name of another draft out of the link where a draft of ours is in use."""
    return {} if SETTINGS["draft"] == OTHER else {"other": None}


def _models(lesson: SpeculativeLesson) -> str:
    """Say which models these are."""
    lm, draft = lesson.lm, lesson.pair.draft
    sizes = f"{lm.name}, {lm.n_parameters / 1e6:.1f} million parameters"
    if draft is not None:
        sizes += f"; draft {draft.name}, {draft.n_parameters / 1e6:.1f} million"
    return f"Target {sizes}; {lm.where}."


# The pair and the text


def _begin(lm: LanguageModel, _old: SpeculativeLesson | None) -> SpeculativeLesson:
    """Begin as a link asks, else with the first page's prompt and the best draft for its model."""
    pair, notice = _first_pair(lm)
    steps = None
    if asked(SETTINGS, "prompt") is None:
        reader = home_session()
        prompt = DEFAULT_PROMPT
        if reader is not None:
            prompt = text_of(lm.tokenizer, reader.generation.prompt_ids)[:MAX_HOME_PROMPT]
        SETTINGS.put(prompt=prompt)
        try:
            steps = RoundSteps(pair, prompt)
        except ValueError:  # too long for this page
            SETTINGS.put(prompt=DEFAULT_PROMPT)
    steps = steps or RoundSteps(pair, SETTINGS["prompt"])
    return SpeculativeLesson(lm, pair, Stepper(steps, "spec"), notice)


def _first_pair(lm: LanguageModel) -> tuple[ModelPair, str | None]:
    """Return the pair to begin with, and why it is not the one that was meant, if it is not."""
    if asked(SETTINGS, "draft") is not None:
        return _wanted_pair(lm), None
    SETTINGS.put(draft=DRAFTS[0])
    try:
        return _wanted_pair(lm), None
    except ValueError as error:
        SETTINGS.put(draft=LOOKUP)
        return ModelPair(lm, None), f"{error} Prompt lookup drafts for now."


def _wanted_pair(lm: LanguageModel) -> ModelPair:
    """Return the pair that the widgets ask for.

    Raises:
        ValueError: One sentence with the remedy.
    """
    name = SETTINGS["draft"]
    if name == OTHER:
        name = SETTINGS["other"].strip()
        if not name:
            raise ValueError("Name a draft: a folder, or a hub id with the target’s tokenizer.")
    return ModelPair(lm, None if name == LOOKUP else shared_model(name))


def _choose(lesson: SpeculativeLesson) -> None:
    """Let the reader choose who drafts, how, and where the text begins."""
    is_greedy = masks_now().is_greedy  # then no coin falls, and no mask matters
    anew: dict[str, Any] = {"on_change": _restart, "args": (lesson,)}
    with st.container(horizontal=True, vertical_alignment="bottom", key="spec_choices"):
        SETTINGS.widget("prompt", width=270, **anew)
        SETTINGS.widget("draft", width=170, **anew)
        if SETTINGS["draft"] == OTHER:
            SETTINGS.widget("other", width=200, placeholder="distilbert/distilgpt2", **anew)
        SETTINGS.widget("temperature", width=130, **anew)
        SETTINGS.widget("top_p", width=120, disabled=is_greedy, **anew)
        SETTINGS.widget("seed", width=110, disabled=is_greedy, **anew)
    if lesson.notice:
        st.error(lesson.notice)


def _restart(lesson: SpeculativeLesson) -> None:
    """Begin again as the widgets say; where that cannot be, what is on the page stays."""
    lesson.stepper.is_playing = False
    try:
        pair = _wanted_pair(lesson.lm)
        steps = RoundSteps(pair, SETTINGS["prompt"] or "")
    except ValueError as error:
        lesson.notice = str(error)
    else:
        lesson.pair, lesson.stepper, lesson.notice = pair, Stepper(steps, "spec"), None

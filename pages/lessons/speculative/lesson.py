"""The speculative lesson below its title: the pair of models, then its parts from top to bottom."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import text_of
from pages.frame.lesson_state import home_session, lesson_state
from pages.frame.link import asked, offer_link
from pages.frame.models import DEFAULT_PROMPT, shared_model
from pages.lessons.speculative.proof import show_proof
from pages.lessons.speculative.settings import OTHER, SETTINGS
from pages.lessons.speculative.speed import show_drafts, show_speed
from pages.lessons.speculative.state import LOOKUP, Choice, Lesson, begin, offered_drafts
from pages.lessons.speculative.walk import run_round, show_walk

LESSON = "spec_lesson"
LONGEST_START = 400  # characters of the first page's prompt


def show_speculative_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    try:
        lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    except ValueError as error:  # the first page's model cannot speculate
        waiting.error(str(error))
        return
    waiting.empty()
    st.markdown(
        "**A small draft guesses a few tokens, the large target checks all of them in one pass, "
        "and the text is still the target’s own, only sooner.** Greedy text is the same text, "
        "drawn text has the same chances. Press Step."
    )
    _choose(lesson)
    show_walk(lesson)
    offer_link(SETTINGS, lesson.lm, _unless_hidden, _models(lesson))
    show_speed(lesson)
    show_drafts(lesson)
    show_proof(lesson)


def _unless_hidden() -> dict[str, object]:
    """Keep the name of another draft out of the link where a draft of ours is in use."""
    return {} if SETTINGS["draft"] == OTHER else {"other": None}


def _begin(lm: LanguageModel, _old: Lesson | None) -> Lesson:
    """Begin as a link asks, else with the first page's prompt and the best draft for its model."""
    choice, notice = _first_pair(lm)
    prompt = asked(SETTINGS, "prompt")
    if prompt is not None:
        walk = begin(choice, prompt, settings_now(), SETTINGS["seed"])
    else:
        reader = home_session()
        prompt = DEFAULT_PROMPT
        if reader:
            prompt = text_of(lm.tokenizer, reader.generation.prompt_ids)[:LONGEST_START]
        try:
            walk = begin(choice, prompt, settings_now(), SETTINGS["seed"])
        except ValueError:  # too long for this page
            prompt = DEFAULT_PROMPT
            walk = begin(choice, prompt, settings_now(), SETTINGS["seed"])
    run_round(walk, whole=True)  # so that there is something to see
    SETTINGS.put(prompt=prompt)
    return Lesson(lm, choice, walk, notice)


def _first_pair(lm: LanguageModel) -> tuple[Choice, str | None]:
    """Return the pair to begin with, and why it is not the one that was meant, if it is not."""
    if asked(SETTINGS, "draft") is not None:
        return _wanted(lm), None
    choice, notice = Choice(lm, None), None
    for name in offered_drafts()[:1]:
        try:
            choice = Choice(lm, None if name == LOOKUP else shared_model(name))
        except ValueError as error:
            notice = f"{error} Prompt lookup drafts for now."
    SETTINGS.put(draft=choice.name)
    return choice, notice


def settings_now() -> Settings:
    """Return the masks that both models draw through."""
    return Settings(temperature=SETTINGS["temperature"], top_p=SETTINGS["top_p"])


def _choose(lesson: Lesson) -> None:
    """Let the reader choose who drafts, how, and where the text begins."""
    is_greedy = settings_now().is_greedy  # then no coin falls, and no mask matters
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


def _models(lesson: Lesson) -> str:
    """Say which models these are."""
    lm, draft = lesson.lm, lesson.choice.draft
    numbers = lm.dtype_name
    sizes = f"{lm.name}, {lm.n_parameters / 1e6:.1f} million parameters"
    if draft is not None:
        sizes += f"; draft {draft.name}, {draft.n_parameters / 1e6:.1f} million"
    return f"Target {sizes}; {lm.device}, {numbers}."


def _restart(lesson: Lesson) -> None:
    """Begin again as the widgets say; where that cannot be, what is on the page stays."""

    def act() -> None:
        choice = _wanted(lesson.lm, lesson.choice)
        walk = begin(choice, SETTINGS["prompt"], settings_now(), SETTINGS["seed"])
        run_round(walk, whole=True)
        lesson.choice, lesson.walk = choice, walk

    lesson.walk.is_playing = False
    lesson.try_to(act)


def _wanted(lm: LanguageModel, old: Choice | None = None) -> Choice:
    """Return the pair that the widgets ask for, the old one where it is the same.

    Raises:
        ValueError: One sentence with the remedy.
    """
    name = SETTINGS["draft"]
    if name == OTHER:
        name = SETTINGS["other"].strip()
        if not name:
            raise ValueError("Name a draft: a folder, or a hub id with the target’s tokenizer.")
    if name == LOOKUP:
        return Choice(lm, None)
    if old is not None and old.draft is not None and old.draft.name == name:
        return old
    return Choice(lm, shared_model(name))

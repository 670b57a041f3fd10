"""The speculative lesson below its title: the pair of models, then its parts from top to bottom."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import text_of
from pages.parts.link import DEFAULT_PROMPT
from pages.parts.models import shared_model
from pages.parts.reader import home_session, kept_lesson
from pages.parts.spec_proof import show_proof
from pages.parts.spec_speed import show_drafts, show_speed
from pages.parts.spec_state import LOOKUP, Choice, Lesson, begin, offered_drafts
from pages.parts.spec_walk import show_walk

LESSON = "spec_lesson"
OTHER = "another model"
FIRST_SEED = 22  # by whose coins some guesses of the first round stay and one does not
LONGEST_START = 400  # characters of the first page's prompt


def show_speculative_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    try:
        lesson = kept_lesson(LESSON, waiting, _begin)
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
    _caption(lesson)
    show_speed(lesson)
    show_drafts(lesson)
    show_proof(lesson)


def _begin(lm: LanguageModel, _old: Lesson | None) -> Lesson:
    """Begin with the first page's prompt, and the best draft that goes with its model."""
    reader = home_session()
    choice, notice = Choice(lm, None), None
    for name in offered_drafts()[:1]:
        try:
            choice = Choice(lm, None if name == LOOKUP else shared_model(name))
        except ValueError as error:
            notice = f"{error} Prompt lookup drafts for now."
    st.session_state["spec_draft"] = choice.name
    prompt = DEFAULT_PROMPT
    if reader:
        prompt = text_of(lm.tokenizer, reader.generation.prompt_ids)[:LONGEST_START]
    seed = int(st.session_state.get("spec_seed", FIRST_SEED))
    try:
        walk = begin(choice, prompt, settings_now(), seed)
    except ValueError:  # too long for this page
        prompt = DEFAULT_PROMPT
        walk = begin(choice, prompt, settings_now(), seed)
    walk.step(4, adaptive=False, whole=True)  # so that there is something to see
    lesson = Lesson(lm, choice, walk, notice)
    st.session_state["spec_prompt"] = prompt
    return lesson


def settings_now() -> Settings:
    """Return the masks that both models draw through."""
    return Settings(
        temperature=float(st.session_state.get("spec_temperature", 0.8)),
        top_p=float(st.session_state.get("spec_top_p", 0.9)),
    )


def _choose(lesson: Lesson) -> None:
    """Let the reader choose who drafts, how, and where the text begins."""
    is_greedy = settings_now().is_greedy  # then no coin falls, and no mask matters
    with st.container(horizontal=True, vertical_alignment="bottom", key="spec_choices"):
        st.text_input(
            "A text to start from",
            key="spec_prompt",
            max_chars=2_000,
            width=270,
            on_change=_restart,
            args=(lesson,),
            persist_state="session",
        )
        st.selectbox(
            "Draft",
            [*offered_drafts(), OTHER],
            key="spec_draft",
            width=170,
            on_change=_restart,
            args=(lesson,),
            persist_state="session",
            help="Prompt lookup needs no model: it copies what followed the same words before.",
        )
        if st.session_state.get("spec_draft") == OTHER:
            st.text_input(
                "Folder or hub id",
                key="spec_other",
                placeholder="distilbert/distilgpt2",
                width=200,
                on_change=_restart,
                args=(lesson,),
                persist_state="session",
            )
        st.slider(
            "Temperature",
            0.0,
            1.5,
            0.8,
            0.1,
            key="spec_temperature",
            width=130,
            help="0 is greedy: a guess stays where it is the target’s best token.",
            on_change=_restart,
            args=(lesson,),
            persist_state="session",
        )
        st.slider(
            "Top-p",
            0.1,
            1.0,
            0.9,
            0.05,
            key="spec_top_p",
            disabled=is_greedy,
            width=120,
            on_change=_restart,
            args=(lesson,),
            persist_state="session",
        )
        st.number_input(
            "Seed",
            0,
            10**9,
            FIRST_SEED,
            key="spec_seed",
            disabled=is_greedy,
            width=110,
            on_change=_restart,
            args=(lesson,),
            persist_state="session",
        )
    if lesson.notice:
        st.error(lesson.notice)


def _caption(lesson: Lesson) -> None:
    """Say which models these are."""
    lm, draft = lesson.lm, lesson.choice.draft
    numbers = lm.dtype_name
    sizes = f"{lm.name}, {lm.n_parameters / 1e6:.1f} million parameters"
    if draft is not None:
        sizes += f"; draft {draft.name}, {draft.n_parameters / 1e6:.1f} million"
    st.caption(f"Target {sizes}; {lm.device}, {numbers}.")


def _restart(lesson: Lesson) -> None:
    """Begin again as the widgets say; where that cannot be, what is on the page stays."""

    def act() -> None:
        choice = _wanted(lesson)
        seed = int(st.session_state.get("spec_seed", FIRST_SEED))
        walk = begin(choice, st.session_state.get("spec_prompt", ""), settings_now(), seed)
        walk.step(4, adaptive=False, whole=True)
        lesson.choice, lesson.walk = choice, walk

    lesson.walk.is_playing = False
    lesson.try_to(act)


def _wanted(lesson: Lesson) -> Choice:
    """Return the pair that the widgets ask for.

    Raises:
        ValueError: One sentence with the remedy.
    """
    name = st.session_state.get("spec_draft", LOOKUP)
    if name == OTHER:
        name = st.session_state.get("spec_other", "").strip()
        if not name:
            raise ValueError("Name a draft: a folder, or a hub id with the target’s tokenizer.")
    if name == LOOKUP:
        return Choice(lesson.lm, None)
    if lesson.choice.draft is not None and lesson.choice.draft.name == name:
        return lesson.choice
    return Choice(lesson.lm, shared_model(name))

"""The speculative lesson below its title: the pair of models, then its parts from top to bottom."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import text_of
from pages.frame.lesson_link import LessonLink, asked_text, offer_link
from pages.frame.lesson_state import home_session, kept_lesson
from pages.frame.link_fields import Number, OneOf, Whole, Words, YesNo
from pages.frame.models import DEFAULT_PROMPT, shared_model
from pages.lessons.speculative.proof import show_proof
from pages.lessons.speculative.speed import show_drafts, show_speed
from pages.lessons.speculative.state import LOOKUP, Choice, Lesson, begin, offered_drafts
from pages.lessons.speculative.walk import run_round, show_walk

LESSON = "spec_lesson"
OTHER = "another model"
FIRST_SEED = 11  # by whose coins some guesses of the first round stay and one does not
LONGEST_START = 400  # characters of the first page's prompt
LONGEST_PROMPT = 2_000  # characters of a prompt typed here
LINK = LessonLink(
    "spec",
    (
        Words("prompt", "spec_prompt", "the text to start from", longest=LONGEST_PROMPT),
        OneOf("draft", "spec_draft", "the draft", names=(*offered_drafts(), OTHER)),
        Words("other", "spec_other", "the name of the other draft", longest=200),
        Number("temperature", "spec_temperature", "the temperature", 0.8, high=1.5),
        Number("top_p", "spec_top_p", "top-p", 0.9, low=0.1),
        Whole("seed", "spec_seed", "the seed", FIRST_SEED),
        Whole("guesses", "spec_length", "the number of guesses", 4, low=1, high=8),
        YesNo("adaptive", "spec_adaptive", "adaptive", default=False),
        YesNo("whole", "spec_whole", "whole rounds", default=False),
    ),
)


def show_speculative_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    try:
        lesson = kept_lesson(LESSON, waiting, _begin, link=LINK)
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
    offer_link(LINK, lesson.lm, _unless_hidden, _models(lesson))
    show_speed(lesson)
    show_drafts(lesson)
    show_proof(lesson)


def _unless_hidden() -> dict[str, object]:
    """Keep the name of another draft out of the link where a draft of ours is in use."""
    return {} if LINK.now("draft") == OTHER else {"other": None}


def _begin(lm: LanguageModel, _old: Lesson | None) -> Lesson:
    """Begin as a link asks, else with the first page's prompt and the best draft for its model."""
    choice, notice = _first_pair(lm)
    prompt = asked_text(LINK)
    if prompt is not None:
        walk = begin(choice, prompt, settings_now(), _seed())
    else:
        reader = home_session()
        prompt = DEFAULT_PROMPT
        if reader:
            prompt = text_of(lm.tokenizer, reader.generation.prompt_ids)[:LONGEST_START]
        try:
            walk = begin(choice, prompt, settings_now(), _seed())
        except ValueError:  # too long for this page
            prompt = DEFAULT_PROMPT
            walk = begin(choice, prompt, settings_now(), _seed())
    run_round(walk, whole=True)  # so that there is something to see
    st.session_state["spec_prompt"] = prompt
    return Lesson(lm, choice, walk, notice)


def _first_pair(lm: LanguageModel) -> tuple[Choice, str | None]:
    """Return the pair to begin with, and why it is not the one that was meant, if it is not."""
    if asked_text(LINK, "draft") is not None:
        return _wanted(lm), None
    choice, notice = Choice(lm, None), None
    for name in offered_drafts()[:1]:
        try:
            choice = Choice(lm, None if name == LOOKUP else shared_model(name))
        except ValueError as error:
            notice = f"{error} Prompt lookup drafts for now."
    st.session_state["spec_draft"] = choice.name
    return choice, notice


def settings_now() -> Settings:
    """Return the masks that both models draw through."""
    return Settings(
        temperature=float(st.session_state.get("spec_temperature", 0.8)),
        top_p=float(st.session_state.get("spec_top_p", 0.9)),
    )


def _seed() -> int:
    return int(st.session_state.get("spec_seed", FIRST_SEED))


def _choose(lesson: Lesson) -> None:
    """Let the reader choose who drafts, how, and where the text begins."""
    is_greedy = settings_now().is_greedy  # then no coin falls, and no mask matters
    with st.container(horizontal=True, vertical_alignment="bottom", key="spec_choices"):
        st.text_input(
            "A text to start from",
            key="spec_prompt",
            max_chars=LONGEST_PROMPT,
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
            step=0.1,
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
            step=0.05,
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
            key="spec_seed",
            disabled=is_greedy,
            width=110,
            on_change=_restart,
            args=(lesson,),
            persist_state="session",
        )
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
        walk = begin(choice, st.session_state.get("spec_prompt", ""), settings_now(), _seed())
        run_round(walk, whole=True)
        lesson.choice, lesson.walk = choice, walk

    lesson.walk.is_playing = False
    lesson.try_to(act)


def _wanted(lm: LanguageModel, old: Choice | None = None) -> Choice:
    """Return the pair that the widgets ask for, the old one where it is the same.

    Raises:
        ValueError: One sentence with the remedy.
    """
    name = st.session_state.get("spec_draft", LOOKUP)
    if name == OTHER:
        name = st.session_state.get("spec_other", "").strip()
        if not name:
            raise ValueError("Name a draft: a folder, or a hub id with the target’s tokenizer.")
    if name == LOOKUP:
        return Choice(lm, None)
    if old is not None and old.draft is not None and old.draft.name == name:
        return old
    return Choice(lm, shared_model(name))

"""The cache lesson below its title: the reader's state, then its parts from top to bottom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import ORDERS, Settings
from model.settings import NEUTRAL
from model.tokenizing import text_of
from pages.frame.lesson_link import LessonLink, asked_text, offer_link
from pages.frame.lesson_state import home_session, kept_lesson
from pages.frame.link_fields import Number, OneOf, Whole, Words
from pages.frame.models import DEFAULT_PROMPT
from pages.lessons.kv_cache.growth import MAX_CHARACTERS, show_growth, start
from pages.lessons.kv_cache.plan import show_plan
from pages.lessons.kv_cache.race import show_race
from pages.lessons.kv_cache.reuse import show_reuse
from pages.lessons.kv_cache.state import MAX_COLUMNS, CacheLesson, GrowingText, new_stepper

LESSON = "kv_lesson"
SETTINGS = Settings(temperature=0.8, top_p=0.9)
LINK = LessonLink(
    "kv",
    (
        Words("prompt", "kv_prompt", "the text to start from", longest=MAX_CHARACTERS),
        Whole("seed", "kv_seed", "the seed", high=2**31 - 1),
        Whole("top_k", "kv_top_k", "top_k", high=10**6),
        OneOf("order", "kv_order", "the order", names=tuple(ORDERS)),
        *(  # which of these make sense, the settings themselves know
            Number(name, f"kv_{name}", name, low=-1_000, high=1_000)
            for name in NEUTRAL
            if name != "top_k"
        ),
    ),
)


def show_cache_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = kept_lesson(LESSON, waiting, _begin, link=LINK)
    waiting.empty()
    lm = lesson.lm
    st.caption(f"On {lm.name}, {lm.where}.")
    show_growth(lesson)
    offer_link(LINK, lm, lambda: _as_shown(lesson.text))
    show_race(lesson)
    show_plan()
    show_reuse(lesson)


def _begin(lm: LanguageModel, _old: CacheLesson | None) -> CacheLesson:
    """Begin as a link asks, else with the first page's text, or its prompt where it is long."""
    reader, prompt = home_session(), asked_text(LINK)
    if reader is None or prompt is not None:
        seed = int(asked_text(LINK, "seed") or 0)
        text = start(lm, DEFAULT_PROMPT if prompt is None else prompt, seed)
        return CacheLesson(lm, new_stepper(text, _asked_settings()))
    generation = reader.generation.fork()
    if len(generation.ids) >= MAX_COLUMNS:
        generation = Generation(lm, generation.ids[: MAX_COLUMNS // 4], reader.seed)
    return CacheLesson(lm, new_stepper(generation, reader.controls.settings()))


def _asked_settings() -> Settings:
    """Return the settings of a link, and the lesson's own for what it does not say.

    Raises:
        ValueError: One sentence with the remedy.
    """
    asked: dict[str, Any] = {}
    for name, neutral in NEUTRAL.items():
        text = asked_text(LINK, name)
        if text is not None:
            asked[name] = type(neutral)(text)
    order = asked_text(LINK, "order")
    if order is not None:
        asked["order"] = ORDERS[order]
    return replace(SETTINGS, **asked)


def _as_shown(text: GrowingText) -> dict[str, object]:
    """Return what stands on the page, as its link has it: of the settings what is not usual."""
    lm, settings = text.generation.lm, text.settings
    values = {name: getattr(settings, name) for name in NEUTRAL}
    return {
        "prompt": text_of(lm.tokenizer, text.generation.prompt_ids),
        "seed": text.generation.seed,
        "order": next(
            (n for n, o in ORDERS.items() if o == settings.order != SETTINGS.order), None
        ),
        **{n: value if value != getattr(SETTINGS, n) else None for n, value in values.items()},
    }

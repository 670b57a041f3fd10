"""The snowball lesson below its title: the reader's state, then its parts from top to bottom."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import encode
from pages.frame.lesson_link import asked_text
from pages.frame.lesson_state import home_session, kept_lesson
from pages.frame.models import DEFAULT_PROMPT
from pages.lessons.snowball.constraint import show_constraint
from pages.lessons.snowball.context import show_context
from pages.lessons.snowball.exposure import show_exposure
from pages.lessons.snowball.fork import ASKED, LINK, N_TOKENS, OWN, TEMPERATURE, show_fork, start
from pages.lessons.snowball.forks import show_forks
from pages.lessons.snowball.long import show_long
from pages.lessons.snowball.rewind import show_rewind
from pages.lessons.snowball.state import LONGEST_PROMPT, ForkText, SnowLesson, WatchedRun

LESSON = "snow_lesson"


def show_snowball_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = kept_lesson(LESSON, waiting, _begin, link=LINK)
    waiting.empty()
    show_fork(lesson)
    show_forks(lesson)
    show_rewind(lesson)
    show_constraint(lesson)
    show_exposure(lesson)
    show_long(lesson)
    show_context(lesson)


def _begin(lm: LanguageModel, _old: SnowLesson | None) -> SnowLesson:
    """Begin as a link asks, else with the home page's prompt, as far as there is room for it."""
    reader, prompt = home_session(), asked_text(LINK)
    if reader is None or prompt is not None:
        seed = int(asked_text(LINK, "seed") or 0)
        text = start(lm, encode(lm, prompt or DEFAULT_PROMPT), seed)
    else:
        text = Generation(lm, reader.generation.prompt_ids[:LONGEST_PROMPT], reader.seed)
    if token := asked_text(LINK, "token"):
        st.session_state[ASKED] = int(token)
    elif asked_text(LINK, "word"):
        st.session_state[ASKED] = OWN
    asked = asked_text(LINK, "temperature")
    temperature = float(asked or st.session_state.get("snow_temperature", TEMPERATURE))
    settings = Settings(temperature=temperature)
    return SnowLesson(lm, WatchedRun(ForkText(text, settings, N_TOKENS)))

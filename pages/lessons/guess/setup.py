"""What the game is played with: the text, how much of it is revealed, who plays, in which unit."""

from __future__ import annotations

import streamlit as st

from pages.lessons.guess.passages import PASSAGES
from pages.lessons.guess.settings import OWN_TEXT, SETTINGS
from pages.lessons.guess.state import GuessLesson
from viz.format import percent


def show_setup(lesson: GuessLesson, *, has_begun: bool) -> None:
    """Show the button that reveals a token for free, and the controls that set the game up."""
    with st.container(horizontal=True, vertical_alignment="center", key="guess_buttons"):
        st.button(
            "Skip",
            key="guess_skip",
            on_click=lesson.skip,
            disabled=not has_begun,
            help="Reveals the token; nobody is scored for it.",
            shortcut="Right",
        )
        with st.popover("Text and players", key="guess_setup", icon=":material/groups:"):
            _players(lesson)
            _text()
            st.button("Start with this text", key="guess_start", on_click=_start, args=(lesson,))
        number = "number of hands" if lesson.unit == "hands" else "confidence in %"
        st.caption(
            f"Write a guess, then its {number}, then the next guess. `-ing` continues the word "
            "before; `,` and `.` are guesses too; capitals count."
        )
    if lesson.setup_notice:
        st.error(lesson.setup_notice)


def _players(lesson: GuessLesson) -> None:
    SETTINGS.widget("names", placeholder="Ada, Ben, Cleo", on_change=_set_players, args=(lesson,))
    SETTINGS.widget("unit", on_change=_set_players, args=(lesson,))
    SETTINGS.widget("veil")


def _text() -> None:
    choice = SETTINGS.widget("which")
    if choice == OWN_TEXT:
        SETTINGS.widget("own", height=140)
    else:
        passage = PASSAGES[choice]
        st.caption(
            f"{passage.licence[0].upper()}{passage.licence[1:]}. Recorded on 21 November 2026: "
            f"{percent(passage.overlap)} of its runs of eight words occur in the shipped models’ "
            "training text."
        )
    SETTINGS.widget("n_open")


def _set_players(lesson: GuessLesson) -> None:
    lesson.set_players(SETTINGS["names"], SETTINGS["unit"])


def _start(lesson: GuessLesson) -> None:
    choice = SETTINGS["which"]
    text = PASSAGES[choice].text if choice in PASSAGES else SETTINGS["own"]
    lesson.start(text, SETTINGS["n_open"])

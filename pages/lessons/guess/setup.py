"""What the game is played with: the text, how much of it is open, who plays, in which unit."""

from __future__ import annotations

import streamlit as st

from pages.lessons.guess.passages import PASSAGES
from pages.lessons.guess.settings import OWN_TEXT, SETTINGS
from pages.lessons.guess.state import GuessLesson
from viz.format import percent


def show_setup(lesson: GuessLesson, *, has_begun: bool) -> None:
    """Show the button that opens a token for free, and what opens to set the game up."""
    with st.container(horizontal=True, vertical_alignment="center", key="guess_buttons"):
        st.button(
            "Skip it",
            key="guess_give",
            on_click=lesson.give,
            disabled=not has_begun,
            help="Opens the token; nobody is scored for it.",
            shortcut="Right",
        )
        with st.popover("Text and players", key="guess_setup", icon=":material/groups:"):
            _players(lesson)
            _text()
            st.button("Start with this text", key="guess_start", on_click=_start, args=(lesson,))
        what = "hands" if lesson.unit == "hands" else "confidence in %"
        st.caption(
            f"A guess, then {what}, then the next guess. `-ing` goes on with the word before; "
            "`,` and `.` are guesses too; capitals count."
        )
    if lesson.setup_notice:
        st.error(lesson.setup_notice)


def _players(lesson: GuessLesson) -> None:
    SETTINGS.widget("names", placeholder="Ada, Ben, Cleo", on_change=_seat, args=(lesson,))
    SETTINGS.widget("unit", on_change=_seat, args=(lesson,))
    SETTINGS.widget("veil")


def _text() -> None:
    choice = SETTINGS.widget("which")
    if choice == OWN_TEXT:
        SETTINGS.widget("own", height=140)
    else:
        passage = PASSAGES[choice]
        st.caption(
            f"{passage.licence[0].upper()}{passage.licence[1:]}. Recorded on 21 November 2026: "
            f"{percent(passage.overlap)} of its runs of eight words stand in what the shipped "
            "models learned from."
        )
    SETTINGS.widget("n_open")


def _seat(lesson: GuessLesson) -> None:
    lesson.seat(SETTINGS["names"], SETTINGS["unit"])


def _start(lesson: GuessLesson) -> None:
    choice = SETTINGS["which"]
    text = PASSAGES[choice].text if choice in PASSAGES else SETTINGS["own"]
    lesson.start(text, choice, SETTINGS["n_open"])

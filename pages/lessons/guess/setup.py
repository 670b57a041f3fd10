"""What the game is played with: the text, how much of it is open, who plays, in which unit."""

from __future__ import annotations

import streamlit as st

from model.guess.reading import Unit
from pages.lessons.guess.passages import PASSAGES
from pages.lessons.guess.state import GuessLesson
from viz.format import percent

OWN_TEXT = "A text of your own"
UNITS: dict[Unit, str] = {"percent": "Confidence in %", "hands": "Show of hands"}


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
    st.text_input(
        "Who plays? Names with commas between them",
        key="guess_names",
        placeholder="Ada, Ben, Cleo",
        max_chars=120,
        on_change=_seat,
        args=(lesson,),
        persist_state="session",
    )
    st.segmented_control(
        "A number behind a guess is",
        list(UNITS),
        default="percent",
        required=True,
        format_func=lambda unit: UNITS[unit],
        key="guess_unit",
        on_change=_seat,
        args=(lesson,),
        persist_state="session",
    )
    st.toggle("Hide what is typed", key="guess_veil", persist_state="session")


def _text() -> None:
    choice = st.selectbox(
        "Which text?", [*PASSAGES, OWN_TEXT], key="guess_which", persist_state="session"
    )
    if choice == OWN_TEXT:
        st.text_area(
            "Your text; line breaks count as spaces",
            key="guess_own",
            height=140,
            max_chars=20_000,
            persist_state="session",
        )
    else:
        passage = PASSAGES[choice]
        st.caption(
            f"{passage.licence[0].upper()}{passage.licence[1:]}. Recorded on 21 November 2026: "
            f"{percent(passage.overlap)} of its runs of eight words stand in what the shipped "
            "models learned from."
        )
    st.slider("Tokens open at the start", 1, 40, 8, key="guess_n_open", persist_state="session")


def _seat(lesson: GuessLesson) -> None:
    lesson.seat(str(st.session_state.get("guess_names") or ""), st.session_state["guess_unit"])


def _start(lesson: GuessLesson) -> None:
    choice = st.session_state["guess_which"]
    text = PASSAGES[choice].text if choice in PASSAGES else st.session_state.get("guess_own")
    lesson.start(str(text or ""), choice, st.session_state["guess_n_open"])

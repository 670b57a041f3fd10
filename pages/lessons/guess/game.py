"""The guessing game below its title: the board, what to remember, the set-up, the laboratory."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.guess.game import GuessingGame, prob_of, score
from model.guess.parsing import read_line, spell_out
from model.guess.records import points
from model.guess.shannon import entropy_bounds, isotonic_fit, lower_bound, upper_bound
from model.loading import LanguageModel
from model.masks import log_softmax
from pages.frame.code_that_ran import show_code
from pages.frame.course import show_summary
from pages.frame.lesson_state import lesson_state
from pages.lessons.guess.board import show_board
from pages.lessons.guess.scores import show_laboratory
from pages.lessons.guess.settings import OWN_TEXT, PASSAGES, SETTINGS
from pages.lessons.guess.state import N_ROUND, GuessLesson
from viz.format import percent

LESSON = "guess_lesson"
FIRST = next(iter(PASSAGES.values()))


def show_game(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, over_server=True)
    show_board(lesson, lambda: _start_next(lesson))
    is_played = (
        lesson.game.is_over or len(lesson.game.rounds) >= N_ROUND
    )  # what to remember waits for the last word
    with st.container(key="guess_played_unseen" if is_played else "guess_begun_unseen"):
        st.html("<span></span>")  # as high as before: what is below stays
    show_summary("pages/guess.py", found="guess_played_unseen")
    _setup(lesson)
    show_laboratory(lesson)
    show_code(
        GuessingGame.play,
        read_line,
        spell_out,
        log_softmax,
        prob_of,
        score,
        points,
        entropy_bounds,
        isotonic_fit,
        upper_bound,
        lower_bound,
        key="guess_code",
    )


def _begin(lm: LanguageModel, old: GuessLesson | None) -> GuessLesson:
    """Begins with the first passage; who plays stays."""
    text = FIRST.text, SETTINGS["n_open"]
    try:
        lesson = GuessLesson(lm, GuessingGame(lm, *text), text)
    except ValueError as error:
        raise ValueError(f"{error} Choose another model on the first page.") from error
    if old is not None:
        lesson.names, lesson.unit = old.names, old.unit
    return lesson


def _setup(lesson: GuessLesson) -> None:
    """Shows the controls that set the game up."""
    with st.popover("Text and players", key="guess_setup", icon=":material/groups:"):
        players = {"on_change": _set_players, "args": (lesson,)}
        SETTINGS.widget("names", placeholder="Ada, Ben, Cleo", **players)
        SETTINGS.widget("unit", **players)
        SETTINGS.widget("veil")
        _text()
        st.button("Start with this text", key="guess_start", on_click=_start, args=(lesson,))


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


def _start_next(lesson: GuessLesson) -> None:
    """Begins with the passage after the present one; a text of one's own has the first after it."""
    texts = [passage.text for passage in PASSAGES.values()]
    at = texts.index(lesson.text[0]) if lesson.text[0] in texts else -1
    name = list(PASSAGES)[(at + 1) % len(texts)]
    SETTINGS.put(which=name)
    lesson.start(PASSAGES[name].text, SETTINGS["n_open"])

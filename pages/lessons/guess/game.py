"""The guessing game below its title: the text, the guesses, the set-up, and what is revealed."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.guess.game import GuessingGame, prob_of, score
from model.guess.parsing import GuessUnit, read_line, spell_out
from model.guess.shannon import entropy_bounds, isotonic_fit, lower_bound, upper_bound
from model.loading import LanguageModel
from model.masks import log_softmax
from model.typed import number_typed
from pages.frame.code_that_ran import show_code
from pages.frame.course import show_summary
from pages.frame.layout import show_error
from pages.frame.lesson_state import lesson_state
from pages.frame.question import show_question
from pages.lessons.guess.scores import N_IN_POINTS, show_result, show_scores
from pages.lessons.guess.settings import OWN_TEXT, PASSAGES, SETTINGS
from pages.lessons.guess.state import GuessLesson
from viz.format import percent
from viz.guess.covered_bar import covered_bar
from viz.guess.text import text_html

LESSON = "guess_lesson"
FIRST = next(iter(PASSAGES.values()))
PER_ROW = 3  # fields beside each other
EXAMPLE = "mat 12 floor 7 sofa 3"  # of a show of hands
RULES: dict[GuessUnit, str] = {
    "percent": "Write a word, and how sure you are of it in %, 50 if you say nothing. Then Enter.",
    "hands": f"Vote, and write words with hands: `{EXAMPLE}`. Then Enter.",
}


def show_game(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, over_server=True)
    st.fragment(_game)(lesson)
    show_summary("pages/guess.py", found="guess_result")
    show_code(
        GuessingGame.play,
        read_line,
        spell_out,
        log_softmax,
        prob_of,
        score,
        entropy_bounds,
        isotonic_fit,
        upper_bound,
        lower_bound,
        key="guess_code",
    )


def _begin(lm: LanguageModel, old: GuessLesson | None) -> GuessLesson:
    """Begins with the first passage; who plays stays."""
    try:
        lesson = GuessLesson(lm, GuessingGame(lm, FIRST.text, SETTINGS["n_open"]))
    except ValueError as error:
        raise ValueError(f"{error} Choose another model on the first page.") from error
    if old is not None:
        lesson.names, lesson.unit = old.names, old.unit
    return lesson


def _game(lesson: GuessLesson) -> None:
    st.html(text_html(lesson.game.hidden_text))
    if lesson.game.is_over:
        st.info("The whole text is revealed: compare below, or start another one.")
    else:
        show_question("Next place: what comes next?" if lesson.game.rounds else "What comes next?")
        st.markdown(RULES[lesson.unit])
        _fields(lesson)
        st.html(covered_bar(lesson.game.best_shares()))
        st.caption("The model’s draw bar for this very place, its words covered.")
    with st.container(key="guess_result"):  # below the field, which stays where it is
        if lesson.game.rounds:
            show_result(lesson)
    _setup(lesson)
    if lesson.hint:
        st.info(lesson.hint)
    show_error(lesson.problem)
    if len(lesson.game.rounds) >= N_IN_POINTS:
        show_scores(lesson)


# What everybody guesses


def _fields(lesson: GuessLesson) -> None:
    """Shows one field to a player; Enter reveals the token where one plays, the button always.

    The button is sent before the fields beside it: until it is there, Enter does nothing.
    """
    names = lesson.names
    with (
        st.container(key="guess_fields"),
        st.form("guess_form", border=False, enter_to_submit=len(names) == 1),
    ):
        for first in range(0, len(names), PER_ROW):
            with st.container(horizontal=True, vertical_alignment="bottom"):
                fields = st.container(horizontal=True, vertical_alignment="bottom")
                if first + PER_ROW >= len(names):
                    st.form_submit_button(
                        "Reveal",
                        key="guess_reveal",
                        type="primary",
                        on_click=_play,
                        args=(lesson,),
                        icon=":material/visibility:",
                    )
            with fields:
                for place, name in enumerate(names[first : first + PER_ROW], start=first):
                    _field(lesson, place, name)


def _field(lesson: GuessLesson, place: int, name: str) -> None:
    """Shows what one player writes: a word and how sure they are, or the words of all hands."""
    is_alone, is_hands = len(lesson.names) == 1, lesson.unit == "hands"
    st.text_input(
        f"{name}: what comes next?",
        key=f"guess_line_{place}",
        placeholder=EXAMPLE if is_hands else "a word",
        label_visibility="collapsed" if is_alone else "visible",
        type="password" if SETTINGS["veil"] else "default",
        autocomplete="off",
    )
    if not is_hands:
        st.number_input(
            f"{name}: how sure, in %",
            min_value=0,
            max_value=100,
            value=None,
            step=5,
            key=f"guess_sure_{place}",
            placeholder="% sure",
            label_visibility="collapsed" if is_alone else "visible",
            width=150,
        )


def _play(lesson: GuessLesson) -> None:
    """Scores what was written; it stays in the fields where it cannot be read."""
    lines = {name: _line(place) for place, name in enumerate(lesson.names)}
    if lesson.play(lines):
        for place in range(len(lesson.names)):
            st.session_state[f"guess_line_{place}"] = ""
            st.session_state[f"guess_sure_{place}"] = None


def _line(place: int) -> str:
    """Returns what a player wrote: the word with its number, unless it brings one along."""
    typed = str(st.session_state.get(f"guess_line_{place}") or "")
    sure = st.session_state.get(f"guess_sure_{place}")
    *_, last = ["", *typed.rstrip("%٪％ ").split()]
    has_number = len(typed.split()) > 1 and number_typed(last) is not None
    return typed if sure is None or has_number else f"{typed} {sure}"


# What the game is played with


def _setup(lesson: GuessLesson) -> None:
    """Shows the button that reveals a token for free, and the controls that set the game up."""
    with st.container(horizontal=True, vertical_alignment="center", key="guess_buttons"):
        st.button(
            "Skip",
            key="guess_skip",
            on_click=lesson.skip,
            disabled=lesson.game.is_over,
            help="Reveals the token; nobody is scored for it.",
            shortcut="Right",
        )
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

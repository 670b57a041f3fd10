"""What one reader has in the guessing game: the game, who plays, what went wrong.

Knows nothing of Streamlit.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from model.guess.game import GuessingGame, NoGuess
from model.guess.parsing import GuessUnit
from model.guess.records import MODEL, UNIFORM
from model.typed import parts_typed
from pages.frame.lesson_state import LessonState

MAX_PLAYERS = 6  # whose fields and lines can be told apart on one screen
MAX_NAME = 16  # characters


def read_names(written: str, unit: GuessUnit) -> tuple[str, ...]:
    """Returns the players' names from a line, separated by commas.

    Raises:
        ValueError: One sentence with the remedy.
    """
    names = [re.sub(r"[^\w .'’-]", "", name).strip("_ ") for name in parts_typed(written)]
    names = [name for name in names if name]
    if not names:
        return ("The class",) if unit == "hands" else ("You",)
    if len(names) > MAX_PLAYERS:
        raise ValueError(
            f"{len(names)} players are too many to be told apart on one screen: {MAX_PLAYERS} fit; "
            "let groups play, or a show of hands."
        )
    long = next((name for name in names if len(name) > MAX_NAME), None)
    if long:
        raise ValueError(f"The name {long[:MAX_NAME]}… is too long: {MAX_NAME} letters fit.")
    lowered = [name.lower() for name in names]
    if len(set(lowered)) < len(names) or {MODEL, UNIFORM} & set(lowered):
        raise ValueError(f"Give every player a name of their own, none of them {MODEL}’s.")
    return tuple(names)


@dataclass
class GuessLesson(LessonState):
    """All that one reader has on the page."""

    game: GuessingGame
    names: tuple[str, ...] = ("You",)
    unit: GuessUnit = "percent"
    hint: str | None = None  # what to do instead of an empty guess, in one sentence

    @contextmanager
    def attempt(self, stays: str = "") -> Iterator[None]:
        """As every lesson does; an empty guess is no fault yet."""
        self.hint = None
        with super().attempt(stays):
            try:
                yield
            except NoGuess as error:
                self.hint = str(error)

    def start(self, text: str, n_open: int) -> None:
        """Begins with another text; one that cannot be played leaves the game as it is."""
        with self.attempt("The game goes on with the text before it."):
            self.game = GuessingGame(self.lm, text, n_open)

    def set_players(self, written: str, unit: GuessUnit) -> None:
        """Replaces the players by the names written; keeps them if those are invalid."""
        with self.attempt():
            self.names, self.unit = read_names(written, unit), unit

    def play(self, lines: Mapping[str, str]) -> bool:
        """Scores what everybody wrote; return whether the token was revealed."""
        with self.attempt():
            self.game.play(lines, self.unit)
        return self.problem is None and self.hint is None

    def skip(self) -> None:
        """Reveals a token that nobody guesses."""
        with self.attempt():
            self.game.reveal()

"""What one reader has in the guessing game: the game, who plays, what went wrong.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from model.guess.game import GuessingGame, NoGuess
from model.guess.parsing import Unit
from model.guess.records import MODEL, UNIFORM
from model.loading import LanguageModel

MAX_PLAYERS = 6  # whose fields and lines can be told apart on one screen
MAX_NAME = 16  # characters


def read_names(written: str, unit: Unit) -> tuple[str, ...]:
    """Return the players' names from a line, separated by commas.

    Raises:
        ValueError: One sentence with the remedy.
    """
    names = [re.sub(r"[^\w .'’-]", "", name).strip("_ ") for name in written.split(",")]
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
class GuessLesson:
    """All that one reader has on the page."""

    lm: LanguageModel
    game: GuessingGame
    names: tuple[str, ...] = ("You",)
    unit: Unit = "percent"
    notice: str | None = None  # why the last move could not be made, in one sentence
    hint: str | None = None  # what to do instead of an empty one, in one sentence

    def start(self, text: str, n_open: int) -> None:
        """Begin with another text; one that cannot be played leaves the game as it is."""

        def begin() -> None:
            self.game = GuessingGame(self.lm, text, n_open)

        self._attempt(begin, " The game goes on with the text before it.")

    def set_players(self, written: str, unit: Unit) -> None:
        """Take the players' names; ones that cannot be read leave those who play."""

        def take() -> None:
            self.names, self.unit = read_names(written, unit), unit

        self._attempt(take)

    def play(self, lines: Mapping[str, str]) -> bool:
        """Score what everybody wrote; return whether the token was revealed."""
        return self._attempt(lambda: self.game.play(lines, self.unit))

    def skip(self) -> None:
        """Reveal a token that nobody guesses."""
        self._attempt(self.game.reveal)

    def _attempt(self, move: Callable[[], object], more: str = "") -> bool:
        self.notice = self.hint = None
        try:
            move()
        except NoGuess as error:
            self.hint = str(error)
        except ValueError as error:
            self.notice = f"{error}{more}"
        return self.notice is None and self.hint is None

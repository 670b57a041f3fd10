"""What one reader has in the guessing game: the game, who plays, what went wrong.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from model.guess.game import GuessingGame
from model.guess.parsing import Unit
from model.guess.records import MODEL, UNIFORM, GuessRound
from model.loading import LanguageModel

MAX_PLAYERS = 6
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
        raise ValueError(f"{len(names)} players are too many for one screen: {MAX_PLAYERS} fit.")
    long = next((name for name in names if len(name) > MAX_NAME), None)
    if long:
        raise ValueError(f"The name {long[:MAX_NAME]}… is too long: {MAX_NAME} fit.")
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
    notice: str | None = None  # one sentence
    setup_notice: str | None = None  # one sentence, of the text and the players

    @property
    def rounds(self) -> list[GuessRound]:
        """What has been guessed and revealed."""
        return self.game.rounds

    def start(self, text: str, n_open: int) -> None:
        """Begin with another text; one that cannot be played leaves the game as it is."""
        self.setup_notice = None
        try:
            self.game = GuessingGame(self.lm, text, n_open)
        except ValueError as error:
            self.setup_notice = f"{error} The game goes on with the text before it."
        else:
            self.notice = None

    def set_players(self, written: str, unit: Unit) -> None:
        """Take the players' names; ones that cannot be read leave those who play."""
        self.setup_notice = None
        try:
            self.names = read_names(written, unit)
        except ValueError as error:
            self.setup_notice = str(error)
        else:
            self.unit = unit

    def play(self, lines: Mapping[str, str]) -> bool:
        """Score what everybody wrote; return whether the token was revealed."""
        self.notice = None
        try:
            self.game.play(lines, self.unit)
        except ValueError as error:
            self.notice = str(error)
        return self.notice is None

    def skip(self) -> None:
        """Reveal a token that nobody guesses."""
        self.notice = None
        try:
            self.game.reveal()
        except ValueError as error:
            self.notice = str(error)

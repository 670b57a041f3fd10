"""What one reader has in the guessing game: the game, who plays, the round of ten words.

Knows nothing of Streamlit.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from model.guess.game import GuessingGame, NoGuess
from model.guess.parsing import GuessUnit
from model.guess.records import MODEL, UNIFORM, GuessRound
from model.typed import number_typed, parts_typed
from pages.frame.lesson_state import LessonState

MAX_PLAYERS = 6  # whose fields and lines can be told apart on one screen
MAX_NAME = 16  # characters
N_ROUND = 10  # words, until the points are compared
SURENESS = (0.2, 0.5, 0.9)  # a guess, fairly, very
MAX_REPLAYED = 200  # words that a reload plays again


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


def line_of(typed: str, sure: float | None) -> str:
    """Returns what a player wrote with how sure they are, unless a number stands there already."""
    *_, last = ["", *typed.rstrip("%٪％ ").split()]
    has_number = len(typed.split()) > 1 and number_typed(last) is not None
    if sure is None or has_number or not typed.strip():
        return typed
    return f"{typed} {100 * sure:.0f}"


@dataclass
class GuessLesson(LessonState):
    """All that one reader has on the page.

    Attributes:
        game: The text that is guessed.
        text: The same as it was given, with what is revealed of it at the start.
        begun_at: How many words were guessed before the present round of ten.
        best: The most points of a player alone in a round of ten before this one.
        played: Each word since the text began: the players' lines, None where it was skipped.
    """

    game: GuessingGame
    text: tuple[str, int]
    names: tuple[str, ...] = ("You",)
    unit: GuessUnit = "percent"
    hint: str | None = None  # what to do instead of an empty guess, in one sentence
    begun_at: int = 0
    best: int | None = None
    played: list[dict[str, str] | None] = field(default_factory=list)

    @contextmanager
    def attempt(self, stays: str = "") -> Iterator[None]:
        """As every lesson does; an empty guess is no fault yet."""
        self.hint = None
        with super().attempt(stays):
            try:
                yield
            except NoGuess as error:
                self.hint = str(error)

    @property
    def round(self) -> Sequence[GuessRound]:
        """The words of the present round of ten that were guessed."""
        return self.game.rounds[self.begun_at :]

    @property
    def is_round_over(self) -> bool:
        """Whether ten words were guessed, or the text has ended."""
        return len(self.round) >= N_ROUND or self.game.is_over

    def start(self, text: str, n_open: int) -> None:
        """Begins with another text; one that cannot be played leaves the game as it is."""
        with self.attempt("The game goes on with the text before it."):
            game = GuessingGame(self.lm, text, n_open)
            self._end_round()
            self.game, self.text = game, (text, n_open)
            self.begun_at, self.played = 0, []

    def set_players(self, written: str, unit: GuessUnit) -> None:
        """Replaces the players by the names written; keeps them if those are invalid.

        Whoever plays begins a round of their own.
        """
        with self.attempt():
            names = read_names(written, unit)
            if (names, unit) != (self.names, self.unit):
                self.begun_at, self.best = len(self.game.rounds), None
            self.names, self.unit = names, unit

    def play(self, lines: Mapping[str, str]) -> bool:
        """Scores what everybody wrote; return whether the token was revealed."""
        with self.attempt():
            self.game.play(lines, self.unit)
        is_played = self.problem is None and self.hint is None
        if is_played:
            self.played.append(dict(lines))
        return is_played

    def skip(self) -> None:
        """Reveals a token that nobody guesses."""
        with self.attempt():
            if not self.game.is_over:
                self.game.reveal()
                self.played.append(None)

    def go_on(self) -> None:
        """Begins the next round of ten on the same text."""
        self._end_round()
        self.begun_at = len(self.game.rounds)

    def _end_round(self) -> None:
        if len(self.round) >= N_ROUND and len(self.names) == 1:
            won = sum(player.points for one in self.round for player in one.players)
            self.best = won if self.best is None else max(self.best, won)

    def saved(self) -> dict[str, Any]:
        """Returns what a reload needs to stand where one was; `restore` takes it."""
        text, n_open = self.text
        return {
            "text": text,
            "n_open": n_open,
            "names": list(self.names),
            "unit": self.unit,
            "begun_at": self.begun_at,
            "best": self.best,
            "played": self.played,
        }

    def restore(self, saved: Any) -> None:
        """Plays again what a browser kept of a game; what is none of ours changes nothing."""
        try:
            other = GuessLesson(
                self.lm,
                GuessingGame(self.lm, str(saved["text"]), int(saved["n_open"])),
                (str(saved["text"]), int(saved["n_open"])),
                unit="hands" if saved["unit"] == "hands" else "percent",
            )
            other.names = read_names(",".join(map(str, saved["names"])), other.unit)
            for lines in saved["played"][:MAX_REPLAYED]:
                if lines is None:
                    other.skip()
                else:
                    other.play({str(name)[:MAX_NAME]: str(line) for name, line in lines.items()})
            begun_at = int(saved["begun_at"])
            best = None if saved["best"] is None else int(saved["best"])
        except (ValueError, TypeError, KeyError, AttributeError):
            return
        self.game, self.text, self.played = other.game, other.text, other.played
        self.names, self.unit, self.best = other.names, other.unit, best
        self.begun_at = min(max(0, begun_at), len(self.game.rounds))

"""What one reader has in the guessing game: a text that opens, who plays, what went wrong.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from model.guess.game import GuessingGame
from model.guess.reading import Unit
from model.guess.records import EntropyBounds, GuessRound
from model.guess.shannon import entropy_bounds
from model.loading import LanguageModel
from viz.guess.score_charts import MODEL, UNIFORM

MOST_PLAYERS = 6
LONGEST_NAME = 16  # characters


def read_names(written: str, unit: Unit) -> tuple[str, ...]:
    """Return the players' names from a line with commas between them.

    Raises:
        ValueError: One sentence with the remedy.
    """
    names = [re.sub(r"[^\w .'’-]", "", name).strip("_ ") for name in written.split(",")]
    names = [name for name in names if name]
    if not names:
        return ("The class",) if unit == "hands" else ("You",)
    if len(names) > MOST_PLAYERS:
        raise ValueError(f"{len(names)} players are too many for one screen: {MOST_PLAYERS} fit.")
    long = next((name for name in names if len(name) > LONGEST_NAME), None)
    if long:
        raise ValueError(f"The name {long[:LONGEST_NAME]}… is too long: {LONGEST_NAME} fit.")
    lowered = [name.lower() for name in names]
    if len(set(lowered)) < len(names) or {MODEL, UNIFORM} & set(lowered):
        raise ValueError(f"Give every player a name of their own, none of them {MODEL}’s.")
    return tuple(names)


@dataclass
class GuessLesson:
    """All that one reader has on the page."""

    lm: LanguageModel
    game: GuessingGame
    about: str  # whose text it is
    names: tuple[str, ...] = ("You",)
    unit: Unit = "percent"
    notice: str | None = None  # one sentence
    setup_notice: str | None = None  # one sentence, of the text and the players

    @property
    def rounds(self) -> list[GuessRound]:
        """What has been guessed and opened."""
        return self.game.rounds

    def start(self, text: str, about: str, n_open: int) -> None:
        """Begin with another text; one that cannot be played leaves the game as it is."""
        self.setup_notice = None
        try:
            self.game = GuessingGame(self.lm, text, n_open)
        except ValueError as error:
            self.setup_notice = f"{error} The game goes on with the text before it."
        else:
            self.about, self.notice = about, None

    def seat(self, written: str, unit: Unit) -> None:
        """Take the players' names; ones that cannot be read leave those who play."""
        self.setup_notice = None
        try:
            self.names = read_names(written, unit)
        except ValueError as error:
            self.setup_notice = str(error)
        else:
            self.unit = unit

    def open(self, lines: Mapping[str, str]) -> bool:
        """Score what everybody wrote; return whether the token was opened."""
        self.notice = None
        try:
            self.game.play(lines, self.unit)
        except ValueError as error:
            self.notice = str(error)
        return self.notice is None

    def give(self) -> None:
        """Open a token that nobody guesses."""
        self.notice = None
        try:
            self.game.give()
        except ValueError as error:
            self.notice = str(error)

    def bounds(self) -> list[EntropyBounds]:
        """Return Shannon's estimate for everyone who played, and for the model."""
        names = list(dict.fromkeys(p.name for one in self.rounds for p in one.players))
        own = [
            [player for one in self.rounds for player in one.players if player.name == name]
            for name in names
        ]
        found = [
            _bounds(
                name,
                [player.rank for player in played],
                [player.n_guesses for player in played],
                [player.bits for player in played],
                self.lm.vocab_size,
            )
            for name, played in zip(names, own, strict=True)
        ]
        ranks = [one.model_rank for one in self.rounds]
        scored = [one.model_bits for one in self.rounds]
        n_vocab = self.lm.vocab_size
        return [*found, _bounds(MODEL, ranks, [n_vocab] * len(ranks), scored, n_vocab)]


def _bounds(
    name: str,
    ranks: Sequence[int | None],
    n_guesses: Sequence[int],
    scored: Sequence[float],
    n_vocab: int,
) -> EntropyBounds:
    lower, upper = entropy_bounds(ranks, n_guesses, n_vocab)
    mean = sum(scored) / len(scored)
    return EntropyBounds(name, len(ranks), lower, upper, mean, sum(rank is None for rank in ranks))

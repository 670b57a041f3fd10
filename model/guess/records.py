"""Records of the guessing game: what was guessed, what it cost everyone in bits.

Ranks count from 1 here, as Shannon counted guesses; a share is a fraction of one player's
confidence.
"""

import math
from dataclasses import dataclass

MODEL, UNIFORM = "the model", "uniform"  # predictors beside the players


CERTAIN = 120  # points: who spreads all evenly over 4,096 tokens has 0


def points(prob: float) -> int:
    """Returns the points of a guess that gave the true token a probability: 120, less ten a bit.

    They are as proper as the bits: who says what they believe can expect the most (Good, 1952).
    """
    return round(CERTAIN + 10 * math.log2(prob))


@dataclass(frozen=True)
class GuessRead:
    """One typed guess, as the tokenizer reads it behind the text so far."""

    typed: str
    label: str  # visible text of its first token, the only one that is compared
    token_id: int
    n_tokens: int  # that the typed text has
    share: float  # of the player's confidence


@dataclass(frozen=True)
class PlayerRound:
    """One player's distribution over the whole vocabulary, and what it gave the true token."""

    name: str
    guesses: tuple[GuessRead, ...]  # by share, the largest first
    prob: float  # given to the true token
    rank: int | None  # of the true token among the guesses, from 1; None: a miss

    @property
    def shares(self) -> dict[int, float]:
        """The share of each token that was guessed."""
        return {guess.token_id: guess.share for guess in self.guesses}

    @property
    def bits(self) -> float:
        """The log score: the smaller, the better; 0 for certainty that came true."""
        return -math.log2(self.prob) + 0.0  # certainty costs 0, not minus 0

    @property
    def points(self) -> int:
        """The log score as points: the more, the better."""
        return points(self.prob)


@dataclass(frozen=True)
class GuessRow:
    """A token of the revealed distribution, beside what every player gave it."""

    token_id: int
    label: str
    model_prob: float
    player_probs: tuple[float, ...]  # in the order of the round's players


@dataclass(frozen=True)
class GuessRound:
    """One hidden token, guessed by players and by the model, and revealed."""

    position: int  # of the token in the text, from 0
    token_id: int
    label: str
    n_vocab: int
    model_log_prob: float  # nats, of the true token
    model_rank: int  # of the true token, from 1
    players: tuple[PlayerRound, ...]
    rows: tuple[GuessRow, ...]  # the model's best, what was guessed, and the true token; best first

    @property
    def model_prob(self) -> float:
        """What the model gave the token."""
        return math.exp(self.model_log_prob)

    @property
    def model_bits(self) -> float:
        """What the token cost the model."""
        return -self.model_log_prob / math.log(2) + 0.0

    @property
    def costs(self) -> dict[str, float]:
        """What the token cost everyone, bits by name.

        `UNIFORM` is who gives all tokens the same probability.
        """
        people = {player.name: player.bits for player in self.players}
        return people | {MODEL: self.model_bits, UNIFORM: math.log2(self.n_vocab)}


@dataclass(frozen=True)
class EntropyBounds:
    """Shannon's estimate: the text's entropy per token lies between these, as a predictor sees it.

    Both come from how often the first guess was right, the second, and so on.
    """

    name: str  # whose ranks they are
    n_rounds: int
    lower: float  # bits per token
    upper: float  # bits per token
    scored: float  # the mean log score over the same tokens, bits
    n_missed: int  # tokens that were in none of the guesses


@dataclass(frozen=True)
class HiddenText:
    """What the page shows of a text: its revealed beginning."""

    shown: tuple[str, ...]  # the text of every token up to the blank
    bits: tuple[float | None, ...]  # what each cost the model; None where nobody was asked
    n_hidden: int  # tokens behind the blank

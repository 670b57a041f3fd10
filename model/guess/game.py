"""Guess the next token: people write confidences, the model writes its own, bits decide.

Everyone is scored by the logarithm of the probability that they gave to the true token. It is a
proper score: on average nobody does better than by saying what they believe (I. J. Good 1952,
"Rational decisions"). This module knows a model and a text; it knows no page.
"""

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from model.draw import best_ids, place_of, rank_order
from model.generation import Generation
from model.guess.parsing import GuessUnit, read_guesses, read_line, tokens_of_guess
from model.guess.records import (
    GuessRead,
    GuessRound,
    GuessRow,
    HiddenText,
    PlayerRound,
    points,
)
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.records import FloatArray, Piece
from model.tokenizing import encode_within, label, pieces

N_ROWS = 8  # of the model's best tokens, shown when a token is revealed
N_BEST = 24  # of the model's tokens, among which words to offer are looked for
N_OFFERED = 4  # words, one of which comes
MAX_TOKENS = 1_000  # tokens
_WORD = re.compile(r"[^\W\d_]{2,}|[aAI]|[.,!?;:]")  # a word, how one goes on, or a mark


def prob_of(shares: Mapping[int, float], token_id: int, n_vocab: int) -> float:
    """Returns what somebody gives a token: its share, or an even part of the rest.

    With k shares the confidence that is left goes evenly to the n - k other tokens, so that all n
    sum to 1 and none has 0.
    """
    # named: the player gave this token a share of its own
    if token_id in shares:
        return shares[token_id]
    # spread: what was kept back lies evenly on all that was not named
    return (1 - math.fsum(shares.values())) / (n_vocab - len(shares))


def score(name: str, guesses: Sequence[GuessRead], token_id: int, n_vocab: int) -> PlayerRound:
    """Tells what a player gave to the true token, and which guess of theirs it was."""
    shares = {guess.token_id: guess.share for guess in guesses}
    return PlayerRound(
        name=name,
        guesses=tuple(guesses),
        prob=prob_of(shares, token_id, n_vocab),
        rank=list(shares).index(token_id) + 1 if token_id in shares else None,
    )


def points_at_stake(share: float, n_vocab: int) -> tuple[int, int]:
    """Returns what a share on one token brings if that token comes, and if another one does."""
    return points(share), points(prob_of({0: share}, 1, n_vocab))


class NoGuess(ValueError):  # noqa: N818  it is no error
    """Nobody wrote a guess: what to do instead, in one sentence."""


class GuessingGame:
    """A text of which only the beginning is revealed; each round reveals one token more.

    The model reads the text as it is revealed, one token per pass, and sees no more than people.
    """

    def __init__(self, lm: LanguageModel, text: str, n_revealed: int = 8) -> None:
        """Hides a text behind its first tokens.

        Args:
            lm: The model that plays.
            text: Line breaks and double spaces count as one space.
            n_revealed: How many tokens are revealed at first, one at least.

        Raises:
            ValueError: One sentence with the remedy.
        """
        ids = encode_within(lm, " ".join(text.split()), MAX_TOKENS)
        ids = ids[:-1] if len(ids) > 1 and ids[-1] in lm.end_ids else ids  # some close a text
        self.lm, self.ids = lm, ids
        self.rounds: list[GuessRound] = []
        self._pieces: tuple[Piece, ...] = pieces(lm.tokenizer, ids)
        self._costs: dict[int, float] = {}  # of the model, bits, by position
        n_given = n_revealed + sum(piece.special for piece in self._pieces[:1])
        self._refuse_unfit(n_given)
        self._generation = Generation(lm, ids[:n_given])
        self._pass_over()

    def _refuse_unfit(self, n_given: int) -> None:
        if self.lm.end_ids.intersection(self.ids[1:]):
            raise ValueError(f"The text holds an end token of {self.lm.shown}: take it out.")
        n_tokens = len(self.ids)
        if not any(map(self._can_be_typed, range(n_given, n_tokens))):
            raise ValueError(
                f"The text has {n_tokens} tokens, and {n_given} are revealed at the start: write "
                "a longer text."
            )

    @property
    def position(self) -> int:
        """Where the next hidden token stands."""
        return len(self._generation.ids)

    @property
    def is_over(self) -> bool:
        """Whether the whole text is revealed."""
        return self.position >= len(self.ids)

    @property
    def hidden_text(self) -> HiddenText:
        """What a page may show: of what is still hidden only how long it is."""
        shown = [i for i in range(self.position) if not self._pieces[i].special]
        return HiddenText(
            shown=tuple(self._pieces[i].joined for i in shown),
            bits=tuple(self._costs.get(i) for i in shown),
            n_hidden=len(self.ids) - self.position,
        )

    def best(self) -> tuple[GuessRow, ...]:
        """Returns the model's best tokens for the next place, best first."""
        log_probs = log_softmax(self._generation.logits_with(set()))
        best = best_ids(log_probs, N_BEST).tolist()
        return tuple(
            GuessRow(i, label(self.lm.tokenizer, i), math.exp(log_probs[i]), ()) for i in best
        )

    def offered(self) -> tuple[str, ...]:
        """Returns words to guess from, as a player types them, in alphabetical order.

        One of them is the text's own next word; the others are the model's likeliest. No two begin
        with the same token.
        """
        if self.is_over:
            return ()
        true_id, before = self.ids[self.position], self._generation.ids
        words = {self._word_at(self.position): true_id}
        for row in self.best():
            is_new = row.label.startswith("␣")
            typed = row.label.removeprefix("␣")
            if len(words) == N_OFFERED or not _WORD.fullmatch(typed):
                continue
            # read: as it would be if it were typed; a piece of a word is told by its hyphen
            word = typed if is_new or not typed.isalpha() else f"-{typed}"
            if tokens_of_guess(self.lm, before, word)[:1] == [row.token_id] != [true_id]:
                words[word] = row.token_id
        return tuple(sorted(words, key=str.casefold))

    def _word_at(self, position: int) -> str:
        """Returns the text from a token on to the end of its word, as a player types it."""
        joined = [piece.joined for piece in self._pieces[position:]]
        first, rest = joined[0], "".join(joined[1:])
        word = first.strip()
        if not word[-1:].isalnum():
            return word
        before = self._pieces[position - 1].joined if position else ""
        is_piece = first[:1].isalnum() and before[-1:].isalnum()
        more = re.match(r"[^\W_]*", rest)
        return f"{'-' * is_piece}{word}{more[0] if more else ''}"

    def play(self, lines: Mapping[str, str], unit: GuessUnit = "percent") -> GuessRound:
        """Scores everyone's guesses for the next token, and reveals it.

        Args:
            lines: What each player typed, by name; who typed nothing spreads all evenly.
            unit: What the numbers are.

        Raises:
            ValueError: One sentence with the remedy; nothing is revealed then. NoGuess where all
                fields are empty.
        """
        if self.is_over:
            raise ValueError("The whole text is revealed: start another game.")
        before, true_id, n_vocab = self._generation.ids, self.ids[self.position], self.lm.vocab_size

        # guess: everyone's confidence, as far as it is named
        guesses = {
            name: read_guesses(self.lm, before, read_line(line, unit))
            for name, line in lines.items()
        }
        if not any(guesses.values()):
            raise NoGuess("There is no guess yet: write a word, or press Skip.")

        # predict: the model's own distribution, over the whole vocabulary
        named = {guess.token_id for read in guesses.values() for guess in read}
        log_probs = log_softmax(self._generation.logits_with({true_id, *named}))

        # score: minus the binary logarithm of what each gave to the true token
        players = tuple(score(name, read, true_id, n_vocab) for name, read in guesses.items())
        done = GuessRound(
            position=self.position,
            token_id=true_id,
            label=label(self.lm.tokenizer, true_id),
            n_vocab=n_vocab,
            model_log_prob=float(log_probs[true_id]),
            model_rank=place_of(log_probs, true_id) + 1,
            players=players,
            rows=self._rows(log_probs, players, true_id),
        )

        # append: the model reads the true token, whatever it or anyone had guessed
        self._generation.step(token_id=true_id)
        self.rounds.append(done)
        self._costs[done.position] = done.model_bits
        self._pass_over()
        return done

    def reveal(self) -> None:
        """Reveals the next token without scoring anybody."""
        if not self.is_over:
            self._generation.step(token_id=self.ids[self.position])
            self._pass_over()

    def _pass_over(self) -> None:
        """Reveals what nobody can type: blanks, and tokens that are a piece of a character."""
        while not self.is_over and not self._can_be_typed(self.position):
            self._generation.step(token_id=self.ids[self.position])

    def _can_be_typed(self, position: int) -> bool:
        piece = self._pieces[position]
        before = self._pieces[position - 1] if position else piece
        is_whole = bool(before.joined) or before.special or not before.data
        written = piece.data.decode("utf-8", errors="ignore")
        return is_whole and written.encode() == piece.data and bool(written.strip())

    def _rows(
        self, log_probs: FloatArray, players: Sequence[PlayerRound], true_id: int
    ) -> tuple[GuessRow, ...]:
        """Lists the model's best tokens, those that were guessed, and the true one; best first."""
        named = {guess.token_id for player in players for guess in player.guesses}
        shown = np.array(sorted({true_id, *named, *best_ids(log_probs, N_ROWS).tolist()}))
        n_vocab = self.lm.vocab_size
        return tuple(
            GuessRow(
                token_id=token_id,
                label=label(self.lm.tokenizer, token_id),
                model_prob=math.exp(log_probs[token_id]),
                player_probs=tuple(prob_of(p.shares, token_id, n_vocab) for p in players),
            )
            for token_id in shown[rank_order(log_probs[shown])].tolist()
        )

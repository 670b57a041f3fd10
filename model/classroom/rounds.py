"""What a class's answers say of the next token: one distribution, beside the model's.

Each phone's confidence goes to one token, and what it keeps back evenly to all others; the class is
the mean of its phones, which is a distribution again.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from model.classroom.names import as_word
from model.classroom.records import Answer, ClassRound, ClassRow, ClassScore
from model.draw import best_ids, draw_many
from model.guess.game import prob_of
from model.guess.parsing import MAX_CONFIDENCE, tokens_of_guess
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.records import FloatArray
from model.tokenizing import label

N_BEST = 5  # of the model's tokens, shown beside what was answered


class Votes:
    """The answers to a question for the next token: the class as one predictor of it.

    Attributes:
        position: Of the token in the text, from 0.
        shares: What each phone gave to which token; to none where its word cannot be written.
    """

    def __init__(
        self,
        lm: LanguageModel,
        before: Sequence[int],
        offered: Sequence[int],
        answers: Sequence[tuple[str, Answer]],
    ) -> None:
        """Reads what was answered.

        Args:
            lm: The model whose tokenizer reads what was written.
            before: Ids of the text so far.
            offered: The token of each button.
            answers: Of the phones, each with the name that it goes by.
        """
        self.lm, self.position, self.answers = lm, len(before), answers
        self.shares = [_shares_of(lm, before, offered, answer) for _, answer in answers]

    def probs_of(self, token_id: int) -> list[float]:
        """Returns what each phone gave to a token."""
        return [prob_of(own, token_id, self.lm.vocab_size) for own in self.shares]

    def prob_of(self, token_id: int) -> float:
        """Returns what the class gave to a token; one without phones holds all alike."""
        given = self.probs_of(token_id)
        return math.fsum(given) / len(given) if given else 1 / self.lm.vocab_size

    def favourite_id(self, logits: FloatArray) -> int | None:
        """Returns the token that most phones gave; of equals, the one that the model likes best."""
        votes = Counter(chain.from_iterable(self.shares))
        return max(votes, key=lambda token_id: (votes[token_id], logits[token_id]), default=None)

    def beside(self, logits: FloatArray, shown: Iterable[int]) -> ClassRound:
        """Sets the class beside the model, for the tokens that either holds likely.

        Args:
            logits: (vocab,) The model's, for the same position.
            shown: Tokens that are in it in any case.
        """
        probs = np.exp(log_softmax(logits))
        votes = Counter(chain.from_iterable(self.shares))
        rows = [
            ClassRow(
                token_id=token_id,
                label=as_word(label(self.lm.tokenizer, token_id)),
                n_votes=votes[token_id],
                class_prob=self.prob_of(token_id),
                model_prob=float(probs[token_id]),
            )
            for token_id in {*best_ids(logits, N_BEST).tolist(), *shown, *votes}
        ]
        ordered = sorted(rows, key=lambda row: (-row.model_prob, row.token_id))
        given = math.fsum(chain.from_iterable(own.values() for own in self.shares))
        n_answers = len(self.answers)
        kept_back = 1 - given / n_answers if n_answers else 1.0
        return ClassRound(n_answers, tuple(ordered), kept_back, self.lm.vocab_size)

    def score(self, logits: FloatArray, token_id: int) -> ClassScore:
        """Tells what everyone gave to the token that came.

        Args:
            logits: (vocab,) The model's, for the same position.
            token_id: The token that came.
        """
        named = zip(self.probs_of(token_id), self.answers, strict=True)
        best_prob, best_name = max(
            ((prob, name) for prob, (name, _) in named if name), default=(0.0, None)
        )
        return ClassScore(
            token_id=token_id,
            class_prob=self.prob_of(token_id),
            model_prob=float(np.exp(log_softmax(logits)[token_id])),
            best_name=best_name,
            best_prob=best_prob,
        )


def _shares_of(
    lm: LanguageModel, before: Sequence[int], offered: Sequence[int], answer: Answer
) -> dict[int, float]:
    if answer.option is None:
        ids = tokens_of_guess(lm, before, answer.word)[:1]
    else:
        ids = [offered[answer.option]]
    return dict.fromkeys(ids, min(answer.confidence, MAX_CONFIDENCE))


def landing(shares: Sequence[float], pointer: float) -> int:
    """Returns the segment of the cumulative bar on which a pointer in [0, 1) falls."""
    return int(draw_many(np.arange(len(shares)), np.array(shares), [pointer])[0])

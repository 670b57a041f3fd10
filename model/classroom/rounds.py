"""What a class's answers say of the next token: how many votes each has, beside the model's bars.

A vote stays a vote: how sure a phone is, decides only who was the surest of the token that came.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from model.classroom.names import as_word
from model.classroom.records import Answer, ClassRound, ClassRow, ClassScore, Question, Tally
from model.draw import best_ids, draw_many
from model.guess.parsing import MAX_CONFIDENCE, tokens_of_guess
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.records import FloatArray
from model.tokenizing import label

N_BEST = 5  # of the model's tokens, shown beside what was answered


class Votes:
    """The answers to a question for the next token.

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
                model_prob=float(probs[token_id]),
            )
            for token_id in {*best_ids(logits, N_BEST).tolist(), *shown, *votes}
        ]
        ordered = sorted(rows, key=lambda row: (-row.model_prob, row.token_id))
        return ClassRound(len(self.answers), tuple(ordered))

    def score(self, logits: FloatArray, token_id: int) -> ClassScore:
        """Tells what everyone gave to the token that came.

        Args:
            logits: (vocab,) The model's, for the same position.
            token_id: The token that came.
        """
        named = zip(self.shares, self.answers, strict=True)
        sure = [(own[token_id], name) for own, (name, _) in named if name and token_id in own]
        return ClassScore(
            token_id=token_id,
            n_votes=sum(token_id in own for own in self.shares),
            model_prob=float(np.exp(log_softmax(logits)[token_id])),
            best_name=max(sure)[1] if sure else None,
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


def landed(
    shares: Sequence[float], pointers: Iterable[tuple[float, Answer | None]]
) -> tuple[list[int], int]:
    """Returns how many pointers fell on each segment, and how many phones said where theirs did."""
    falls = [(landing(shares, at), answer) for at, answer in pointers]
    n_right = sum(answer is not None and answer.option == i for i, answer in falls)
    return [sum(place == i for place, _ in falls) for i in range(len(shares))], n_right


def first_of_two(tallies: Iterable[Tally], asked: Question) -> Tally | None:
    """Returns the answers of the first time that a question was asked, if it was asked twice."""
    same = [
        tally
        for tally in tallies
        if (tally.question.words, tally.question.options) == (asked.words, asked.options)
    ]
    return same[0] if len(same) > 1 else None

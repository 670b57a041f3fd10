"""What a class's answers say of the next token: one distribution, scored beside the model's.

Each phone's confidence goes to one token, and what it keeps back evenly to all others; the class is
the mean of its phones, which is a distribution again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from model.classroom.records import Answer, ClassRound, ClassRow, ClassScore
from model.draw import best_ids, draw_many
from model.guess.parsing import MAX_CONFIDENCE, tokens_of_guess
from model.loading import LanguageModel
from model.masks import log_softmax
from model.records import FloatArray
from model.tokenizing import label

N_BEST = 5  # of the model's tokens, shown beside what was answered


def tokens_of(
    lm: LanguageModel, before: Sequence[int], offered: Sequence[int], answers: Sequence[Answer]
) -> list[int | None]:
    """Returns the token of each answer; None for a word that this tokenizer cannot write.

    Args:
        lm: The model whose tokenizer reads what was written.
        before: Ids of the text so far.
        offered: The token of each button.
        answers: Of the phones.
    """
    chosen: list[int | None] = []
    for answer in answers:
        if answer.option is not None:
            chosen.append(offered[answer.option])
        else:
            ids = tokens_of_guess(lm, before, answer.word)
            chosen.append(ids[0] if ids else None)
    return chosen


def prob_of_answer(token_id: int | None, share: float, true_id: int, n_vocab: int) -> float:
    """Returns what one phone gave to a token: its confidence, or an even part of the rest."""
    if token_id is None:
        return 1 / n_vocab
    kept = min(share, MAX_CONFIDENCE)
    return kept if token_id == true_id else (1 - kept) / (n_vocab - 1)


def class_round(
    lm: LanguageModel,
    before: Sequence[int],
    logits: FloatArray,
    offered: Sequence[int],
    answers: Sequence[Answer],
) -> ClassRound:
    """Sets the class's distribution beside the model's, for the tokens that either holds likely.

    Args:
        lm: The model.
        before: Ids of the text so far.
        logits: (vocab,) The model's, for the next position.
        offered: The token of each button.
        answers: Of the phones.
    """
    n_vocab = lm.vocab_size
    chosen = tokens_of(lm, before, offered, answers)
    probs = np.exp(log_softmax(logits))
    votes = Counter(token_id for token_id in chosen if token_id is not None)
    shown = {*best_ids(logits, N_BEST).tolist(), *offered, *votes}
    rows = [
        ClassRow(
            token_id=token_id,
            label=label(lm.tokenizer, token_id),
            n_votes=votes[token_id],
            class_prob=_mean_prob(chosen, answers, token_id, n_vocab),
            model_prob=float(probs[token_id]),
        )
        for token_id in shown
    ]
    ordered = sorted(rows, key=lambda row: (-row.model_prob, row.token_id))
    return ClassRound(len(before), len(answers), tuple(ordered))


def class_score(
    lm: LanguageModel,
    before: Sequence[int],
    logits: FloatArray,
    offered: Sequence[int],
    answers: Sequence[tuple[str, Answer]],
    token_id: int,
) -> ClassScore:
    """Scores everyone on the token that came.

    Args:
        lm: The model.
        before: Ids of the text up to that token.
        logits: (vocab,) The model's, for that position.
        offered: The token of each button.
        answers: Of the phones, each with the name that it goes by.
        token_id: The token that came.
    """
    n_vocab = lm.vocab_size
    given = [answer for _, answer in answers]
    chosen = tokens_of(lm, before, offered, given)
    log_probs: FloatArray = log_softmax(logits)
    paid = [
        (-math.log2(prob_of_answer(own, answer.confidence, token_id, n_vocab)), name)
        for own, (name, answer) in zip(chosen, answers, strict=True)
        if name
    ]
    best = min(paid, default=(math.inf, None))
    return ClassScore(
        token_id=token_id,
        label=label(lm.tokenizer, token_id),
        class_bits=-math.log2(_mean_prob(chosen, given, token_id, n_vocab)),
        model_bits=float(-log_probs[token_id] / math.log(2)) + 0.0,
        uniform_bits=math.log2(n_vocab),
        best_name=best[1],
        best_bits=best[0],
    )


def _mean_prob(
    chosen: Sequence[int | None], answers: Sequence[Answer], token_id: int, n_vocab: int
) -> float:
    given = [
        prob_of_answer(own, answer.confidence, token_id, n_vocab)
        for own, answer in zip(chosen, answers, strict=True)
    ]
    return math.fsum(given) / len(given) if given else 1 / n_vocab


def landing(shares: Sequence[float], coin: float) -> int:
    """Returns the segment of the cumulative bar on which a coin in [0, 1) falls."""
    return int(draw_many(np.arange(len(shares)), np.array(shares), [coin])[0])

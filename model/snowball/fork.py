"""One wrong token, two futures: force it, let both texts run on by the same coins, and compare.

The coin is a function of seed and position, so both texts are written by the same coins and
whatever parts them is the one token. This module knows `Generation`; it draws nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from model.draw import rank_order
from model.generation import Generation
from model.masks import divergence, log_softmax
from model.records import FloatArray
from model.sampling import Settings
from model.snowball.records import ForkStep, Option, Side
from model.tokenizing import known_ids, label

FAR_RANKS = (20, 100, 1000)  # that are offered beside the best ones
LEAST_MEETING = 5  # same tokens to the end that make a meeting


def options(start: Generation, n_best: int = 8) -> tuple[Option, ...]:
    """Returns tokens that could be forced next: the best ones, and some that are far from best."""
    lm, order = start.lm, rank_order(start.logits)
    logprobs = log_softmax(start.logits)
    ranks = [*range(1, n_best + 1), *FAR_RANKS]
    return tuple(
        Option(
            token_id=int(order[rank - 1]),
            label=label(lm.tokenizer, int(order[rank - 1]), lm.vocab_size),
            rank=rank,
            prob=math.exp(logprobs[order[rank - 1]]),
        )
        for rank in ranks
        if rank <= len(order)
    )


def option_of(start: Generation, token_id: int) -> Option:
    """Returns any token as one that could be forced next, with its rank and probability."""
    token_id = known_ids(start.lm, [token_id])[0]
    rank = int(np.flatnonzero(rank_order(start.logits) == token_id)[0]) + 1
    name = label(start.lm.tokenizer, token_id, start.lm.vocab_size)
    return Option(token_id, name, rank, math.exp(log_softmax(start.logits)[token_id]))


class Fork:
    """A text as it goes on by itself, and the same text with one token forced.

    Attributes:
        right: the text as it is.
        wrong: the text with the forced token.
        steps: one for each position from the place of the fork on.
    """

    def __init__(self, start: Generation, wrong_id: int, settings: Settings, n_tokens: int) -> None:
        """Copies the text twice; it stays as it is itself.

        Args:
            start: the text up to the place of the fork.
            wrong_id: the token to force there.
            settings: how both sides choose.
            n_tokens: positions to write, that of the forced token included.

        Raises:
            ValueError: where the text is finished or the model has no such token.
        """
        if start.finished is not None:
            raise ValueError("The text is finished at this place: choose an earlier one.")
        self.wrong_id = known_ids(start.lm, [wrong_id])[0]
        self.right, self.wrong = start.fork(), start.fork()
        self.settings, self.n_tokens = settings, n_tokens
        self.steps: list[ForkStep] = []

    @property
    def is_done(self) -> bool:
        """Whether all is written that will be."""
        has_ended = self.right.finished is not None and self.wrong.finished is not None
        return len(self.steps) >= self.n_tokens or has_ended

    def advance(self) -> ForkStep:
        """Writes one token on both sides."""
        position = self.right.n_prompt + len(self.right.steps)
        # compare: how far is what one side expects from what the other expects?
        both_run = self.right.finished is None and self.wrong.finished is None
        kl = _divergence_of(self.right.logits, self.wrong.logits) if both_run else None
        # force: the wrong token goes in once, at the place of the fork, on one side only
        forced_id = self.wrong_id if not self.steps else None
        # choose: the coin is a function of seed and position, so it is the same on both sides
        right = _write(self.right, self.settings, None)
        wrong = _write(self.wrong, self.settings, forced_id)
        step = ForkStep(position if right else len(self.wrong.ids) - 1, right, wrong, kl)
        self.steps.append(step)
        return step


def _write(text: Generation, settings: Settings, token_id: int | None) -> Side | None:
    """Writes a token, unless the text has ended."""
    if text.finished is not None:
        return None
    step = text.step(settings, token_id=token_id)
    return Side(step.token_id, step.text, step.logprob)


def _divergence_of(first: FloatArray, second: FloatArray) -> float:
    return float(divergence(log_softmax(first), log_softmax(second)))


def meeting(steps: Sequence[ForkStep], least: int = LEAST_MEETING) -> int | None:
    """Finds where two texts meet again for good: the same tokens from there to the end.

    Args:
        steps: both texts from the place of the fork on.
        least: same tokens in a row that it takes.

    Returns:
        Index into the steps of the first token of that end; None where the texts stay apart.
    """
    n_same = 0
    for step in reversed(steps):
        if not step.is_same:
            break
        n_same += 1
    return len(steps) - n_same if n_same >= least else None

"""A text as training sees it: one pass, and at every position a prediction and its loss.

Position i predicts token i + 1 from the tokens up to i, and the mask sees to it that this is so for
all positions of one pass at once. Writing cannot do that, as its next token does not exist yet; the
loop of single steps here goes over a text that is known, and finds the same numbers one by one.
This module knows no page and trains nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np
import numpy.typing as npt

from model.batch import Batch
from model.causal_mask.attention import read_text, true_logprobs
from model.causal_mask.records import Comparison, LoopStep, Losses
from model.loading import LanguageModel
from model.passes import Logits
from model.records import Piece
from model.tokenizing import pieces

N_PASSES = 5  # parallel passes that are timed, spread over the loop


def losses_in_one_pass(lm: LanguageModel, ids: Sequence[int]) -> Losses:
    """Reads a text once, and returns the loss of every token but the first.

    Raises:
        ValueError: where nothing is predicted; one sentence with the remedy.
    """
    if len(ids) < 2:
        raise ValueError("A text of one token has nothing to predict: write a few words.")
    # one pass: every position gives the distribution of the token after it
    logits, _ = read_text(lm, ids[:-1])
    # the targets are the text itself, one place to the left
    losses = -true_logprobs(logits, ids)
    first, *predicted = pieces(lm.tokenizer, ids)
    return Losses(
        labels=tuple(piece.label for piece in predicted),
        texts=tuple(piece.joined for piece in predicted),
        losses=losses,
        ranks=_ranks(logits, ids[1:]),
        first=first.joined,
        n_bytes=sum(_n_bytes(piece) for piece in predicted),
    )


def _ranks(logits: Logits, targets: Sequence[int]) -> npt.NDArray[np.int64]:
    """Returns the place of each target among all tokens, 1 for the best; ties by id."""
    return np.array(
        [
            1 + np.count_nonzero(row > row[i]) + np.count_nonzero(row[:i] == row[i])
            for row, i in zip(logits, targets, strict=True)
        ],
        dtype=np.int64,
    )


def _n_bytes(piece: Piece) -> int:
    """Counts a token's bytes; a space that its tokenizer put before the text is not of the text."""
    is_padded = piece.data.startswith(b" ") and piece.joined[:1] not in ("", " ")
    return len(piece.data) - is_padded


class StepLoop:
    """The same losses one by one: a token goes in, the next one's loss comes out.

    Both sides read the same tokens by the model's own pass, and only passes are timed. Parallel
    passes are timed before, amid and after the steps, so that whatever else this machine does
    meanwhile falls on both.
    """

    def __init__(self, lm: LanguageModel, ids: Sequence[int]) -> None:
        """Warms both sides up.

        Args:
            lm: A causal model; without a cache every step reads the whole text again.
            ids: At least two tokens.

        Raises:
            ValueError: where nothing is predicted; one sentence with the remedy.
        """
        self.lm, self.ids = lm, list(ids)
        self.expected = losses_in_one_pass(lm, ids)  # warms the parallel side up
        self.steps: list[LoopStep] = []
        self._passes: list[float] = []
        self._text = Batch(lm)
        warm = Batch(lm)
        for token_id in self.ids[:2]:
            warm.read([[token_id]])

    @property
    def n_steps(self) -> int:
        """Steps that the whole text takes."""
        return len(self.ids) - 1

    @property
    def is_done(self) -> bool:
        """Whether every token has its loss."""
        return len(self.steps) >= self.n_steps

    def advance(self) -> LoopStep:
        """Reads one more token and scores the one after it."""
        n_read = len(self.steps)
        # parallel: now and then, the whole text in one pass
        if n_read * (N_PASSES - 1) >= len(self._passes) * self.n_steps:
            self._passes.append(read_text(self.lm, self.ids[:-1])[1])
        # step: one token in; all before it is in the cache
        logits, seconds = self._text.read([[self.ids[n_read]]])
        # loss: what that pass thought of the token that follows
        loss = -true_logprobs(logits[0], self.ids[n_read : n_read + 2])[0]
        step = LoopStep(float(loss), seconds)
        self.steps.append(step)
        if self.is_done:
            self._passes.append(read_text(self.lm, self.ids[:-1])[1])
        return step

    def compare(self) -> Comparison | None:
        """Holds the loop against the pass over the same tokens; None before the last step."""
        if not self.is_done:
            return None
        found = np.array([step.loss for step in self.steps])
        return Comparison(
            n_tokens=self.n_steps,
            gap=float(np.abs(found - self.expected.losses).max()),
            pass_seconds=median(self._passes),
            n_passes=len(self._passes),
            loop_seconds=sum(step.seconds for step in self.steps),
        )

"""A text as training sees it: one pass, and at every position a prediction and its loss.

Under the mask, position i predicts token i + 1 from the tokens up to i, for all positions of one
pass at once. The loop of single steps goes over the same text, and finds the same one by one.
"""

from collections.abc import Sequence
from statistics import median

import numpy as np

from model.batch import Batch
from model.causal_mask.attention import read_text, true_logprobs
from model.causal_mask.records import Losses, ParallelCheck
from model.draw import place_of
from model.job import Progress, Work
from model.language_model import LanguageModel
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
        ranks=np.array([1 + place_of(row, i) for row, i in zip(logits, ids[1:], strict=True)]),
        first=first.joined,
        n_bytes=sum(_n_bytes(piece) for piece in predicted),
    )


def _n_bytes(piece: Piece) -> int:
    """Counts a token's bytes; a space that its tokenizer put before the text is not of the text."""
    is_padded = piece.data.startswith(b" ") and piece.joined[:1] not in ("", " ")
    return len(piece.data) - is_padded


def losses_by_steps(lm: LanguageModel, ids: Sequence[int]) -> Work[ParallelCheck]:
    """Finds the same losses one by one: a token goes in, the next one's loss comes out.

    Both sides read the same tokens by the model's own pass, and only passes are timed. Parallel
    passes are timed before, amid and after the steps, so that whatever else this machine does
    meanwhile falls on both.

    Args:
        lm: A causal model; without a cache every step reads the whole text again.
        ids: At least two tokens.

    Raises:
        ValueError: where nothing is predicted; one sentence with the remedy.
    """
    # warm both sides up
    expected = losses_in_one_pass(lm, ids).losses
    warm, text, n_steps = Batch(lm), Batch(lm), len(ids) - 1
    for token_id in ids[:2]:
        warm.read([[token_id]])
    losses: list[float] = []
    passes: list[float] = []

    def look() -> ParallelCheck:
        gap = np.abs(np.array(losses) - expected[: len(losses)]).max(initial=0.0)
        return ParallelCheck(
            np.array(losses), float(gap), median(passes), len(passes), text.seconds
        )

    while len(losses) < n_steps:
        yield Progress(len(losses), n_steps, "single steps", look if passes else None)
        # parallel: now and then, the whole text in one pass
        if len(losses) * (N_PASSES - 1) >= len(passes) * n_steps:
            passes.append(read_text(lm, ids[:-1])[1])
        # step: one token in; all before it is in the cache
        n_read = len(losses)
        logits, _ = text.read([[ids[n_read]]])
        # loss: what that pass thought of the token that follows
        losses.append(-float(true_logprobs(logits[0], ids[n_read : n_read + 2])[0]))
    passes.append(read_text(lm, ids[:-1])[1])
    return look()

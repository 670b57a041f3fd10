"""A forced token: two copies of a text, one with it and one without, go on by the same pointers.

The pointer is a function of seed and position, so whatever parts the texts is the one token.
"""

import math
from collections.abc import Sequence

from model.batch import Batch
from model.draw import best_ids, rank_order
from model.generation import Generation
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.masks import LogProbs, log_softmax
from model.sampling import Settings
from model.server.client import MAX_BY_ID
from model.snowball.error_compounding import side_by_side
from model.snowball.records import ForkStep, Option, Token
from model.tokenizing import known_ids, label

RANKS = (1, 2, 3, 4, 5, 6, 7, 8, 20, 100, 1000)  # of the tokens that are offered
MIN_RECONVERGENCE = 5  # same tokens to the end that count as a reconvergence


def options(start: Generation) -> tuple[Option, ...]:
    """Returns tokens that could be forced next: the best ones, and some that are far from best."""
    lm, order, logprobs = start.lm, rank_order(start.logits).tolist(), log_softmax(start.logits)
    ranked = [(rank, order[rank - 1]) for rank in RANKS if rank <= len(order)]
    return tuple(
        Option(i, label(lm.tokenizer, i), rank, math.exp(logprobs[i])) for rank, i in ranked
    )


def fork_text(
    start: Generation,
    forced_id: int,
    settings: Settings,
    n_tokens: int,
    written: Sequence[int] = (),
) -> Work[tuple[ForkStep, ...]]:
    """Forces a token in a copy of a text, and lets it and another copy go on.

    Args:
        start: the text.
        forced_id: the token.
        settings: by which both go on.
        n_tokens: that each gets at most.
        written: tokens that the original has from there on already, as far as they are known.

    Returns:
        One step for each position from the fork on.

    Raises:
        ValueError: where the text is finished or the model has no such token.
    """
    refuse_finished(start)
    forced_id = known_ids(start.lm, [forced_id])[0]
    batch = Batch.after(start)
    batch.reorder([0, 0])  # the original above, the other below
    steps, runs = list[ForkStep](), [True, True]
    while any(runs):
        yield Progress(len(steps), n_tokens, "positions of both texts", lambda: tuple(steps))
        # choose: the pointer is a function of seed and position, so it is the same on both sides
        chosen = batch.draw([settings] * 2, [start.seed] * 2, start.n_prompt)
        chosen[:1] = written[len(steps) : len(steps) + 1] or chosen[:1]
        # force: the token goes in once, at the place of the fork, on one side only
        if not steps:
            chosen[1] = forced_id
        # compare: how far is what one text expects from what the other expects?
        likely = best_ids(batch.logits[0], MAX_BY_ID - 2).tolist()
        logprobs = batch.logprobs_with([chosen, chosen + likely])
        kl = float(side_by_side(batch)[0]) if all(runs) else None
        sides = zip(chosen, logprobs, runs, strict=True)
        original, forced = (
            _token(start.lm, i, row) if is_running else None for i, row, is_running in sides
        )
        steps.append(ForkStep(original, forced, kl))
        runs = [r and i not in start.lm.end_ids for r, i in zip(runs, chosen, strict=True)]
        if len(steps) == n_tokens:
            break
        batch.append(chosen)
    return tuple(steps)


def refuse_finished(start: Generation) -> None:
    """Refuses a text in which nothing can be forced any more.

    Raises:
        ValueError: one sentence with the remedy.
    """
    if start.finished is not None:
        raise ValueError("The text is finished at this place: choose an earlier one.")


def _token(lm: LanguageModel, token_id: int, logprobs: LogProbs) -> Token:
    return Token(token_id, label(lm.tokenizer, token_id), float(logprobs[token_id]))


def reconvergence(steps: Sequence[ForkStep]) -> int | None:
    """Finds where two texts meet again for good: the same tokens from there to the end.

    Returns:
        Index into the steps of the first token of that end; None where the texts stay apart.
    """
    first = len(steps)
    while first and steps[first - 1].is_same:
        first -= 1
    return first if len(steps) - first >= MIN_RECONVERGENCE else None

"""The same slip in many texts at once, and whether slips compound after it.

The argument that errors snowball (LeCun 2023: a chance e of an error at each token leaves
(1 - e)^n of the texts right after n) takes errors for independent and for good. Neither is assumed
here: both are counted.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from model.batch import Batch
from model.draw import rank_order
from model.job import Progress, Work, part_of
from model.language_model import LanguageModel
from model.masks import LogProbs, divergence
from model.passes import check_context
from model.sampling import Settings
from model.sentences import Sentence
from model.snowball.records import EARLY, Bools, Compounding, Estimate, Floats, Forks

GROUP = 20  # forks side by side


def fork_many(
    lm: LanguageModel,
    prompt_ids: Sequence[int],
    settings: Settings,
    *,
    n_before: int,
    rank: int,
    n_tokens: int,
    n_forks: int,
    first_seed: int = 0,
) -> Work[Forks]:
    """Forces the same slip in many texts of one prompt, each drawn by a seed of its own.

    The token to force is that of a rank, 2 being the second best, or the next one where the pointer
    would draw that very token; `n_before` and `n_tokens` are written before and after it. Groups
    of texts run side by side, so that a summary is there early and grows.

    Raises:
        ValueError: where it does not fit into the model's context.
    """
    n_each = n_before + 1 + n_tokens
    check_context(
        lm,
        len(prompt_ids) + n_each,
        Sentence(
            "{n_tokens} tokens are {number} more than the {limit} that {model} reads: "
            "shorten the text or fork earlier."
        ),
    )
    if not 1 <= rank < lm.vocab_size:
        raise ValueError(f"Rank {rank} is none: choose one from 1 to {lm.vocab_size - 1:,}.")
    groups: list[Forks] = []
    for first in range(0, n_forks, GROUP):
        rows = range(first, min(first + GROUP, n_forks))
        seeds = range(first_seed + rows.start, first_seed + rows.stop)

        def progress(part: Progress[Forks], rows: range = rows) -> Progress[Forks]:
            n_done = rows.start * n_each + part.n_done * len(rows)
            doing = f"tokens, forks {rows.start + 1} to {rows.stop}"
            look = (lambda: _join(groups)) if groups else None
            return Progress(n_done, n_forks * n_each, doing, look)

        work = _fork_group(lm, prompt_ids, settings, seeds, n_before, rank, n_tokens)
        groups.append((yield from part_of(work, progress)))
    return _join(groups)


def _join(groups: Sequence[Forks]) -> Forks:
    names = ("same", "kl", "original", "forced")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(group, name) for group in groups]) for name in names
    }
    return replace(groups[0], **joined)


def _fork_group(
    lm: LanguageModel,
    prompt_ids: Sequence[int],
    settings: Settings,
    seeds: Sequence[int],
    n_before: int,
    rank: int,
    n_tokens: int,
) -> Work[Forks]:
    """Forks some texts side by side: first a row for each, then two."""
    yield Progress(0, 1)
    batch = Batch(lm, [prompt_ids] * len(seeds))
    has_ended = np.zeros(2 * len(seeds), dtype=bool)
    same = np.zeros((len(seeds), n_tokens), dtype=bool)
    kl, *sides = np.full((3, len(seeds), n_tokens), np.nan)
    twice = [row for row in range(len(seeds)) for _ in range(2)]
    for place in range(-n_before, n_tokens + 1):  # 0 is that of the forced token
        if place == 0:
            batch.reorder(twice)
        rows = range(len(seeds)) if place < 0 else twice
        chosen = batch.draw([settings] * len(rows), [seeds[row] for row in rows], len(prompt_ids))
        if place == 0:
            _force(batch, chosen, rank)
        elif place > 0:
            # compare: both sides at one position, where they still run
            column, runs = place - 1, ~has_ended
            logprobs, ids = batch.logprobs, np.asarray(chosen)
            both = runs[::2] & runs[1::2]
            same[:, column] = both & (ids[::2] == ids[1::2])
            kl[both, column] = side_by_side(batch)[both]
            own = logprobs[np.arange(len(ids)), ids]
            for i, side in enumerate(sides):
                side[runs[i::2], column] = own[i::2][runs[i::2]]
        ends = np.isin(chosen, list(lm.end_ids))
        has_ended |= ends if place >= 0 else np.repeat(ends, 2)
        if has_ended.all() or place == n_tokens:
            break
        yield Progress(n_before + 1 + place, n_before + 1 + n_tokens)
        batch.append(chosen)
    return Forks(n_before, settings.temperature, same, kl, *sides)


def side_by_side(batch: Batch) -> LogProbs:
    """Returns KL of each even row and the odd one below it; what a server left out is one."""
    unsent = batch.is_unsent
    merged = None if unsent is None else unsent[::2] | unsent[1::2]
    return divergence(batch.logprobs[::2], batch.logprobs[1::2], merged=merged)


def _force(batch: Batch, chosen: list[int], rank: int) -> None:
    """Puts the token of a rank into every second row; the next one where it was drawn itself."""
    for row in range(1, len(chosen), 2):
        best, next_best = rank_order(batch.logits[row])[rank - 1 : rank + 1]
        chosen[row] = int(next_best if best == chosen[row] else best)


# What they come to


def compounding(forks: Forks, threshold: float) -> Compounding:
    """Counts slips on both sides, and what independent errors would make of them.

    A token below the threshold, a probability as a fraction, counts as a slip.
    """
    limit = math.log(threshold)
    both = ~(np.isnan(forks.original) | np.isnan(forks.forced))  # where both texts still run
    original, forced = (forks.original < limit) & both, (forks.forced < limit) & both
    n_tokens = max(1, int(both.sum()))
    rate = float(original.sum() / n_tokens)
    numbers = np.arange(1, forks.original.shape[1] + 1)
    return Compounding(
        threshold=threshold,
        rate=rate,
        predicted=(1 - rate) ** numbers,
        original=_survival(original, both),
        forced=_survival(forced, both),
        original_slips=float(original.sum(1).mean()),
        forced_slips=float(forced.sum(1).mean()),
        difference=Estimate.of(forced.sum(1) - original.sum(1)),
        early=_rates(original, forced, both, slice(0, EARLY)),
        late=_rates(original, forced, both, slice(EARLY, None)),
    )


def _survival(slips: Bools, runs: Bools) -> Floats:
    """Returns the chance of no slip so far, (tokens,), by Kaplan and Meier.

    A text that has ended is no evidence either way: at each token only those count that still run
    and have not slipped.
    """
    slipped_before = np.cumsum(slips, axis=1) - slips > 0
    at_risk = (runs & ~slipped_before).sum(0)
    first_slips = (slips & ~slipped_before).sum(0)
    survival: Floats = np.cumprod(1 - first_slips / np.maximum(1, at_risk))
    return survival


def _rates(original: Bools, forced: Bools, both: Bools, where: slice) -> tuple[float, float]:
    """Returns slips per token in some columns, on both sides."""
    n = max(1, int(both[:, where].sum()))
    return float(original[:, where].sum() / n), float(forced[:, where].sum() / n)

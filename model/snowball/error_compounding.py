"""The same slip in many texts at once, and whether slips pile up after it.

The argument that errors snowball (LeCun 2023: a chance e of an error at each token leaves
(1 - e)^n of the texts right after n) takes errors for independent and for good. Neither is assumed
here: both are counted. This module knows texts side by side; it draws nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from model.batch import Batch
from model.draw import rank_order
from model.loading import LanguageModel
from model.masks import divergence, log_softmax
from model.passes import check_room
from model.records import FloatArray
from model.sampling import Settings
from model.snowball.records import Bools, Compounding, Estimate, Forks

EARLY = 8  # tokens after the fork that count as early
GROUP = 20  # forks that are run at once


class ManyForks:
    """The same slip in many texts of one prompt, each by the coins of its own seed.

    Groups of texts run side by side, so that a summary is there early and grows.
    """

    def __init__(
        self,
        lm: LanguageModel,
        prompt_ids: Sequence[int],
        settings: Settings,
        *,
        n_before: int,
        rank: int,
        n_tokens: int,
        n_forks: int = 100,
        first_seed: int = 0,
    ) -> None:
        """Keeps what is to be done.

        Args:
            lm: a causal model.
            prompt_ids: what all texts begin with.
            settings: how all of them choose.
            n_before: tokens that each text writes before the fork.
            rank: of the token to force: 2 is the second best; where that is the very token that
                the coin would draw, the next one.
            n_tokens: tokens to write after the forced one.
            n_forks: how many texts.
            first_seed: of the first text; the next takes the next.

        Raises:
            ValueError: where it does not fit into the model's context.
        """
        n_all = len(prompt_ids) + n_before + 1 + n_tokens
        check_room(lm, n_all, "shorten the text or fork earlier")
        if not 1 <= rank < lm.vocab_size:
            raise ValueError(f"Rank {rank} is none: choose one from 1 to {lm.vocab_size - 1:,}.")
        self.lm, self.prompt_ids, self.settings = lm, list(prompt_ids), settings
        self.n_before, self.rank, self.n_tokens = n_before, rank, n_tokens
        self.n_forks, self._next_seed = n_forks, first_seed
        self._groups: list[Forks] = []
        self._group: _Group | None = None
        self._n_done = 0

    @property
    def is_done(self) -> bool:
        """Whether all texts are written."""
        return self._n_done >= self.n_forks

    @property
    def done(self) -> float:
        """The fraction that is written."""
        n_steps = self.n_before + 1 + self.n_tokens
        inside = self._group.n_steps / n_steps if self._group else 0.0
        size = len(self._group.seeds) if self._group else 0
        return (self._n_done + inside * size) / self.n_forks

    def advance(self) -> None:
        """Writes one token in every text of the present group."""
        if self._group is None:
            size = min(GROUP, self.n_forks - self._n_done)
            seeds = range(self._next_seed, self._next_seed + size)
            self._next_seed += size
            self._group = _Group(self, list(seeds))
            return
        self._group.advance()
        if self._group.is_done:
            self._groups.append(self._group.forks())
            self._n_done += len(self._group.seeds)
            self._group = None

    def forks(self) -> Forks | None:
        """Returns all forks that are finished; None while there are none."""
        if not self._groups:
            return None
        names = ("forced_logprob", "same", "kl", "right", "wrong")
        joined = {n: np.concatenate([getattr(g, n) for g in self._groups]) for n in names}
        return Forks(self.n_before, self.rank, **joined)


class _Group:
    """Some forks side by side: first one text for each, then two."""

    def __init__(self, many: ManyForks, seeds: list[int]) -> None:
        self.many, self.seeds, self.n_steps = many, seeds, 0
        self.texts = Batch(many.lm, [many.prompt_ids] * len(seeds))
        shape = (len(seeds), many.n_tokens)
        self.forced_logprob = np.zeros(len(seeds))
        self.same = np.zeros(shape, dtype=bool)
        self.kl = np.full(shape, np.nan)
        self.logprobs = np.full((2, *shape), np.nan)
        self.has_ended = np.zeros(2 * len(seeds), dtype=bool)

    @property
    def is_done(self) -> bool:
        """Whether all tokens are written, or all texts have ended."""
        many = self.many
        return self.n_steps > many.n_before + many.n_tokens or bool(self.has_ended.all())

    def advance(self) -> None:
        """Writes one token in every text."""
        place = self.n_steps - self.many.n_before
        if place == 0:
            self.texts.reorder([row for row in range(len(self.seeds)) for _ in range(2)])
        seeds = self.seeds if place < 0 else [seed for seed in self.seeds for _ in range(2)]
        chosen = self.texts.draw(
            [self.many.settings] * len(seeds), seeds, len(self.many.prompt_ids)
        )
        if place == 0:
            self._force(chosen)
        elif place > 0:
            self._measure(place - 1, chosen)
        ended = np.isin(chosen, list(self.many.lm.end_ids))
        self.has_ended |= ended if place >= 0 else np.repeat(ended, 2)
        self.n_steps += 1
        if not self.is_done:
            self.texts.append(chosen)

    def _force(self, chosen: list[int]) -> None:
        """Puts the token of the wanted rank into every second text."""
        for i in range(1, len(chosen), 2):
            order = rank_order(self.texts.logits[i])
            rank = self.many.rank - 1
            wrong_id = int(order[rank])
            if wrong_id == chosen[i]:
                wrong_id = int(order[rank + 1])
            chosen[i] = wrong_id
            self.forced_logprob[i // 2] = log_softmax(self.texts.logits[i])[wrong_id]

    def _measure(self, column: int, chosen: list[int]) -> None:
        """Writes down both sides at one position, where they still run."""
        runs = ~self.has_ended
        logprobs = self.texts.logprobs
        own = logprobs[np.arange(len(chosen)), chosen]
        both = runs[::2] & runs[1::2]
        ids = np.asarray(chosen)
        self.same[:, column] = both & (ids[::2] == ids[1::2])
        self.kl[both, column] = divergence(logprobs[::2][both], logprobs[1::2][both])
        self.logprobs[0, runs[::2], column] = own[::2][runs[::2]]
        self.logprobs[1, runs[1::2], column] = own[1::2][runs[1::2]]

    def forks(self) -> Forks:
        """Returns what was measured."""
        right, wrong = self.logprobs
        return Forks(
            self.many.n_before,
            self.many.rank,
            self.forced_logprob,
            self.same,
            self.kl,
            right,
            wrong,
        )


# What they come to


def compounding(forks: Forks, threshold: float) -> Compounding:
    """Counts slips on both sides, and what independent errors would make of them.

    Args:
        forks: what was measured.
        threshold: probability, as a fraction, below which a token counts as a slip.
    """
    limit = math.log(threshold)
    both = ~(np.isnan(forks.right) | np.isnan(forks.wrong))  # where both texts still run
    right, wrong = (forks.right < limit) & both, (forks.wrong < limit) & both
    n_tokens = max(1, int(both.sum()))
    rate = float(right.sum() / n_tokens)
    numbers = np.arange(1, forks.right.shape[1] + 1)
    paired = estimate(wrong.sum(1) - right.sum(1))
    return Compounding(
        threshold=threshold,
        rate=rate,
        predicted=(1 - rate) ** numbers,
        right=1 - np.maximum.accumulate(right, axis=1).mean(0),
        wrong=1 - np.maximum.accumulate(wrong, axis=1).mean(0),
        right_slips=float(right.sum(1).mean()),
        wrong_slips=float(wrong.sum(1).mean()),
        difference=paired.mean,
        half_width=paired.half_width,
        early=_rates(right, wrong, both, slice(0, EARLY)),
        late=_rates(right, wrong, both, slice(EARLY, None)),
    )


def _rates(right: Bools, wrong: Bools, both: Bools, where: slice) -> tuple[float, float]:
    """Returns slips per token in some columns, on both sides."""
    n = max(1, int(both[:, where].sum()))
    return float(right[:, where].sum() / n), float(wrong[:, where].sum() / n)


def estimate(values: Sequence[float] | FloatArray) -> Estimate:
    """Returns the mean of a few values with its 95 % interval; values that are NaN are left out."""
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not known.size:
        return Estimate(math.nan, math.nan, math.nan, 0)
    spread = float(known.std(ddof=1)) if known.size > 1 else math.nan
    return Estimate(
        float(known.mean()), 1.96 * spread / math.sqrt(known.size), spread, int(known.size)
    )

"""That speculation changes nothing: the greedy text stays the same, and so does the distribution.

What is drawn is compared by a chi-square of the first two tokens jointly. Thousands of rounds run
from one prompt for that; a pass over the same tokens gives the same numbers, so it is remembered.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from model.batch import Batch
from model.chi_square import ChiSquare, chi_square, p_value
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.passes import Logits, forward
from model.records import FloatArray, IntArray
from model.sampling import Settings
from model.speculative.decoding import (
    Speculation,
    decode_baseline,
    decode_with_draft,
    residual,
)
from model.speculative.drafting import Drafter, ModelDraft, new_batch
from model.speculative.records import GreedyCheck
from model.tokenizing import encode, labels_of, text_of

OPENINGS = (
    "Once upon a time there was",
    "One day,",
    "In the morning,",
    "The mother said to",
    "In a big forest lived",
    "Nobody believed",
    "At night,",
    "It was raining, and",
    "“Where are you?” asked",
    "Far away, by the sea, stood",
)
HEROES = (
    "a little girl",
    "a boy named Tim",
    "the old king",
    "a small cat",
    "a hungry wolf",
    "the brave mouse",
    "a blue bird",
    "an old woman",
    "the sleepy bear",
    "a lonely house",
)
PROMPTS = tuple(f"{opening} {hero}" for opening in OPENINGS for hero in HEROES)
FEW_PAIRS = Settings(temperature=0.8, top_k=16, top_p=0.9)  # so that every bin fills
N_COMPARED = 2  # tokens of each draw; all that is left of them is proposed in one round
MAX_ROWS = 64  # that are read side by side
ALIKE = 1e-6  # of `information`: less is rounding, and draft and target are alike
GENEROUS = 1.1  # times the right probability of acceptance: the fault that a test has to see


# Greedy


def check_greedy(
    lm: LanguageModel,
    make_drafter: Callable[[], Drafter],
    prompts: Sequence[str],
    n_tokens: int,
    n_draft: int,
) -> Work[tuple[GreedyCheck, ...]]:
    """Continues prompts with a draft and without, and compares the ids."""
    checks: list[GreedyCheck] = []
    for i, prompt in enumerate(prompts):
        look = (lambda: tuple(checks)) if checks else None
        yield Progress(i, len(prompts), f"“{prompt}”", look)
        ids = encode(lm, prompt)
        plain, _ = decode_baseline(new_batch(lm), ids, n_tokens)
        drafter = make_drafter()
        text, rounds = decode_with_draft(lm, drafter, ids, n_draft, n_tokens)
        pairs = enumerate(zip_longest(plain, text), start=-len(ids))
        checks.append(
            GreedyCheck(
                draft=drafter.name,
                prompt=prompt,
                n_tokens=len(text) - len(ids),
                n_rounds=len(rounds),
                first_difference=next((at for at, (a, b) in pairs if a != b), None),
                text=text_of(lm.tokenizer, text),
            )
        )
    return tuple(checks)


# Sampled


@dataclass(frozen=True, eq=False)
class DistributionTest:
    """The first two tokens of many texts, beside the target's own probability of every pair."""

    labels: tuple[str, ...]  # of the pairs, likeliest first
    counts: IntArray  # (pairs,) how often each was drawn
    probs: FloatArray  # (pairs,) of the target: that of the first token, times that of the next
    chi_square: ChiSquare
    n_tested: int  # proposals
    n_accepted: int
    faulty: FloatArray | None = None  # (pairs,) probs, were acceptance GENEROUS; None: not computed

    @property
    def information(self) -> float:
        """What one draw tells of that fault: 1 / variance of `lean` by n draws is n times this."""
        if self.faulty is None:
            return 0.0
        return float(((self.faulty - self.probs) ** 2 / self.probs).sum())

    @property
    def score(self) -> float:
        """How the draws lean to that fault: 0 on average if right, n times `information` if not."""
        return 0.0 if self.faulty is None else float(self.counts @ (self.faulty / self.probs - 1))


def lean(tests: Sequence[DistributionTest]) -> tuple[float, float]:
    """Pools tests by the weights that show this fault best (Neyman and Pearson 1933).

    Returns:
        How far the draws lean to the fault, 0 for the target's distribution and 1 for an acceptance
        that is `GENEROUS`, and the standard error; both NaN where draft and target are alike.
    """
    known = sum(test.counts.sum() * test.information for test in tests)
    if known < ALIKE:
        return math.nan, math.nan
    return sum(test.score for test in tests) / float(known), 1 / math.sqrt(known)


def pooled(tests: Sequence[DistributionTest]) -> float:
    """Returns the p-value of some chi-squares together: their sum, with all their degrees."""
    statistic = sum(test.chi_square.statistic for test in tests)
    return p_value(statistic, sum(test.chi_square.n_degrees for test in tests))


def compare_distribution(
    lm: LanguageModel,
    drafter: Drafter,
    ids: Sequence[int],
    n_draws: int,
    first_seed: int = 0,
) -> Work[DistributionTest]:
    """Draws the first two tokens after a prompt by speculation, many times, and counts pairs.

    Each draw has the pointers of a seed of its own; a pass of either model runs once and is
    remembered.
    """
    target = MemoizedModel(lm)
    if isinstance(drafter, ModelDraft):
        drafter.batch = MemoizedModel(drafter.batch.lm)
    counts: Counter[tuple[int, ...]] = Counter()
    n_tested = n_accepted = 0
    yield Progress(0, n_draws, "the target’s own probabilities")
    text = MemoizedSpeculation(target, drafter, ids, FEW_PAIRS)
    text.read_ahead()
    expected = pair_probs(target.lm, ids, text.target_probs)
    wrong = pair_probs(target.lm, ids, text.faulty_probs)

    pairs = sorted(expected, key=lambda pair: -expected[pair])
    probs, faulty = (np.array([law.get(pair, 0.0) for pair in pairs]) for law in (expected, wrong))
    labels = tuple(" ".join(labels_of(lm, pair)) for pair in pairs)

    def look() -> DistributionTest:
        drawn = np.array([counts[pair] for pair in pairs])  # rare pairs share a bin
        held = chi_square(drawn, probs)
        return DistributionTest(labels, drawn, probs, held, n_tested, n_accepted, faulty)

    for n_drawn in range(n_draws):
        yield Progress(n_drawn, n_draws, look=look if n_drawn else None)
        text.begin_again(first_seed + n_drawn)
        # a text that ends after the first token is a pair with nothing
        end = len(ids) + N_COMPARED
        while len(text.ids) < end and text.finished is None:
            outcome = text.round(end - len(text.ids))
            n_tested += outcome.n_tested
            n_accepted += outcome.n_accepted
        pair = tuple(text.ids[len(ids) : end])
        if pair not in expected:
            raise ValueError(f"The target excludes a pair that was drawn, {pair}: report a bug.")
        counts[pair] += 1
    return look()


def pair_probs(
    lm: LanguageModel, ids: Sequence[int], probs_after: Callable[[Sequence[int]], FloatArray]
) -> dict[tuple[int, ...], float]:
    """Returns the probability of every pair of tokens: that of the first, times the next.

    Args:
        lm: the target.
        ids: the prompt.
        probs_after: gives the distribution of the next token, (vocab,), after a text.
    """
    pairs: dict[tuple[int, ...], float] = {}
    first_probs = probs_after(ids)
    for first in np.flatnonzero(first_probs).tolist():
        if first in lm.end_ids:
            pairs[first,] = float(first_probs[first])
            continue
        second_probs = probs_after([*ids, first])
        for second in np.flatnonzero(second_probs).tolist():
            pairs[first, second] = float(first_probs[first] * second_probs[second])
    return pairs


def faulty_law(target_probs: FloatArray, draft_probs: FloatArray, times: float) -> FloatArray:
    """Returns what is written if proposals are accepted with min(1, times · target / draft).

    Args:
        target_probs: (vocab,) after the masks.
        draft_probs: (vocab,) what the proposal is drawn from.
        times: 1 gives the target's own distribution.
    """
    accepted = np.minimum(draft_probs, times * target_probs)
    law: FloatArray = accepted + (1 - accepted.sum()) * residual(target_probs, draft_probs)
    return law


# What is remembered


class MemoizedModel(Batch):
    """Reads one row as any batch does, but never the same text twice: logits are kept by text."""

    def __init__(self, lm: LanguageModel) -> None:
        super().__init__(lm)
        self.ids.append([])
        self._n_pads.append(0)
        self._memory: dict[tuple[int, ...], Logits] = {}

    def read(self, rows: Sequence[Sequence[int]], n_logits: int = 1) -> tuple[Logits, float]:
        """Returns remembered logits, and runs one pass over the whole text for those that lack."""
        seconds = 0.0
        self.ids[0] += rows[0]
        text = self.ids[0]
        keys = [tuple(text[: self.n_read - after]) for after in reversed(range(n_logits))]
        if any(key not in self._memory for key in keys):
            logits, seconds = forward(self.lm, [text], n_logits=n_logits)
            self._memory.update(zip(keys, logits[0], strict=True))
        self.logits = self._memory[keys[-1]][None]
        return np.stack([self._memory[key] for key in keys])[None], seconds

    def remember(self, texts: Sequence[Sequence[int]]) -> None:
        """Reads texts of one length side by side, and keeps the logits after each."""
        for first in range(0, len(texts), MAX_ROWS):
            rows = texts[first : first + MAX_ROWS]
            logits, _ = forward(self.lm, rows)
            self._memory.update(zip(map(tuple, rows), logits[:, 0], strict=True))

    def crop(self, n_tokens: int) -> None:
        """Forgets the end of the text, not what was read of it."""
        del self.ids[0][self.n_read - n_tokens :]


class MemoizedSpeculation(Speculation):
    """Speculates as ever, by many seeds; what the masks make of the same row is computed once."""

    def __init__(self, *args: Any) -> None:
        self._masked: dict[tuple[int, ...], FloatArray] = {}
        super().__init__(*args)

    def read_ahead(self) -> None:
        """Reads, in a few wide passes, most of the texts that the rounds to come will ask for."""
        texts = [self.ids]
        for _ in range(N_COMPARED):
            texts = [
                [*text, token_id]
                for text in texts
                if text[-1] not in self.target.lm.end_ids or len(text) == self.n_prompt
                for token_id in np.flatnonzero(np.add(*self.both_probs(text))).tolist()
            ]
            for batch in self.batches:
                if isinstance(batch, MemoizedModel):
                    batch.remember(texts)

    def target_probs(self, ids: Sequence[int]) -> FloatArray:
        """Returns the target's own distribution after a text, which stays as it was."""
        logits, _ = self.target.read([ids[self.target.n_read :]])
        self._crop(self.n_prompt - 1)
        return self.probs_of(logits[0, -1], ids)

    def both_probs(self, ids: Sequence[int]) -> tuple[FloatArray, FloatArray]:
        """Returns the distributions of target and draft after a text; no proposal is the target."""
        target_probs = self.target_probs(ids)
        draft = self.drafter.propose(ids, 1, self._propose, adaptive=False)
        self._crop(self.n_prompt - 1)
        draft_probs = draft.probs[0] if draft.ids else None
        return target_probs, target_probs if draft_probs is None else draft_probs

    def faulty_probs(self, ids: Sequence[int]) -> FloatArray:
        """Returns the distribution after a text if acceptance were `GENEROUS`."""
        return faulty_law(*self.both_probs(ids), GENEROUS)

    def begin_again(self, seed: int) -> None:
        """Takes all rounds back; those to come have the pointers of another seed."""
        while self.starts:
            self.back()
        self.seed = seed

    def probs_of(self, row: Logits, ids: Sequence[int]) -> FloatArray:
        """Returns the remembered distribution, or makes it."""
        key = (hash(row.tobytes()), *ids)
        if key not in self._masked:
            self._masked[key] = super().probs_of(row, ids)
        return self._masked[key]

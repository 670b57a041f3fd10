"""That speculation changes nothing: greedy text is the same text, drawn text has the same law.

Greedy is compared token by token on many prompts. What is drawn is compared by a chi-square of the
first two tokens jointly. For that, thousands of rounds run from the same prompt; a pass over the
same tokens gives the same numbers, so each is run once and remembered, on both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from model.batch import Batch
from model.chi_square import ChiSquare, chi_square
from model.loading import LanguageModel
from model.passes import Logits, forward
from model.records import FloatArray
from model.sampling import Settings, process
from model.speculative.decoding import Speculation, decode_baseline
from model.speculative.drafting import Drafter, ModelDraft, new_reader
from model.tokenizing import encode, label, text_of

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
LAW_SETTINGS = Settings(temperature=0.8, top_k=16, top_p=0.9)  # few pairs, so that cells fill
PROMPTS = tuple(f"{opening} {hero}" for opening in OPENINGS for hero in HEROES)


@dataclass(frozen=True)
class Comparison:
    """One prompt written greedily, with and without a draft."""

    prompt: str
    n_tokens: int
    n_rounds: int
    first_difference: int | None  # place among the generated tokens; None where there is none
    text: str


def compare_greedy(
    lm: LanguageModel, drafter: Drafter, prompt: str, n_tokens: int, n_draft: int
) -> Comparison:
    """Writes one prompt both ways and compares ids."""
    ids = encode(lm, prompt)
    plain = decode_baseline(new_reader(lm), ids, n_tokens=n_tokens)[0]
    text = Speculation(new_reader(lm), drafter, ids, max_new_tokens=n_tokens)
    while text.finished is None:
        text.round(n_draft)
    pairs = enumerate(zip(plain, text.ids, strict=False))
    differs = next((i for i, (one, other) in pairs if one != other), None)
    if differs is None and len(plain) != len(text.ids):
        differs = min(len(plain), len(text.ids))
    return Comparison(
        prompt=prompt,
        n_tokens=len(text.ids) - len(ids),
        n_rounds=len(text.starts),
        first_difference=None if differs is None else differs - len(ids),
        text=text_of(lm.tokenizer, text.ids),
    )


class MemoizedModel(Batch):
    """Reads one row as any batch does, but never the same text twice: logits are kept by text."""

    def __init__(self, lm: LanguageModel) -> None:
        """Begins with nothing read."""
        super().__init__(lm)
        self.ids.append([])
        self._n_pads.append(0)
        self._memory: dict[tuple[int, ...], Logits] = {}

    def read(self, rows: Sequence[Sequence[int]], n_logits: int = 1) -> tuple[Logits, float]:
        """Returns remembered logits, and runs one pass over the whole text for those that lack."""
        n_before, seconds = self.n_read, 0.0
        self.ids[0] += rows[0]
        text = self.ids[0]
        keys = [tuple(text[:end]) for end in range(n_before + 1, self.n_read + 1)][-n_logits:]
        if any(key not in self._memory for key in keys):
            logits, seconds = forward(self.lm, [text], n_logits=n_logits)
            self._memory.update(zip(keys, logits[0], strict=True))
        self.logits = self._memory[keys[-1]][None]
        return np.stack([self._memory[key] for key in keys])[None], seconds

    def crop(self, n_tokens: int) -> None:
        """Forgets the end of the text, not what was read of it."""
        del self.ids[0][self.n_read - n_tokens :]


class RememberingDraft(ModelDraft):
    """A draft that remembers as well."""

    def __init__(self, lm: LanguageModel, width: int) -> None:
        """Begins with nothing read."""
        super().__init__(lm, width)
        self.reader = MemoizedModel(lm)


class RememberingSpeculation(Speculation):
    """Speculates as ever; what the masks make of the same row is computed once."""

    def __init__(self, masked: dict[tuple[int, ...], FloatArray], *args: Any, **named: Any) -> None:
        """Takes the memory, and what a Speculation takes."""
        self._masked = masked
        super().__init__(*args, **named)

    def probs_of(self, row: Logits, ids: Sequence[int]) -> FloatArray:
        """Returns the remembered distribution, or makes it."""
        key = (hash(row.tobytes()), *ids)
        if key not in self._masked:
            self._masked[key] = super().probs_of(row, ids)
        return self._masked[key]


class LawTest:
    """Draws the first two tokens after a prompt by speculation, many times, and counts pairs."""

    def __init__(
        self,
        lm: LanguageModel,
        draft: LanguageModel | Drafter,
        ids: Sequence[int],
        settings: Settings,
        n_draws: int = 10_000,
        n_draft: int = 2,
    ) -> None:
        """Takes what is to be drawn.

        Args:
            lm: The target.
            draft: A model, or a draft that is none.
            ids: The prompt.
            settings: The masks of both sides.
            n_draws: Each by coins of its own seed.
            n_draft: Proposals in a round.
        """
        self.lm, self.ids, self.settings = lm, list(ids), settings
        self.n_draws, self.n_draft = n_draws, n_draft
        self.counts: Counter[tuple[int, ...]] = Counter()
        self.n_done = 0
        self.n_accepted = self.n_tested = 0
        self._target = MemoizedModel(lm)
        self._drafter = (
            RememberingDraft(draft, lm.vocab_size) if isinstance(draft, LanguageModel) else draft
        )
        self._masked: dict[tuple[int, ...], FloatArray] = {}

    @property
    def is_done(self) -> bool:
        """Whether all has been drawn."""
        return self.n_done >= self.n_draws

    def advance(self) -> None:
        """Draws two tokens; a text that ends after the first is a pair with nothing."""
        for reader in (self._target, self._drafter.reader):
            if reader is not None:
                reader.crop(reader.n_read)
        text = RememberingSpeculation(
            self._masked,
            self._target,
            self._drafter,
            self.ids,
            self.settings,
            seed=self.n_done,
        )
        while len(text.ids) < len(self.ids) + 2 and text.finished is None:
            outcome = text.round(self.n_draft)
            self.n_accepted += outcome.n_accepted
            self.n_tested += outcome.n_tested
        self.counts[tuple(text.ids[len(self.ids) : len(self.ids) + 2])] += 1
        self.n_done += 1

    def expected(self) -> dict[tuple[int, ...], float]:
        """Returns the target's own probability of every pair: that of the first, times the next."""
        first = self._probs(self.ids)
        pairs: dict[tuple[int, ...], float] = {}
        for one in np.flatnonzero(first).tolist():
            if one in self.lm.end_ids:
                pairs[one,] = float(first[one])
                continue
            second = self._probs([*self.ids, one])
            for other in np.flatnonzero(second).tolist():
                pairs[one, other] = float(first[one] * second[other])
        return pairs

    def test(self) -> tuple[ChiSquare, dict[tuple[int, ...], float]]:
        """Holds the counts against the target's probabilities; rare pairs share a cell."""
        expected = self.expected()
        counts = np.array([self.counts[pair] for pair in expected])
        if counts.sum() != self.n_done:
            raise ValueError(
                "A pair was drawn that the target excludes: the draft changed the law."
            )
        return chi_square(counts, np.array(list(expected.values()))), expected

    def labels(self, pair: tuple[int, ...]) -> str:
        """Returns a pair as visible text."""
        lm = self.lm
        return " ".join(label(lm.tokenizer, one, lm.vocab_size) for one in pair)

    def _probs(self, ids: Sequence[int]) -> FloatArray:
        self._target.crop(self._target.n_read)
        self._target.read([ids])
        return process(self._target.logits[0], ids, self.settings, len(self.ids))[-1].probs

"""Texts that are made to go on to a length: surprise and repeats, position by position.

A story that could end would end; so the end tokens are taken out before each draw, which is said
wherever the numbers are shown. A text written by people is read beside them. This module draws
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.batch import Batch, read_whole
from model.loading import LanguageModel
from model.sampling import Settings
from model.snowball.records import Bools, Floats, LongTexts
from model.tokenizing import text_of

PHRASE = 4  # tokens that make a repeat
ENDING = 60  # tokens of a text's end that are shown


@dataclass(frozen=True)
class Kind:
    """One way to write, and how often it is tried."""

    name: str
    settings: Settings
    n_texts: int


class LongRun:
    """Several long texts side by side, and texts by people beside them."""

    def __init__(
        self,
        lm: LanguageModel,
        prompt_ids: Sequence[int],
        kinds: Sequence[Kind],
        n_tokens: int,
        written: Sequence[Sequence[int]] = (),
        written_name: str = "books",
    ) -> None:
        """Reads the prompt, and what people wrote.

        Args:
            lm: a causal model.
            prompt_ids: what all texts begin with.
            kinds: ways to write.
            n_tokens: length of each text, prompt included.
            written: ids of texts by people; each is cut to that length.
            written_name: what they are called.

        Raises:
            ValueError: where the length does not fit the model or the prompt.
        """
        limit = lm.context_length or n_tokens
        if not len(prompt_ids) < n_tokens <= limit:
            raise ValueError(
                f"{n_tokens:,} tokens do not fit: choose more than the prompt's {len(prompt_ids)} "
                f"and at most {limit:,}."
            )
        self.lm, self.n_tokens, self.n_prompt = lm, n_tokens, len(prompt_ids)
        self.names = tuple(kind.name for kind in kinds) + ((written_name,) if written else ())
        rows = [(i, kind.settings) for i, kind in enumerate(kinds) for _ in range(kind.n_texts)]
        self._settings = [settings for _, settings in rows]
        self._n_read = len(written)
        self._kinds = tuple([i for i, _ in rows] + [len(kinds)] * len(written))
        self._texts = Batch(lm, [list(prompt_ids)] * len(rows))
        self._written = [list(ids[:n_tokens]) for ids in written]
        self._surprise: Floats = np.full((len(self._kinds), n_tokens), np.nan)
        for row, ids in enumerate(self._written, start=len(rows)):
            expected = read_whole(lm, ids)[:-1]
            self._surprise[row, 1 : len(ids)] = -expected[np.arange(len(ids) - 1), ids[1:]]

    @property
    def is_done(self) -> bool:
        """Whether all texts have their length."""
        return self.n_written >= self.n_tokens

    @property
    def done(self) -> float:
        """The fraction that is written."""
        return self.n_written / self.n_tokens

    @property
    def n_written(self) -> int:
        """Tokens of each text so far, prompt included."""
        return len(self._texts.ids[0])

    def advance(self) -> None:
        """Writes one token in every text."""
        texts = self._texts
        expected = texts.logprobs
        ends = [end for end in self.lm.end_ids if end < texts.logits.shape[1]]
        texts.logits[:, ends] = -np.inf  # no text may end here
        chosen = texts.draw(self._settings, range(len(self._settings)), self.n_prompt)
        own = -expected[np.arange(len(chosen)), chosen]
        self._surprise[: len(chosen), self.n_written] = own
        if self.n_written + 1 < self.n_tokens:
            texts.append(chosen)
        else:
            texts.ids = [[*row, new] for row, new in zip(texts.ids, chosen, strict=True)]

    def texts(self) -> LongTexts:
        """Returns what is measured so far."""
        all_ids = [*self._texts.ids, *self._written]
        repeated: Floats = np.full(self._surprise.shape, np.nan)
        for row, ids in enumerate(all_ids):
            repeated[row, : len(ids)] = repeats(ids)
        firsts = [self._kinds.index(i) for i in range(len(self.names))]
        endings = [text_of(self.lm.tokenizer, all_ids[row][-ENDING:]) for row in firsts]
        return LongTexts(self.names, self._kinds, self._surprise.copy(), repeated, tuple(endings))


def repeats(ids: Sequence[int], n: int = PHRASE) -> Bools:
    """Tells for each token whether it and the n - 1 before it stood in the text before, in a row.

    A repeat may overlap what it repeats, as in "la la la la la".
    """
    seen: set[tuple[int, ...]] = set()
    found = np.zeros(len(ids), dtype=bool)
    for end in range(n, len(ids) + 1):
        phrase = tuple(ids[end - n : end])
        found[end - 1] = phrase in seen
        seen.add(phrase)
    return found

"""A constraint that comes first, late, or never: what each text makes of it.

A text is written from left to right and nothing is revised, so what is put in after m tokens cannot
reach those m. The same seeds write each version, so the first m tokens can be compared one by one.
This module draws nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from model.batch import Batch
from model.loading import LanguageModel
from model.passes import check_room
from model.sampling import Settings
from model.snowball.records import Constraint, Floats, Version
from model.tokenizing import encode, text_of

FIRST, LATE, NEVER = "before the first token", "after m tokens", "never"


class ConstraintRun:
    """One beginning and one constraint, written three ways by the same seeds."""

    def __init__(
        self,
        lm: LanguageModel,
        beginning: str,
        constraint: str,
        words: Sequence[str],
        settings: Settings,
        *,
        n_before: int = 32,
        n_tokens: int = 96,
        n_texts: int = 16,
    ) -> None:
        """Reads the beginnings.

        Args:
            lm: a causal model.
            beginning: what all versions begin with.
            constraint: a sentence that says what the text should be about.
            words: a text has met the constraint once it holds one of them, in any case.
            settings: how all texts choose.
            n_before: m, tokens that are written before a late constraint.
            n_tokens: tokens that each version writes, the constraint not counted.
            n_texts: texts of each version.

        Raises:
            ValueError: where something is empty or too long.
        """
        self.words = [word.strip() for word in words if word.strip()]
        if not constraint.strip() or not self.words:
            raise ValueError("Write a constraint, and a word by which it can be seen in a text.")
        if not 0 < n_before < n_tokens:
            raise ValueError(f"Choose between 1 and {n_tokens - 1} tokens before it comes late.")
        self.lm, self.settings = lm, settings
        self.n_before, self.n_tokens, self.n_texts = n_before, n_tokens, n_texts
        spaced = constraint if constraint[:1].isspace() else f" {constraint}"
        self.beginning = encode(lm, beginning)
        self.put_in: list[int] = lm.tokenizer(spaced, add_special_tokens=False)["input_ids"]
        n_all = len(self.beginning) + len(self.put_in) + n_tokens
        check_room(lm, n_all, "shorten the beginning or the constraint")
        starts = {FIRST: [*self.beginning, *self.put_in], LATE: self.beginning}
        starts[NEVER] = self.beginning
        self._texts = {name: Batch(lm, [start] * n_texts) for name, start in starts.items()}
        self.written: dict[str, list[list[int]]] = {
            name: [[] for _ in range(n_texts)] for name in starts
        }
        self.n_written = 0

    @property
    def is_done(self) -> bool:
        """Whether all versions are written."""
        return self.n_written >= self.n_tokens

    @property
    def done(self) -> float:
        """The fraction that is written."""
        return self.n_written / self.n_tokens

    def advance(self) -> None:
        """Writes one token in every text of every version."""
        if self.n_written == self.n_before:
            # put in: from here on the late version has it before it, and not a token earlier
            self._texts[LATE].read([self.put_in] * self.n_texts)
        for name, texts in self._texts.items():
            n_prompt = len(self.beginning) + (len(self.put_in) if name == FIRST else 0)
            chosen = texts.draw([self.settings] * self.n_texts, range(self.n_texts), n_prompt)
            for row, token_id in zip(self.written[name], chosen, strict=True):
                row.append(token_id)
            if self.n_written + 1 < self.n_tokens:
                texts.append(chosen)
        self.n_written += 1

    def constraint(self) -> Constraint:
        """Returns what is measured so far."""
        n_first = min(self.n_before, self.n_written)
        pairs = zip(self.written[LATE], self.written[NEVER], strict=True)
        return Constraint(
            n_before=self.n_before,
            reached={name: self._reached(rows) for name, rows in self.written.items()},
            n_same=sum(
                a == b
                for late, never in pairs
                for a, b in zip(late[:n_first], never[:n_first], strict=True)
            ),
            n_first=n_first * self.n_texts,
            examples={name: self._example(name) for name in self.written},
        )

    def _reached(self, rows: Sequence[Sequence[int]]) -> Floats:
        """Returns the share of texts that hold one of the words, after each token."""
        firsts = np.array([self._first_mention(row) for row in rows])
        places = np.arange(self.n_written)
        found: Floats = (firsts[:, None] <= places).mean(axis=0)
        return found

    def _first_mention(self, ids: Sequence[int]) -> float:
        """Returns the place of the token that completes the first of the words; inf for none."""
        ids = self._until_end(ids)
        pattern = re.compile("|".join(map(re.escape, self.words)), re.IGNORECASE)
        if not pattern.search(text_of(self.lm.tokenizer, ids)):
            return np.inf
        low, high = 1, len(ids)  # the shortest beginning of the text that holds one
        while low < high:
            middle = (low + high) // 2
            if pattern.search(text_of(self.lm.tokenizer, ids[:middle])):
                high = middle
            else:
                low = middle + 1
        return low - 1

    def _until_end(self, ids: Sequence[int]) -> list[int]:
        ends = [i for i, token_id in enumerate(ids) if token_id in self.lm.end_ids]
        return list(ids[: ends[0]] if ends else ids)

    def _example(self, name: str) -> Version:
        """Takes the first text of a version apart."""
        ids, words = self._until_end(self.written[name][0]), self.lm.tokenizer
        given = [*self.beginning, *self.put_in] if name == FIRST else self.beginning
        n_before = self.n_before if name == LATE else len(ids)
        is_in = name == LATE and self.n_written > self.n_before and len(ids) >= self.n_before
        return Version(
            given=text_of(words, given),
            before=text_of(words, ids[:n_before]),
            put_in=text_of(words, self.put_in) if is_in else "",
            after=text_of(words, ids[n_before:]),
        )

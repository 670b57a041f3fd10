"""A text as one model reads it: tokens go in, logits after each come out, the end can be cropped.

One cache belongs to one reader. A pass goes through `model.passes`, alone on its weights; where the
model has a pass by hand, both plain and speculative decoding run on it. Knows no way of choosing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch

from model import kv_cache
from model.fast.llama_decode import MOST_TOKENS
from model.loading import LanguageModel
from model.passes import Logits, inputs_of, run_pass


class Reader(Protocol):
    """What speculative decoding asks of a model."""

    lm: LanguageModel
    n_read: int  # tokens in the cache
    seconds: float  # of the last read

    def read(self, ids: Sequence[int], n_rows: int) -> Logits:
        """Reads more tokens; returns the logits after the last `n_rows` of them, (rows, vocab)."""

    def crop(self, n_tokens: int) -> None:
        """Takes tokens off the end."""


class TextReader:
    """A model and the cache of one text."""

    def __init__(self, lm: LanguageModel) -> None:
        """Begins with nothing read.

        Raises:
            ValueError: where what was read cannot be taken back; one sentence with the remedy.
        """
        if lm.kind != "causal":
            raise ValueError(f"{lm.name} is a {lm.kind} model: choose a causal one.")
        cache = lm.new_cache()
        if cache is None or not kv_cache.can_crop(lm.config):
            raise ValueError(
                f"The cache of {lm.name} cannot be cropped, and rejected tokens have to be taken "
                "back: choose a model with keys and values for each position."
            )
        self.lm, self.cache, self.n_read, self.seconds = lm, cache, 0, 0.0
        self._by_hand = lm.fast_decode

    def read(self, ids: Sequence[int], n_rows: int) -> Logits:
        """Reads more tokens; returns the logits after the last `n_rows` of them, (rows, vocab)."""
        lm, by_hand = self.lm, self._by_hand
        if by_hand is not None and len(ids) <= MOST_TOKENS:
            rows, self.seconds = run_pass(
                lm, len(ids), lambda: by_hand.read(ids, self.cache)[-n_rows:]
            )
        else:
            rows, self.seconds = run_pass(lm, len(ids), lambda: self._own_pass(ids, n_rows))
        self.n_read += len(ids)
        return rows

    def _own_pass(self, ids: Sequence[int], n_rows: int) -> torch.Tensor:
        inputs = inputs_of(self.lm, ids, self.cache)
        if "logits_to_keep" in inputs:
            inputs["logits_to_keep"] = n_rows
        rows: torch.Tensor = self.lm.model(**inputs).logits[0, -n_rows:]
        return rows

    def crop(self, n_tokens: int) -> None:
        """Takes tokens off the end of the cache; a view until the next pass."""
        if n_tokens:
            kv_cache.crop(self.cache, n_tokens)
            self.n_read -= n_tokens

    @property
    def bytes_held(self) -> int:
        """Bytes of storage behind the cache."""
        return kv_cache.bytes_held(self.cache)

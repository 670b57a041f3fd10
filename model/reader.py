"""Reads a text on weights in this process: what was read stays in a cache, the rest is new.

A cache that is long idle may be dropped for those of other texts; the ids that were read bring it
back.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from transformers import DynamicCache

from model import kv_cache
from model.language_model import LanguageModel
from model.machine.cache_budget import budget_of
from model.machine.turns import TURNS
from model.passes import Logits, decode_one_token, read_prompt
from model.records import Pass, Phase


class LocalReader:
    """What the model has read of one text, and the cache that keeps it.

    Attributes:
        n_read: positions that the cache holds.
        bytes_in_use: bytes of these positions.
        bytes_held: bytes of the storage behind the cache: whole blocks, and what a crop left empty.
        n_unsent: 0, for every logit is here.
    """

    n_unsent = 0

    def __init__(self, lm: LanguageModel) -> None:
        """Begins with an empty cache."""
        self.lm = lm
        self._ids, self._budget = list[int](), budget_of(lm.device)
        self.drop_cache()

    def read(self, ids: Sequence[int]) -> tuple[Logits, Pass]:
        """Reads what the cache does not hold of a text: all of it, or its last token.

        Returns:
            The logits for the position after it, (vocab,), and the pass.
        """
        with self._budget.in_use(self), TURNS.step() as is_shared:
            unread = ids[self.n_read :]
            phase: Phase
            if self._cache is None or self.n_read == 0:
                phase = "prefill"
                logits, seconds = read_prompt(self.lm, unread, self._cache)
            else:
                phase = "decode"
                logits, seconds = decode_one_token(self.lm, unread[0], self._cache)
            self._ids = list(ids)
            self._weigh(0 if self._cache is None else len(ids))
            return logits, Pass(
                phase=phase,
                seconds=seconds,
                n_input=len(unread),
                cache_tokens=self.n_read,
                cache_bytes=self.bytes_in_use,
                bytes_held=self.bytes_held,
                is_shared=is_shared(),
            )

    def crop(self, n_kept: int) -> bool:
        """Forgets all but the first positions.

        Returns:
            Whether it could; where the cache cannot be cropped, all has to be read again.
        """
        with self._budget.in_use(self):
            if self._cache is None or self.n_read < n_kept:
                self.drop_cache()
                return True
            if not kv_cache.can_crop(self.lm.config):
                self.drop_cache()
                return False
            kv_cache.crop(self._cache, self.n_read - n_kept)
            self._weigh(n_kept)
            return True

    def drop_cache(self) -> None:
        """Lets the cache go; the next pass, or whoever looks at it, reads the text again."""
        self._cache = self.lm.new_cache()
        self._weigh(0)

    @property
    def cache(self) -> DynamicCache | None:
        """Keys and values of what was read, read again where they were dropped; None without."""
        with self._budget.in_use(self):
            self._refill()
            return self._cache

    @torch.inference_mode()
    def fork(self) -> LocalReader:
        """Returns an independent copy."""
        with self._budget.in_use(self):
            self._refill()
            twin = copy.copy(self)
            with self._budget.in_use(twin):
                twin._cache = None if self._cache is None else kv_cache.fork(self._cache)
        return twin

    def n_known(self, n_most: int) -> int:
        """Returns how many of the best logits are known one by one, at most so many: all are."""
        return n_most

    def ranked(self, logits: Logits) -> Logits:
        """Returns the logits that a rank is counted among: all of them."""
        return logits

    @property
    def keeps_cache(self) -> bool:
        """Whether anything is kept of what was read."""
        return self._cache is not None

    def _weigh(self, n_read: int) -> None:
        """Notes what the cache holds once it has changed."""
        self.n_read = n_read
        self.bytes_in_use = kv_cache.bytes_in_use(self._cache, n_read)
        self.bytes_held = kv_cache.bytes_held(self._cache)

    def _refill(self) -> None:
        """Reads again what a cache held that was dropped; the logits are known."""
        if self._cache is not None and not self.n_read and self._ids:
            read_prompt(self.lm, self._ids, self._cache)
            self._weigh(len(self._ids))

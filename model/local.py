"""Passes on weights in this process: a text with its cache, and rows side by side.

A cache that is long idle may be dropped for those of other texts; the ids that were read bring it
back.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
import torch
from transformers import DynamicCache

from model import kv_cache
from model.first_look import takes_padding
from model.language_model import CachedText, LanguageModel
from model.machine.cache_budget import budget_of
from model.machine.device import processor
from model.machine.turns import TURNS
from model.masks import LogProbs, log_softmax
from model.passes import Logits, decode_one_token, forward, padding_inputs, read_prompt, run_pass
from model.records import Pass, Phase


class LocalText(CachedText):
    """What the model has read of one text, and the cache that keeps it."""

    bytes_in_use = bytes_held = 0

    def __init__(self, lm: LanguageModel) -> None:
        """Begins with an empty cache."""
        self.lm = lm
        self.logits = np.zeros(0, dtype=np.float32)
        self._ids, self._budget = list[int](), budget_of(lm.device)
        self.drop_cache()

    def read(self, ids: Sequence[int]) -> tuple[Logits, Pass]:
        """Reads what the cache does not hold of a text: all of it, its end, or its last token.

        Returns:
            The logits for the position after it, (vocab,), and the pass.
        """
        with self._budget.in_use(self), TURNS.step() as is_shared:
            if len(ids) - self.n_read > 1 and not kv_cache.can_crop(self.lm.config):
                self.drop_cache()  # its state takes one token at a time, or all from the start
            unread = ids[self.n_read :]
            phase: Phase
            if self._cache is None or self.n_read == 0 or len(unread) > 1:
                phase = "prefill"
                self.logits, seconds = read_prompt(self.lm, unread, self._cache)
            else:
                phase = "decode"
                self.logits, seconds = decode_one_token(self.lm, unread[0], self._cache)
            self._ids = list(ids)
            self._weigh(0 if self._cache is None else len(ids))
            return self.logits, self._describe(phase, seconds, len(unread), is_shared())

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
    def fork(self) -> LocalText:
        """Returns an independent copy."""
        with self._budget.in_use(self):
            self._refill()
            twin = copy.copy(self)
            with self._budget.in_use(twin):
                twin._cache = None if self._cache is None else kv_cache.fork(self._cache)
        return twin

    @property
    def keeps_cache(self) -> bool:
        """Whether anything is kept of what was read."""
        return self._cache is not None

    def _describe(self, phase: Phase, seconds: float, n_input: int, is_shared: bool) -> Pass:
        """Describes the newest pass, with what the cache holds after it."""
        return Pass(
            phase=phase,
            seconds=seconds,
            n_input=n_input,
            cache_tokens=self.n_read,
            cache_bytes=self.bytes_in_use,
            bytes_held=self.bytes_held,
            is_shared=is_shared,
        )

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


class LocalBackend:
    """Weights in this process: every logit of a pass is here."""

    def new_text(self, lm: LanguageModel) -> LocalText:
        """Returns a text with an empty cache."""
        return LocalText(lm)

    def read_rows(
        self,
        lm: LanguageModel,
        rows: Sequence[Sequence[int]],
        cache: DynamicCache | None = None,
        n_pads: Sequence[int] = (),
        n_logits: int = 1,
        *,
        by_hand: bool = False,
    ) -> tuple[Logits, float]:
        """Runs one pass over rows of one length, by hand where that is asked for and possible."""
        quick, n_new = lm.weights.quick if by_hand else None, len(rows[0])
        if quick is not None and cache is not None and len(rows) == 1 and n_new <= quick.max_tokens:
            return run_pass(lm, n_new, lambda: quick.read(rows[0], cache)[None, -n_logits:])
        if not any(n_pads):
            return forward(lm, rows, cache, n_logits)
        n_before = cache.get_seq_length() if cache is not None else 0
        padding = padding_inputs(lm, n_pads, n_before, n_new)
        return forward(lm, rows, cache, n_logits, extra=padding)

    def partial_rows(self, lm: LanguageModel, logits: Logits) -> None:
        """Returns None: they are whole."""
        del lm, logits

    def score(
        self, lm: LanguageModel, before: Sequence[int], continuations: Sequence[Sequence[int]]
    ) -> tuple[list[LogProbs], float]:
        """Scores texts that follow the same tokens, all of them in one pass."""
        # read: one row for each text; what fills a row up comes after it, where no token can see it
        n_most = max(map(len, continuations))
        rows = [[*before, *ids, *[0] * (n_most - len(ids))] for ids in continuations]
        logits, seconds = forward(lm, rows, n_logits=n_most + 1)
        # score: at each position, the log-probability of the token that comes next
        scores = [
            row[np.arange(len(ids)), list(ids)]
            for row, ids in zip(log_softmax(logits), continuations, strict=True)
        ]
        return scores, seconds

    def takes_padding(self, lm: LanguageModel) -> bool:
        """Tells whether rows of different lengths read as each does alone."""
        return takes_padding(lm)

    def n_best(self, vocab_size: int) -> int:
        """Returns the size of the vocabulary: every logit comes."""
        return vocab_size

    def processor(self, lm: LanguageModel) -> str:
        """Names the device, as its maker does."""
        return processor(lm.device)


LOCAL = LocalBackend()

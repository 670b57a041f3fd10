"""Rows of tokens that a model reads and writes side by side: one pass for all of them.

A pass over fifty short texts takes little longer than a pass over one. Beams, parallel texts,
padded prompts, batched timing and the two sides of speculative decoding are all a `Batch`. Prompts
of different lengths are filled up on the left, and the model is told so. This module knows a model
and its cache; who chooses the tokens is the caller.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.functional import pad

from model import kv_cache
from model.draw import draw, uniform_at
from model.language_model import LanguageModel, PartialRows
from model.machine.device import lock_of
from model.masks import LogProbs, log_softmax, without
from model.passes import Logits, check_context
from model.records import BoolArray
from model.sampling import Settings, process
from model.sentences import Sentence

if TYPE_CHECKING:
    from model.generation import Generation


class Batch:
    """Some rows, their common cache, and the logits after each of them.

    Attributes:
        lm: the model, shared; its lock is held during each pass.
        ids: one list for each row.
        logits: (rows, vocab) float32, raw, after the last token that was read of each row.
        cache: that of all rows; None where the model keeps none and reads all of it every time.
        n_passes: how many have run.
        seconds: of all of them.
    """

    def __init__(
        self, lm: LanguageModel, rows: Sequence[Sequence[int]] = (), *, by_hand: bool = False
    ) -> None:
        """Reads some rows in one pass; without any, the first `read` brings them.

        Args:
            lm: a causal model.
            rows: their ids; shorter ones are padded on the left.
            by_hand: whether a single row may be read by the pass written by hand, where there is
                one; the model's own pass is the default.

        Raises:
            ValueError: where the rows do not fit.
        """
        self.lm, self.cache = lm, lm.new_cache()
        self.ids: list[list[int]] = []
        self.logits: Logits = np.zeros((0, lm.vocab_size), dtype=np.float32)
        self.n_passes, self.seconds = 0, 0.0
        self._n_pads: list[int] = []
        self._partial: PartialRows | None = None  # where a server left out some of the logits
        self._by_hand = by_hand
        if rows:
            self.read(rows)

    @classmethod
    def after(cls, text: Generation) -> Batch:
        """Returns a batch of one row that goes on from a text; the text stays as it is."""
        batch = cls(text.lm)
        batch.ids, batch.logits, batch._n_pads = [list(text.ids)], text.logits[None].copy(), [0]
        batch.cache, batch._partial = text.cached.fork().cache, text.cached.as_row()
        return batch

    @property
    def n_read(self) -> int:
        """Positions that each row takes, padding included."""
        return len(self.ids[0]) + self._n_pads[0] if self.ids else 0

    @property
    def logprobs(self) -> LogProbs:
        """(rows, vocab) log-probabilities for the next position, at temperature 1, in nats."""
        return log_softmax(self.logits)

    def read(self, rows: Sequence[Sequence[int]], n_logits: int = 1) -> tuple[Logits, float]:
        """Adds tokens to every row, in one pass.

        Args:
            rows: as many new tokens for each row; of the first that are read, any number.
            n_logits: last positions of which logits are returned.

        Returns:
            The logits, (rows, n_logits, vocab), and the seconds of the pass.

        Raises:
            ValueError: where they do not fit, or the pass fails; the rows stay as they were.
        """
        self._check(rows)
        n_new, is_first = max(map(len, rows)), not self.ids
        if n_new > 1 and not is_first and not kv_cache.can_crop(self.lm.config):
            # a running state takes one token at a time
            columns = zip(*rows, strict=True)
            reads = [self.read([[token_id] for token_id in column]) for column in columns]
            logits = np.concatenate([logits for logits, _ in reads], axis=1)[:, -n_logits:]
            return logits, sum(seconds for _, seconds in reads)
        n_pads = [n_new - len(row) for row in rows] if is_first else self._n_pads
        ids = [[*old, *new] for old, new in zip(self.ids or [[]] * len(rows), rows, strict=True)]
        # all of it goes in where nothing is kept of what was read
        unread = ids if self.cache is None else rows
        if is_first or self.cache is None:
            pad_id = min(self.lm.end_ids, default=0)
            unread = [[pad_id] * n + list(row) for n, row in zip(n_pads, unread, strict=True)]
        logits, seconds = self.lm.backend.read_rows(
            self.lm, unread, self.cache, n_pads, n_logits, by_hand=self._by_hand
        )
        self.ids, self.logits, self._n_pads = ids, logits[:, -1], n_pads
        self._partial = self.lm.backend.partial_rows(self.lm, self.logits)
        self.n_passes, self.seconds = self.n_passes + 1, self.seconds + seconds
        return logits, seconds

    def append(self, token_ids: Sequence[int]) -> float:
        """Adds one token to each row, in one pass, and returns its seconds."""
        return self.read([[token_id] for token_id in token_ids])[1]

    def crop(self, n_tokens: int) -> None:
        """Takes tokens off the end of every row; the logits are still those of the last pass.

        Raises:
            ValueError: where the model sums up the past and cannot forget.
        """
        if n_tokens:
            if self.cache is not None:
                check_crop(self.lm)
                kv_cache.crop(self.cache, n_tokens)
            self.ids = [row[:-n_tokens] for row in self.ids]

    @torch.inference_mode()
    def reorder(self, rows: Sequence[int]) -> None:
        """Makes these rows, by their places, the rows of the batch.

        One may be left out, or taken more than once.
        """
        self.ids = [list(self.ids[row]) for row in rows]
        self.logits = self.logits[list(rows)]
        self._n_pads = [self._n_pads[row] for row in rows]
        self._partial = self._partial and self._partial.take(rows)
        if self.cache is not None:
            with lock_of(self.lm.device):
                self.cache.reorder_cache(torch.LongTensor(rows))

    @torch.inference_mode()
    def join(self, others: Sequence[Batch] = ()) -> None:
        """Takes the rows of other batches below its own, and drops columns that nobody needs.

        Rows are filled up on the left to the length of the longest. Without others, only the
        columns go that are padding in every row.

        Raises:
            ValueError: where the cache is no keys and values of each position.
        """
        check_crop(self.lm)
        batches = [self, *others]
        n_columns = max(len(row) for batch in batches for row in batch.ids)
        caches = [batch.cache for batch in batches if batch.cache is not None]
        for layers in zip(*(cache.layers for cache in caches), strict=True):
            for name in ("keys", "values"):
                sides = [getattr(layer, name) for layer in layers]
                # a negative width of the padding takes columns away
                with lock_of(self.lm.device):
                    even = [pad(side, (0, 0, n_columns - side.shape[-2], 0)) for side in sides]
                    setattr(layers[0], name, torch.cat(even))
        self.ids = [list(row) for batch in batches for row in batch.ids]
        self.logits = np.concatenate([batch.logits for batch in batches])
        self._n_pads = [n_columns - len(row) for row in self.ids]

    @torch.inference_mode()
    def fork(self) -> Batch:
        """Returns an independent copy."""
        twin = copy.copy(self)
        twin.ids = [list(row) for row in self.ids]
        twin.cache = None if self.cache is None else kv_cache.fork(self.cache)
        return twin

    def draw(
        self,
        settings: Sequence[Settings],
        seeds: Sequence[int],
        n_prompt: int = 0,
        banned: Collection[int] = (),
    ) -> list[int]:
        """Lets the pointer of each row fall: a function of its seed and its position alone.

        Mirostat begins anew with each token here: its memory is a Generation's.

        Args:
            settings: one for each row.
            seeds: one for each row.
            n_prompt: tokens of each row that were given.
            banned: tokens that no row may draw.
        """
        pointers = [uniform_at(seed, len(ids)) for ids, seed in zip(self.ids, seeds, strict=True)]
        drawn = []
        for row, (ids, how, pointer) in enumerate(zip(self.ids, settings, pointers, strict=True)):
            if self._partial is not None:
                self.logits[row] = self._partial.request_step(
                    row, ids, n_prompt, how, pointer, banned
                )
            logits = without(self.logits[row], banned)
            drawn.append(draw(process(logits, ids, how, n_prompt, pointer)[-1], pointer))
        return drawn

    def logprobs_with(self, token_ids: Sequence[Collection[int]]) -> LogProbs:
        """Returns the log-probabilities; a server is asked for certain tokens of each row."""
        if self._partial is not None:
            self.logits = self._partial.request_logprobs(self.ids, token_ids)
        return self.logprobs

    @property
    def is_unsent(self) -> BoolArray | None:
        """(rows, vocab) tokens of which a server sent the sum alone; None where none is asked."""
        return None if self._partial is None else self._partial.is_unsent

    def _check(self, rows: Sequence[Sequence[int]]) -> None:
        """Refuses what cannot be read."""
        if not rows or not all(rows):
            raise ValueError("A row has no tokens: write a word.")
        is_even = len({len(row) for row in rows}) == 1
        if self.ids and not (is_even and len(rows) == len(self.ids)):
            raise ValueError("Rows that are read together grow together: give each as many tokens.")
        if not is_even and not self.lm.backend.takes_padding(self.lm):
            raise ValueError(f"{self.lm.shown} takes no padding: cut the texts to one length.")
        check_context(
            self.lm,
            self.n_read + max(map(len, rows)),
            Sentence(
                "{n_tokens} tokens are {number} more than the {limit} that {model} reads: "
                "choose shorter texts."
            ),
        )


def check_crop(lm: LanguageModel) -> None:
    """Refuses a model of which tokens that were read cannot be taken back.

    Raises:
        ValueError: one sentence with the remedy.
    """
    if lm.weights.cache_argument is None or not kv_cache.can_crop(lm.config):
        raise ValueError(
            f"The cache of {lm.shown} cannot be cropped: choose a model with keys and values for "
            "each position."
        )


def read_whole(lm: LanguageModel, ids: Sequence[int], n_last: int = 0) -> LogProbs:
    """Returns what the model expects after the last tokens of a text, all in one pass.

    Args:
        lm: the model.
        ids: the text.
        n_last: how many of its tokens; 0 for all.

    Returns:
        (tokens, vocab) log-probabilities, nats, one row for what follows each of these tokens.
    """
    return log_softmax(lm.backend.read_rows(lm, [ids], n_logits=n_last)[0][0])


def score(
    lm: LanguageModel, before: Sequence[int], continuations: Sequence[Sequence[int]]
) -> tuple[list[LogProbs], float]:
    """Scores texts that follow the same tokens, all of them in one pass.

    Returns:
        The log-probability of each token of each text, nats, given all before it, and the seconds
        of the pass.
    """
    check_context(lm, len(before) + max(map(len, continuations)))
    return lm.backend.score(lm, before, continuations)

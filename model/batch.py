"""Several texts of one length, read and written side by side: one pass for all of them.

A pass over fifty short texts takes little longer than a pass over one, which is what makes a
hundred runs possible while somebody waits. Rows of one length need no padding, so every text is
read as it would be alone. This module knows a model and its cache; who chooses the tokens is the
caller.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from model import kv_cache
from model.draw import coin_at, draw
from model.kv_cache import argument_names
from model.loading import LanguageModel
from model.passes import Logits, explain, synchronise, threads_for
from model.records import FloatArray
from model.sampling import Settings, process

LogProbs = npt.NDArray[np.float64]


def check_room(lm: LanguageModel, n_tokens: int, remedy: str) -> None:
    """Refuses a text that is longer than what a model reads.

    Raises:
        ValueError: one sentence that ends in the remedy.
    """
    limit = lm.context_length
    if limit is not None and n_tokens > limit:
        raise ValueError(
            f"{n_tokens:,} tokens are more than the {limit:,} that {lm.name} reads: {remedy}."
        )


class ParallelTexts:
    """Several texts of one length and their common cache.

    Attributes:
        lm: the model, shared; its lock is held during each pass.
        ids: one list for each text, all of one length.
        logits: (texts, vocab) float32, raw, for the next position of each.
        n_passes: how many the model has run for them.
        seconds: of those passes.
    """

    def __init__(self, lm: LanguageModel, rows: Sequence[Sequence[int]]) -> None:
        """Reads the texts.

        Raises:
            ValueError: where there is no text, or they differ in length, or do not fit.
        """
        if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
            raise ValueError("Texts side by side need one length: cut them to the shortest.")
        self.lm = lm
        self.ids: list[list[int]] = [[] for _ in rows]
        self.n_passes, self.seconds = 0, 0.0
        self._cache = lm.new_cache()
        self.logits: Logits = np.zeros((len(rows), 0), dtype=np.float32)
        self.read(rows)

    def read(self, more: Sequence[Sequence[int]]) -> None:
        """Adds as many tokens to each text, in one pass.

        Raises:
            ValueError: where they do not fit into the model's context, or the pass fails.
        """
        check_room(self.lm, len(self.ids[0]) + len(more[0]), "choose a shorter text")
        if self.ids[0] and len(more[0]) > 1 and not kv_cache.can_crop(self.lm.config):
            for column in zip(*more, strict=True):  # a running state takes one token at a time
                self.append(column)
            return
        before = self.ids
        self.ids = [[*row, *new] for row, new in zip(self.ids, more, strict=True)]
        fresh = self.ids if self._cache is None or not before[0] else [list(row) for row in more]
        self.logits, seconds = _pass(self.lm, fresh, self._cache, n_kept=1)
        self.n_passes, self.seconds = self.n_passes + 1, self.seconds + seconds

    def append(self, token_ids: Sequence[int]) -> None:
        """Adds one token to each text, in one pass."""
        self.read([[token_id] for token_id in token_ids])

    @torch.inference_mode()
    def twice(self) -> ParallelTexts:
        """Returns a copy in which every text stands twice, one after the other."""
        if not kv_cache.can_crop(self.lm.config):  # a state that sums up the past: read anew
            return ParallelTexts(self.lm, [row for row in self.ids for _ in range(2)])
        twin = copy.copy(self)
        twin.ids = [list(row) for row in self.ids for _ in range(2)]
        twin.logits = np.repeat(self.logits, 2, axis=0)
        if self._cache is not None:
            twin._cache = kv_cache.fork(self._cache)
            twin._cache.batch_repeat_interleave(2)
        return twin

    def draw(
        self, settings: Sequence[Settings], seeds: Sequence[int], n_prompt: int = 0
    ) -> list[int]:
        """Lets the coin of each text fall: a function of its seed and its position alone.

        Args:
            settings: one for each text.
            seeds: one for each text.
            n_prompt: tokens of each text that were given.
        """
        position = len(self.ids[0])
        return [
            draw(process(logits, ids, how, n_prompt)[-1], coin_at(seed, position))
            for logits, ids, how, seed in zip(self.logits, self.ids, settings, seeds, strict=True)
        ]

    @property
    def logprobs(self) -> LogProbs:
        """(texts, vocab) log-probabilities for the next position, at temperature 1, in nats."""
        return log_softmax(self.logits)


def read_whole(lm: LanguageModel, ids: Sequence[int]) -> LogProbs:
    """Returns what the model expects after every token of a text, all in one pass.

    Returns:
        (tokens, vocab) log-probabilities; row i is what follows token i, in nats.
    """
    return log_softmax(_pass(lm, [list(ids)], None, n_kept=0)[0])


def log_softmax(logits: FloatArray) -> LogProbs:
    """Turns the last axis of raw logits into log-probabilities, in float64."""
    shifted = np.asarray(logits, dtype=np.float64)
    shifted = shifted - shifted.max(axis=-1, keepdims=True)
    found: LogProbs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return found


def divergence(first: LogProbs, second: LogProbs) -> npt.NDArray[np.float64]:
    """Returns KL(first || second) in nats over the last axis: never below 0 by rounding."""
    # what the first never says costs nothing, whatever the second thinks of it
    gaps = np.where(first > -np.inf, first - np.maximum(second, -1e4), 0.0)
    kl: npt.NDArray[np.float64] = np.maximum(0.0, (np.exp(first) * gaps).sum(axis=-1))
    return kl


@torch.inference_mode()
def _pass(
    lm: LanguageModel, rows: Sequence[Sequence[int]], cache: Any, n_kept: int
) -> tuple[Logits, float]:
    """Runs one pass over rows of one length, alone on these weights.

    Args:
        lm: the model.
        rows: what is not in the cache yet.
        cache: filled by the pass; None where the model takes none or none is wanted.
        n_kept: 1 for the logits of each row's last position, 0 for those of all of the first row.
    """
    known = argument_names(lm.model)
    inputs: dict[str, Any] = {"input_ids": torch.tensor([list(r) for r in rows], device=lm.device)}
    if "use_cache" in known:
        inputs["use_cache"] = cache is not None
    if "logits_to_keep" in known:
        inputs["logits_to_keep"] = n_kept
    name = lm.cache_argument
    if cache is not None and name is not None:
        inputs[name] = cache
    n_input = sum(len(row) for row in rows)
    try:
        with lm.lock, threads_for(lm, n_input):
            synchronise(lm.device)
            started = time.perf_counter()
            logits = lm.model(**inputs).logits
            synchronise(lm.device)
            seconds = time.perf_counter() - started
        chosen: Logits = (logits[:, -1] if n_kept else logits[0]).float().cpu().numpy().copy()
    except Exception as error:  # of the model's many kinds
        raise explain(lm, n_input, error) from error
    return chosen, seconds


def same_words(first: LanguageModel, second: LanguageModel) -> bool:
    """Tells whether two models speak of the same tokens, so that one can judge the other's."""
    if first is second:
        return True
    words = (first.tokenizer.get_vocab(), second.tokenizer.get_vocab())
    return first.vocab_size == second.vocab_size and words[0] == words[1]

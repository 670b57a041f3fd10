"""Reads a text on a server: ids alone are kept here, and each request holds all of them.

A server sends the best log-probabilities only. What it leaves out shares the rest of the
probability evenly, which is exact for all of it together at temperature 1; above 1 the rest is then
at most so likely, below 1 at least. What a step needs of it is asked for: the token drawn is the
one that all of the vocabulary would give.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np

from model.draw import draw
from model.language_model import CachedText, LanguageModel
from model.masks import MASKS, PENALTIES, without
from model.passes import Logits
from model.records import NO_MEMORY, BoolArray, Memory, Pass, Stage
from model.sampling import Settings, process
from model.server.client import MAX_BY_ID, Client
from model.server.logits import ServerLogits, check_enough, with_uniform_rest

_OF_ALL_LOGITS = {"top_n_sigma", "min_k", "top_h"}  # where they cut depends on every logit
_BY_SHAPE = {"temperature", "typical_p", "eta", "p_less"}  # more than the rest's sum matters


class ServerText(CachedText):
    """What a server has read of one text: as many ids, and nothing of its cache."""

    cache = None  # the server's own
    keeps_cache = True  # the server has a prefix cache

    def __init__(self, lm: LanguageModel, server: Client, logits: Logits | None = None) -> None:
        """Begins with nothing read, or with a row of a batch that was read from the server."""
        self.lm, self.server, self.n_read = lm, server, 0
        self._n_sent = 0  # best first; single tokens that were asked for are not counted
        if logits is not None:
            # what was left out shares one value, and nothing that was sent is worse
            ids = np.flatnonzero((logits > logits.min()) | lm.is_whole)
            self.hold(ServerLogits(ids, logits[ids], float(logits[ids].min())))

    @property
    def is_unsent(self) -> BoolArray:
        """Which tokens share evenly what the server's own log-probabilities leave."""
        return ~self._is_held

    @property
    def n_unsent(self) -> int:
        """How many these are."""
        return int(np.count_nonzero(self.is_unsent))

    def n_known(self, n_most: int) -> int:
        """Returns how many of the best logits are known one by one, at most so many."""
        return min(n_most, self._n_sent)

    def read(self, ids: Sequence[int]) -> tuple[Logits, Pass]:
        """Sends a text; the server's prefix cache holds what it has read of it before.

        Returns:
            The logits for the position after it, (vocab,), and the pass as a client sees it.
        """
        (sent,), seconds = self.server.expect([ids], self.server.n_best(self.lm.vocab_size))
        self._take(sent)
        n_before, self.n_read = self.n_read, len(ids)
        return self.logits, Pass(
            phase="decode" if n_before and len(ids) - n_before == 1 else "prefill",
            seconds=seconds,
            n_input=len(ids) - n_before,
            cache_tokens=self.n_read,
            cache_bytes=self.bytes_in_use,
            bytes_held=self.bytes_held,
        )

    def request_step(
        self,
        ids: Sequence[int],
        n_prompt: int,
        settings: Settings,
        pointer: float,
        token_id: int | None = None,
        banned: Collection[int] = (),
        memory: Memory = NO_MEMORY,
    ) -> Logits:
        """Asks for what the server left out and a step needs: penalised, forced or drawn tokens."""
        if not self.n_unsent:
            return self.logits
        used = set(ids) if _moves_used(settings) else set()
        self.request_logprobs(ids, used if token_id is None else {*used, token_id})
        for n_best in self.server.wider(self.lm.vocab_size):
            if token_id is None and self._reaches_rest(
                ids, n_prompt, settings, pointer, banned, memory
            ):
                self._read_best(ids, n_best)
        return self.logits

    def request_logprobs(self, ids: Sequence[int], token_ids: Collection[int]) -> Logits:
        """Asks for certain tokens that the server left out; where they are many, for all."""
        ServerRows([self]).request_logprobs([ids], [token_ids])
        return self.logits

    def request_all(self, ids: Sequence[int]) -> Logits:
        """Asks for the whole vocabulary."""
        if self.n_unsent:
            self._read_best(ids, -1)
        return self.logits

    def _read_best(self, ids: Sequence[int], n_best: int) -> None:
        known = self.sent
        (sent,), _ = self.server.expect([ids], n_best)
        if n_best < 0:
            check_enough([sent], self.lm.vocab_size)
        self._take(sent)
        self.hold(sent.with_others(known.ids, known.logprobs))

    def crop(self, n_kept: int) -> bool:
        """Forgets all but the first positions; a server finds them again by itself."""
        self.n_read = min(self.n_read, n_kept)
        return True

    def drop_cache(self) -> None:
        """Begins again with nothing read."""
        self.n_read = 0

    def as_row(self) -> ServerRows:
        """Returns the logits as those of one row, which goes its own way."""
        return ServerRows([self.fork()])

    def fork(self) -> ServerText:
        """Returns an independent copy."""
        return copy.copy(self)

    @property
    def bytes_in_use(self) -> int:
        """Bytes of the positions that were read: derived from the config."""
        return self.n_read * self.lm.cache_shape.bytes_per_token

    @property
    def bytes_held(self) -> int:
        """The same: the server's blocks are its own affair."""
        return self.bytes_in_use

    def ranked(self) -> Logits:
        """Returns the logits that a rank is counted among: those that the server sent."""
        return np.where(self._is_held, self.logits, np.float32(-np.inf))

    def _take(self, sent: ServerLogits) -> None:
        self.hold(sent)
        self._n_sent = sent.ids.size

    def hold(self, sent: ServerLogits) -> None:
        """Makes logits of what was sent; those of before stay as they are for other copies."""
        self.sent, self.logits = sent, with_uniform_rest(sent, self.lm.vocab_size)
        self._is_held: BoolArray = np.zeros(self.lm.vocab_size, dtype=bool)
        self._is_held[sent.ids] = True

    def _reaches_rest(
        self,
        ids: Sequence[int],
        n_prompt: int,
        settings: Settings,
        pointer: float,
        banned: Collection[int],
        memory: Memory,
    ) -> bool:
        """Tells whether it matters which tokens were left out, or a mask may cut among them.

        Two extremes are tried: the rest lies evenly on them, or on as few as can be.
        """
        needs_shape = not _BY_SHAPE.isdisjoint(settings.stage_names)
        extremes = [self.logits, self._packed()] if needs_shape else [self.logits]
        outcomes = set()
        for logits in extremes:
            stages = process(without(logits, banned), ids, settings, n_prompt, pointer, memory)
            drawn = draw(stages[-1], pointer)
            cuts = any(self._cuts_rest(before, after) for before, after in pairwise(stages))
            if cuts or not self._is_held[drawn]:
                return True
            outcomes.add((drawn, *(np.count_nonzero(self._is_held[s.order]) for s in stages)))
        return len(outcomes) > 1

    def _packed(self) -> Logits:
        """Shares what was left out among as few tokens as can be, none above the worst sent."""
        rest = np.flatnonzero(self.is_unsent)
        mass, most = np.exp(self.logits[rest], dtype=np.float64).sum(), np.exp(self.sent.floor)
        n_full = min(int(mass / most), rest.size) if most else 0
        packed = self.logits.copy()
        packed[rest] = -np.inf
        packed[rest[:n_full]] = self.sent.floor
        if n_full < rest.size and mass > n_full * most:
            packed[rest[n_full]] = np.log(mass - n_full * most)
        return packed

    def _cuts_rest(self, before: Stage, after: Stage) -> bool:
        """Tells whether a mask that found tokens left out among those in play kept what it may."""
        if after.name not in MASKS or self._is_held[before.order].all():
            return False
        if after.name in _OF_ALL_LOGITS:
            return True
        n_held = np.count_nonzero(self._is_held[before.order])
        return bool(np.count_nonzero(self._is_held[after.order]) == n_held)


class ServerRows:
    """The logits after some rows, each as one text on the server has them."""

    def __init__(self, texts: Sequence[ServerText]) -> None:
        self._texts = texts

    @property
    def is_unsent(self) -> BoolArray:
        """(rows, vocab) tokens that share what the server's own log-probabilities leave."""
        return np.stack([text.is_unsent for text in self._texts])

    def request_step(
        self,
        row: int,
        ids: Sequence[int],
        n_prompt: int,
        settings: Settings,
        pointer: float,
        banned: Collection[int] = (),
    ) -> Logits:
        """Asks for what the server left out of a row and a step needs."""
        return self._texts[row].request_step(ids, n_prompt, settings, pointer, banned=banned)

    def request_logprobs(
        self, rows: Sequence[Sequence[int]], token_ids: Sequence[Collection[int]]
    ) -> Logits:
        """Asks for certain tokens, those that the server left out of any row, at once.

        Where they are many, it is asked for all.
        """
        wanted = sorted(set().union(*self._missing(token_ids)))
        if 0 < len(wanted) <= 4 * MAX_BY_ID:
            server, known = self._texts[0].server, [text.sent for text in self._texts]
            for text, sent in zip(
                self._texts, server.logprobs_of(rows, wanted, known), strict=True
            ):
                text.hold(sent)
        lacking = self._missing(token_ids)
        return np.stack(
            [
                text.request_all(ids) if lacks else text.logits
                for text, ids, lacks in zip(self._texts, rows, lacking, strict=True)
            ]
        )

    def take(self, rows: Sequence[int]) -> ServerRows:
        """Returns these rows, by their places."""
        return ServerRows([self._texts[row] for row in rows])

    def _missing(self, token_ids: Sequence[Collection[int]]) -> list[set[int]]:
        """Returns which of these tokens the server left out, by row."""
        unsent = (text.is_unsent for text in self._texts)
        return [{i for i in ids if gone[i]} for gone, ids in zip(unsent, token_ids, strict=True)]


def _moves_used(settings: Settings) -> bool:
    """Tells whether a penalty is active, which moves every token of the text."""
    return not PENALTIES.keys().isdisjoint(settings.stage_names)

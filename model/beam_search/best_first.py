"""The likeliest text of all: best-first search, which can prove that nothing was overlooked.

A text only gets less likely as it grows, for every log p is below 0. So a beginning that is no
likelier than a whole text already found can be dropped with all that would follow from it, and once
no beginning is left the best whole text is the best of all (branch and bound; exact inference for
neural text models by Stahlberg and Byrne, 1908.10090). How many beginnings that takes depends on
the model: the search has a limit, and says whether it got to the end.

This module knows `Generation` and `Batch`; it draws nothing.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Sequence

import numpy as np

from model.batch import Batch
from model.beam_search.records import ExactResult
from model.draw import best_ids
from model.generation import Generation
from model.masks import log_softmax
from model.passes import Logits

LIMIT = 20_000  # beginnings whose next tokens are weighed, unless the caller says otherwise
MOST_TOKENS = 12
N_ROWS = 32  # beginnings read in one pass
ROUNDING = 1e-4  # nats by which one text must be likelier than another for it to count

Beginning = tuple[float, tuple[int, ...], tuple[float, ...]]  # −log p, ids, log p of each


class BestFirst:
    """A search for the likeliest text of a length, in slices.

    Attributes:
        best: ids and log-probabilities of the best whole text so far.
        n_expanded: beginnings whose next tokens were weighed.
    """

    def __init__(
        self,
        start: Generation,
        n_tokens: int,
        known: tuple[Sequence[int], Sequence[float]],
        limit: int = LIMIT,
        end_ids: frozenset[int] | None = None,
    ) -> None:
        """Begins from a whole text that some other search has found: only likelier ones count.

        Args:
            start: the prompt as it was read; it stays as it is.
            n_tokens: how many tokens are generated; fewer where an end token comes first.
            known: ids and log-probabilities of a whole text, greedy's or a beam's.
            limit: how many beginnings may be expanded.
            end_ids: tokens that end a text; the model's own by default.

        Raises:
            ValueError: where the length makes no sense.
        """
        if not 1 <= n_tokens <= MOST_TOKENS:
            raise ValueError(f"Choose between 1 and {MOST_TOKENS} tokens: all texts are searched.")
        self.start, self.n_tokens, self.limit = start, n_tokens, limit
        self.end_ids = start.lm.end_ids if end_ids is None else end_ids
        self.best = (tuple(known[0]), tuple(known[1]))
        self.n_expanded = 0
        self.seconds = 0.0
        self._bound = math.fsum(known[1]) + ROUNDING
        # beginnings by their length, each heap with its likeliest on top
        self._open: list[list[Beginning]] = [[] for _ in range(n_tokens)]
        self._prompt = Batch.after(start)
        self._expand([(0.0, (), ())], self._prompt.logits)
        self._drop()

    @property
    def ceiling(self) -> float:
        """Joint log-probability that no text can exceed, by what is still open."""
        return max([self._bound - ROUNDING, *(-heap[0][0] for heap in self._open if heap)])

    @property
    def is_proved(self) -> bool:
        """Whether every other text is known to be no likelier than the best."""
        return not any(self._open)

    @property
    def is_done(self) -> bool:
        """Whether there is a proof, or no expansion left."""
        return self.is_proved or self.n_expanded >= self.limit

    def advance(self) -> None:
        """Takes the likeliest beginnings of one length, and weighs all that may follow them."""
        started = time.perf_counter()
        # choose: of the likeliest open beginning, and others as long as it, so that one pass serves
        heap = min((heap for heap in self._open if heap), key=lambda heap: heap[0][0])
        n_most = min(N_ROWS, self.limit - self.n_expanded)
        chosen: list[Beginning] = []
        while heap and len(chosen) < n_most and -heap[0][0] > self._bound:
            chosen.append(heapq.heappop(heap))

        # run: one pass reads them all, each on a copy of the prompt's cache
        batch = self._prompt.fork()
        batch.reorder([0] * len(chosen))
        batch.read([ids for _, ids, _ in chosen])

        # expand: keep what is likelier than the best whole text
        self._expand(chosen, batch.logits)

        # bound: beginnings that have fallen behind it are dropped
        self._drop()
        self.seconds += time.perf_counter() - started

    def result(self) -> ExactResult:
        """Returns what was found, and how far it can be trusted."""
        return ExactResult(
            token_ids=self.best[0],
            logprobs=self.best[1],
            n_expanded=self.n_expanded,
            limit=self.limit,
            is_proved=self.is_proved,
            ceiling=self.ceiling,
            seconds=self.seconds,
        )

    def _expand(self, beginnings: Sequence[Beginning], logits: Logits) -> None:
        """Puts every continuation that may still win among the open ones, or makes it the best."""
        for (cost, ids, logprobs), row in zip(beginnings, log_softmax(logits), strict=True):
            totals = row - cost
            n_alive = int(np.count_nonzero(totals > self._bound))
            for token_id in best_ids(totals, n_alive).tolist() if n_alive else ():
                longer = ((*ids, token_id), (*logprobs, float(row[token_id])))
                total = float(totals[token_id])
                is_whole = len(longer[0]) == self.n_tokens or token_id in self.end_ids
                if is_whole and total > self._bound:
                    self._bound, self.best = total + ROUNDING, longer
                elif not is_whole:
                    heapq.heappush(self._open[len(longer[0])], (-total, *longer))
        self.n_expanded += len(beginnings)

    def _drop(self) -> None:
        """Forgets the open beginnings that can no longer win; each heap has its best on top."""
        for heap in self._open:
            if heap and -heap[0][0] <= self._bound:
                heap.clear()

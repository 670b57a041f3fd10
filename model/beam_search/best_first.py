"""The likeliest text of all: best-first search, which can prove that no other text is likelier.

A text only gets less likely as it grows, for every log p is below 0. So a prefix that is no
likelier than a whole text already found can be dropped with all that would follow from it, and once
no prefix is left the best whole text is the best of all (branch and bound; exact inference for
neural text models by Stahlberg and Byrne, 1908.10090). How many prefixes that takes depends on the
model: the search has a limit, and says whether it got to the end.
"""

import heapq
import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from model.batch import Batch
from model.draw import best_ids
from model.generation import Generation
from model.masks import log_softmax
from model.passes import Logits

N_ROWS = 32  # prefixes read in one pass
ROUNDING = 1e-4  # nats by which one text must be likelier than another for it to count

Prefix: TypeAlias = tuple[float, tuple[int, ...], tuple[float, ...]]  # −log p, ids, log p of each


class BestFirstSearch:
    """A search for the likeliest text of a length.

    Attributes:
        best: ids and log-probabilities of the best whole text so far.
        n_expanded: prefixes whose next tokens were scored.
        limit: how many may be.
    """

    def __init__(
        self,
        start: Generation,
        n_tokens: int,
        known: tuple[Sequence[int], Sequence[float]],
        limit: int,
        end_ids: frozenset[int] | None = None,
    ) -> None:
        """Begins from a whole text that some other search has found: only likelier ones count.

        Args:
            start: the prompt as it was read; it stays as it is.
            n_tokens: how many are generated, fewer where an end comes first.
            known: ids and log-probabilities of a whole text, greedy's or a beam's.
            limit: how many prefixes may be expanded.
            end_ids: tokens that end a text; the model's own by default.
        """
        self.limit, self.n_expanded = limit, 0
        self.best = (tuple(known[0]), tuple(known[1]))
        self._n_tokens = n_tokens
        self._end_ids = start.lm.end_ids if end_ids is None else end_ids
        self._bound = math.fsum(known[1]) + ROUNDING
        # prefixes by their length, each heap with its likeliest on top
        self._open: list[list[Prefix]] = [[] for _ in range(n_tokens)]
        self._prompt = Batch.after(start)
        self._expand([(0.0, (), ())], self._prompt.logits)

    @property
    def is_proved(self) -> bool:
        """Whether no other text of this length is likelier than the best."""
        return not any(self._open)

    @property
    def upper_bound(self) -> float:
        """Nats: no text that was not scored is likelier than that."""
        bounds = (-heap[0][0] for heap in self._open if heap)
        return max([self._bound - ROUNDING, *bounds])

    @property
    def is_done(self) -> bool:
        """Whether there is a proof, or no expansion left."""
        return self.is_proved or self.n_expanded >= self.limit

    def step(self) -> None:
        """Takes the likeliest prefixes of one length, and scores all that may follow them."""
        # choose: the likeliest open prefix, and others as long as it, so that one pass reads all
        heap = min((heap for heap in self._open if heap), key=lambda heap: heap[0][0])
        n_most = min(N_ROWS, self.limit - self.n_expanded)
        chosen: list[Prefix] = []
        while heap and len(chosen) < n_most and -heap[0][0] > self._bound:
            chosen.append(heapq.heappop(heap))

        # run: one pass reads them all, each on a copy of the prompt's cache
        batch = self._prompt.fork()
        batch.reorder([0] * len(chosen))
        batch.read([ids for _, ids, _ in chosen])

        # expand: keep what is likelier than the best whole text
        self._expand(chosen, batch.logits)

    def _expand(self, prefixes: Sequence[Prefix], logits: Logits) -> None:
        """Puts every continuation that may still win among the open ones, or makes it the best."""
        for (cost, ids, logprobs), row in zip(prefixes, log_softmax(logits), strict=True):
            totals = row - cost
            n_alive = int(np.count_nonzero(totals > self._bound))
            for token_id in best_ids(totals, n_alive).tolist() if n_alive else ():
                longer = ((*ids, token_id), (*logprobs, float(row[token_id])))
                total = float(totals[token_id])
                is_whole = len(longer[0]) == self._n_tokens or token_id in self._end_ids
                if is_whole and total > self._bound:
                    self._bound, self.best = total + ROUNDING, longer
                elif not is_whole:
                    heapq.heappush(self._open[len(longer[0])], (-total, *longer))
        self.n_expanded += len(prefixes)
        # bound: open prefixes that can no longer win are dropped; each heap has its best on top
        for heap in self._open:
            if heap and -heap[0][0] <= self._bound:
                heap.clear()

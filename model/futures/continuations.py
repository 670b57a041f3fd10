"""Every continuation of a prompt with its exact probability, the likeliest opened first.

A text's probability is the product of its tokens': one pass over a text gives that of all texts
that are one token longer. To open a text is to run that pass, for many texts at once. The likeliest
closed text comes first, as none that follows it can be likelier; what was not opened has a known
probability too, so the tree says how much of all is in it.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from model.batch import Batch
from model.draw import rank_order, summarise
from model.futures.records import ROOT, OpenedText
from model.generation import Generation
from model.job import Progress, Work
from model.masks import log_softmax
from model.passes import TOO_LONG_A_PROMPT, Logits, PassError, check_context
from model.records import Distribution, FloatArray

MAX_TOKENS = 4  # of a continuation
N_ROWS = 64  # texts that one pass reads
MIN_HELD = 128  # next tokens that are held one by one, however unlikely the text
FINENESS = 2_048  # times a text's probability: so many are held where that is more

Closed: TypeAlias = tuple[float, int, int]  # −log p, place of the parent, rank after it


class Continuations:
    """The tree after one prompt, as far as it was opened.

    Attributes:
        start: the prompt as it was read; it stays as it is.
        texts: those that were opened, parents before children; a text's place is its name.
        n_passes: how many have run, the prompt's own not counted.
        seconds: of these passes.
    """

    def __init__(self, start: Generation) -> None:
        """Takes a prompt that has been read, and is open by that.

        Raises:
            ValueError: where nothing can follow it.
        """
        if start.finished is not None:
            raise ValueError("The prompt has no room for a token after it: shorten it.")
        check_context(start.lm, len(start.ids) + MAX_TOKENS, TOO_LONG_A_PROMPT)
        self.start = start
        self.texts: list[OpenedText] = []
        self.n_passes, self.seconds = 0, 0.0
        self._prompt = Batch.after(start)
        self._places: dict[tuple[int, int], int] = {}  # of opened texts, by parent and last token
        # by length: the likeliest closed text of every parent, the likeliest of all on top
        self._closed: list[list[Closed]] = [[] for _ in range(MAX_TOKENS)]
        # by length: probability of the texts that were opened, and of those that an end token ends
        self._opened, self._ended = np.zeros(MAX_TOKENS), np.zeros(MAX_TOKENS + 1)
        self._open([(0.0, ROOT, 0)], self._prompt.logits)

    def mass(self, n_tokens: int) -> float:
        """Returns the probability of all continuations of a length whose own is known."""
        return float(self._opened[n_tokens - 1] + self._ended[:n_tokens].sum())

    def is_whole(self, n_tokens: int) -> bool:
        """Tells whether no text is left to be opened for continuations of a length."""
        return not any(self._closed[:n_tokens])

    def greedy_is_likeliest(self, n_tokens: int) -> bool | None:
        """Tells whether no text of a length is likelier than greedy decoding's.

        Returns:
            None while a text that is still closed may be likelier.
        """
        greedy, place, end_ids = 0.0, 0, self.start.lm.end_ids
        for n_left in range(n_tokens - 1, -1, -1):
            greedy, token_id = self._cost(place, 0), int(self.texts[place].next_ids[0])
            if token_id in end_ids or n_left == 0:
                break
            if (place, token_id) not in self._places:
                return None
            place = self._places[place, token_id]
        best = min(cost for i in range(len(self.texts)) for cost in self._wholes(i, n_tokens))
        if best < greedy:
            return False
        return (
            None if any(heap[0][0] < greedy for heap in self._closed[:n_tokens] if heap) else True
        )

    def _wholes(self, place: int, n_tokens: int) -> Iterator[float]:
        """Yields −log p of the texts of a length that end with the next token of an opened one."""
        text = self.texts[place]
        if text.depth == n_tokens - 1:
            yield self._cost(place, 0)
        elif text.depth < n_tokens - 1:
            ends = np.flatnonzero(np.isin(text.next_ids, list(self.start.lm.end_ids)))
            yield from (self._cost(place, int(rank)) for rank in ends)

    def step(self, n_tokens: int) -> None:
        """Opens the likeliest closed texts that are shorter than the continuations wanted.

        Raises:
            PassError: the pass failed; the texts that it was to open stay closed.
        """
        # choose: the likeliest, and others as long, so that one pass reads them all
        closed = min((heap for heap in self._closed[:n_tokens] if heap), key=lambda heap: heap[0])
        before = closed.copy()
        chosen = [self._take(closed) for _ in range(N_ROWS) if closed]

        try:
            self._read(chosen)
        except PassError:
            closed[:] = before
            raise

    def open_along(self, token_ids: Sequence[int]) -> None:
        """Opens all texts on the way to one that is given, as far as its tokens are held.

        Raises:
            PassError: a pass failed; those before it are open.
        """
        try:
            self._open_way(token_ids)
        finally:
            self._drop_open()

    def _open_way(self, token_ids: Sequence[int]) -> None:
        place, end_ids = 0, self.start.lm.end_ids
        for token_id in token_ids[: MAX_TOKENS - 1]:
            if (place, token_id) not in self._places:
                ranks = np.flatnonzero(self.texts[place].next_ids == token_id)
                if token_id in end_ids or not ranks.size:
                    break
                self._read([(self._cost(place, int(ranks[0])), place, int(ranks[0]))])
            place = self._places[place, token_id]

    def _drop_open(self) -> None:
        """Takes what is open now from among the closed."""
        for length, closed in enumerate(self._closed):
            stale = [entry for entry in closed if self._is_open(*entry[1:])]
            self._closed[length] = [entry for entry in closed if entry not in stale]
            heapq.heapify(self._closed[length])
            for _, parent, rank in stale:
                self._close(parent, rank + 1)

    def _read(self, chosen: Sequence[Closed]) -> None:
        # run: each is read on a copy of the prompt's cache
        batch = self._prompt.fork()
        batch.reorder([0] * len(chosen))
        _, seconds = batch.read([self._ids(parent, rank) for _, parent, rank in chosen])
        self.n_passes, self.seconds = self.n_passes + 1, self.seconds + seconds

        # open: each gives the probability of every text that is one token longer
        self._open(chosen, batch.logits)

    def _open(self, chosen: Sequence[Closed], logits: Logits) -> None:
        end_ids = list(self.start.lm.end_ids)
        for (cost, parent, rank), row in zip(chosen, logits, strict=True):
            logprobs, share = log_softmax(row), math.exp(-cost)
            ids = () if parent == ROOT else self._ids(parent, rank)
            text = OpenedText(
                parent=parent,
                token_id=ids[-1] if ids else -1,
                depth=len(ids),
                logprob=-cost,
                following=_hold(row, max(MIN_HELD, round(FINENESS * share))),
                log_weight=float(row.max() - logprobs.max()),
            )
            self.texts.append(text)
            self._places[parent, text.token_id] = len(self.texts) - 1
            self._opened[text.depth] += share
            self._ended[text.depth + 1] += share * np.exp(logprobs[end_ids]).sum()
            self._close(len(self.texts) - 1, 0)

    def _take(self, closed: list[Closed]) -> Closed:
        """Takes the likeliest text off a heap; the next of the same parent takes its place."""
        taken = heapq.heappop(closed)
        self._close(taken[1], taken[2] + 1)
        return taken

    def _close(self, parent: int, rank: int) -> None:
        """Puts the best text of a parent, from a rank on, among the closed; an end has no next."""
        text, end_ids = self.texts[parent], self.start.lm.end_ids
        held = text.next_ids
        while rank < len(held) and (held[rank] in end_ids or self._is_open(parent, rank)):
            rank += 1
        if rank < len(held) and text.depth + 1 < MAX_TOKENS:
            cost = self._cost(parent, rank)
            if cost < math.inf:
                heapq.heappush(self._closed[text.depth + 1], (cost, parent, rank))

    def _cost(self, parent: int, rank: int) -> float:
        """Returns −log p of a text, by its parent and its rank there."""
        text = self.texts[parent]
        return text.log_weight - float(text.following.logits[rank]) - text.logprob

    def _is_open(self, parent: int, rank: int) -> bool:
        return (parent, int(self.texts[parent].next_ids[rank])) in self._places

    def _ids(self, parent: int, rank: int) -> list[int]:
        """Returns the tokens after the prompt of a text, by its parent and its rank there."""
        ids = [int(self.texts[parent].next_ids[rank])]
        while self.texts[parent].parent != ROOT:
            ids.append(self.texts[parent].token_id)
            parent = self.texts[parent].parent
        return ids[::-1]


def open_texts(
    tree: Continuations, n_tokens: int, mass: float, n_passes: int
) -> Work[Continuations]:
    """Goes on opening texts until so much of the probability is in the tree.

    Args:
        tree: goes on from where it is.
        n_tokens: of the continuations that are looked at, at most MAX_TOKENS.
        mass: of all of them whose own probability is to be known, as a fraction.
        n_passes: that it may take, at most.
    """
    n_before = tree.n_passes
    while tree.mass(n_tokens) < mass and not tree.is_whole(n_tokens):
        n_run = tree.n_passes - n_before
        if n_run == n_passes:
            break
        doing = f"{len(tree.texts)} texts opened"
        yield Progress(n_run, n_passes, doing, lambda: tree, "passes")
        tree.step(n_tokens)
    return tree


def _hold(logits: FloatArray, n: int) -> Distribution:
    """Keeps the best n logits one by one and the rest as a histogram."""
    if n < len(logits):
        return summarise(logits, n)
    order = rank_order(logits)
    return Distribution(len(logits), order.astype(np.int32), logits[order])

"""The baseline: an n-gram model with interpolated Kneser-Ney smoothing (Chen and Goodman 1999).

It only counts: what a small transformer is worth is seen beside it. A run of up to five ids is
packed into one 64-bit key, so that counting is sorting.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from training.corpus import END_ID

Keys = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NgramOrder:
    """The n-grams of one length; lower orders count how many different ids precede an n-gram."""

    keys: Keys  # (n_grams,) sorted
    counts: Keys  # (n_grams,)
    contexts: Keys  # (n_contexts,) sorted: the keys without their last id
    totals: Keys  # (n_contexts,) sum of the counts after this context
    kinds: Keys  # (n_contexts,) number of different ids after it
    discount: float  # taken from every count, given to the lower order


class KneserNey:
    """Predicts an id from the ids before it.

    A document is read with `order - 1` end tokens in front: its first ids have a full context too.
    """

    def __init__(
        self, documents: Sequence[npt.NDArray[np.integer]], vocab_size: int, order: int
    ) -> None:
        """Counts.

        Args:
            documents: ids, each behind one bos and without the closing end.
            vocab_size: number of ids.
            order: longest n-gram, context and word together.

        Raises:
            ValueError: the n-grams do not fit into 64 bits.
        """
        if vocab_size**order >= 2**63:
            raise ValueError(f"{order}-grams of {vocab_size} ids exceed 64 bits: lower the order.")
        self.vocab_size = vocab_size
        self.order = order
        ids = np.concatenate([self._padded(document) for document in documents])
        keys, counts = np.unique(self._keys(ids), return_counts=True)
        self.orders = [self._count(keys, counts.astype(np.int64))]
        for n in range(order - 1, 0, -1):
            keys, counts = np.unique(keys % vocab_size**n, return_counts=True)
            self.orders.append(self._count(keys, counts.astype(np.int64)))

    def _padded(self, document: npt.NDArray[np.integer]) -> Keys:
        edge = np.full(self.order - 1, END_ID, dtype=np.int64)
        return np.concatenate([edge, document[1:].astype(np.int64), edge[:1]])

    def _keys(self, ids: Keys) -> Keys:
        """One key per run of `order` ids, in the order of the text."""
        n_runs = len(ids) - self.order + 1
        keys = np.zeros(n_runs, dtype=np.int64)
        for i in range(self.order):
            keys = keys * self.vocab_size + ids[i : i + n_runs]
        return keys

    def _count(self, keys: Keys, counts: Keys) -> NgramOrder:
        contexts, starts = np.unique(keys // self.vocab_size, return_index=True)
        kinds = np.diff(np.append(starts, len(keys)))
        once, twice = int((counts == 1).sum()), int((counts == 2).sum())
        discount = once / (once + 2 * twice) if once else 0.5
        return NgramOrder(
            keys, counts, contexts, np.add.reduceat(counts, starts), kinds, min(discount, 0.99)
        )

    def probabilities(self, keys: Keys) -> Floats:
        """The probability of the last id of each key, given the others.

        Args:
            keys: runs of `order` ids, packed.
        """
        probs = np.full(len(keys), 1 / self.vocab_size)
        for n, order in zip(range(1, self.order + 1), reversed(self.orders), strict=True):
            short = keys % self.vocab_size**n
            count = look_up(order.keys, order.counts, short)
            total = look_up(order.contexts, order.totals, short // self.vocab_size)
            kinds = look_up(order.contexts, order.kinds, short // self.vocab_size)
            seen = total > 0
            own = np.maximum(count - order.discount, 0) / np.maximum(total, 1)
            passed_on = order.discount * kinds / np.maximum(total, 1)
            probs = np.where(seen, own + passed_on * probs, probs)
        return probs

    def nats(self, document: npt.NDArray[np.integer]) -> Floats:
        """The surprise of every id after the bos, the closing end included."""
        return -np.log(self.probabilities(self._keys(self._padded(document))))


def look_up(keys: Keys, values: Keys, wanted: Keys) -> Keys:
    """The value beside each wanted key, 0 where the key is missing."""
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, values[places], 0)

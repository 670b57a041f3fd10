"""The same tokens predicted from more and more context, by one model and by others.

Loss by position mixes two things: how much a model has seen, and how hard the text is there. Here
the tokens to be predicted stay the same and only the number of tokens before them changes. Models
of the same tokens can be compared, token for token. This module draws nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from model.batch import Batch
from model.loading import LanguageModel
from model.snowball.records import ContextLoss, Floats
from model.tokenizing import shares_vocabulary

MOST_TOKENS = 4_096  # in one pass: what is asked for at once


class ContextRun:
    """Some models, some tokens to predict, and the contexts to predict them from."""

    def __init__(
        self,
        models: Sequence[LanguageModel],
        documents: Sequence[Sequence[int]],
        contexts: Sequence[int],
        n_targets: int = 48,
    ) -> None:
        """Chooses the tokens to predict: evenly spread, each with the longest context before it.

        Args:
            models: of the same tokens.
            documents: ids of held-out texts.
            contexts: numbers of tokens, shortest first.
            n_targets: how many tokens are predicted.

        Raises:
            ValueError: where the models have different tokens, or no text or model is long enough.
        """
        if not all(shares_vocabulary(models[0], lm) for lm in models):
            raise ValueError("Models with different tokens cannot be compared token for token.")
        limits = [lm.context_length for lm in models if lm.context_length is not None]
        longest = min([*limits, max(contexts)])
        self.contexts = tuple(n for n in contexts if n <= longest)
        places = [
            (row, column)
            for row, ids in enumerate(documents)
            for column in range(self.contexts[-1], len(ids))
        ]
        if not places:
            raise ValueError(f"No text has more than {self.contexts[-1]} tokens before a token.")
        spread = np.linspace(0, len(places) - 1, min(n_targets, len(places))).astype(int)
        self.models, self.documents = list(models), documents
        self.targets = [places[i] for i in spread]
        shape = (len(self.targets), len(self.contexts))
        self._losses: dict[str, Floats] = {lm.name: np.full(shape, np.nan) for lm in models}
        self._n_done, self._work = 0, self._measure()

    @property
    def is_done(self) -> bool:
        """Whether everything is measured."""
        return self._n_done >= self._n_all

    @property
    def done(self) -> float:
        """The fraction of tokens that is read."""
        return self._n_done / self._n_all

    @property
    def _n_all(self) -> int:
        return len(self.models) * len(self.targets) * sum(self.contexts)

    def advance(self) -> None:
        """Reads the contexts of a few targets, in one pass."""
        next(self._work, None)

    def _measure(self) -> Iterator[None]:
        # short contexts first, so that the curves grow from the left
        for column, n_seen in enumerate(self.contexts):
            size = max(1, MOST_TOKENS // n_seen)
            for lm in self.models:
                for first in range(0, len(self.targets), size):
                    self._predict(lm, column, n_seen, slice(first, first + size))
                    yield

    def _predict(self, lm: LanguageModel, column: int, n_seen: int, which: slice) -> None:
        """Predicts some targets from the n_seen tokens before each, by one pass."""
        targets = self.targets[which]
        rows = [self.documents[row][end - n_seen : end] for row, end in targets]
        expected = Batch(lm, rows).logprobs
        true_ids = [self.documents[row][end] for row, end in targets]
        self._losses[lm.name][which, column] = -expected[np.arange(len(rows)), true_ids]
        self._n_done += n_seen * len(rows)

    def loss(self) -> ContextLoss:
        """Returns what is measured so far; NaN where nothing is yet."""
        sizes = {lm.name: lm.n_parameters for lm in self.models}
        return ContextLoss(
            self.contexts, {name: losses.copy() for name, losses in self._losses.items()}, sizes
        )

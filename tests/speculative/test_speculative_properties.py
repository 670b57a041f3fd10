"""Whatever the draft, the distribution is the target's: for all coins of a grid, by any numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.passes import Logits
from model.sampling import Settings
from model.speculative.decoding import accept_prob, residual
from model.speculative.drafting import ModelDraft
from model.speculative.proof import MemoizedSpeculation

# what follows each of three tokens, in sixths; ratios of target to draft are sixths, too
TARGET = ((1, 2, 3), (3, 1, 2), (3, 2, 1))
DRAFT = ((3, 2, 1), (1, 2, 3), (2, 1, 3))
N_DRAFT_COINS, N_ACCEPT_COINS, N_DRAW_COINS = 6, 6, 6


class TableReader:
    """A model of three tokens that looks at the last one only."""

    def __init__(self, table: Sequence[Sequence[int]]) -> None:
        self.lm: Any = SimpleNamespace(end_ids=frozenset(), context_length=None, name="table")
        self.text: list[int] = []
        self._rows = np.log(np.array(table, dtype=np.float64) / 6).astype(np.float32)

    @property
    def n_read(self) -> int:
        return len(self.text)

    def read(self, rows: Sequence[Sequence[int]], n_logits: int = 1) -> tuple[Logits, float]:
        self.text += rows[0]
        return self._rows[self.text[-n_logits:]][None], 0.0

    def crop(self, n_tokens: int) -> None:
        del self.text[len(self.text) - n_tokens :]


def one_round(coins: dict[tuple[int, str], float], memory: dict[Any, Any]) -> tuple[int, ...]:
    """The tokens that one round of two draft tokens gives after token 0, by these coins."""
    drafter = ModelDraft.__new__(ModelDraft)
    drafter.name, drafter.width = "table", 3
    drafter.reader = TableReader(DRAFT)  # type: ignore[assignment]  # it reads as one does
    text = MemoizedSpeculation(memory, TableReader(TARGET), drafter, [0], Settings())
    text.coin = lambda at, use: coins.get((at, use), coins[0, "draw"])
    return text.round(2).token_ids


def test_the_output_distribution_is_the_targets_by_exact_enumeration() -> None:
    """Every cell of the coins is run once; what a round leaves open is the target's to write."""

    def middle(i: int, n: int) -> float:
        return (i + 0.5) / n

    sizes = (N_DRAFT_COINS, N_DRAFT_COINS, N_ACCEPT_COINS, N_ACCEPT_COINS, N_DRAW_COINS)
    found: Counter[tuple[int, ...]] = Counter()
    memory: dict[Any, Any] = {}
    for cell in product(*map(range, sizes)):
        coins = {
            (1, "draft"): middle(cell[0], sizes[0]),
            (2, "draft"): middle(cell[1], sizes[1]),
            (1, "accept"): middle(cell[2], sizes[2]),
            (2, "accept"): middle(cell[3], sizes[3]),
            (0, "draw"): middle(cell[4], sizes[4]),
        }
        found[one_round(coins, memory)] += 1
    assert {len(tokens) for tokens in found} == {1, 2, 3}
    n_cells = math.prod(sizes)
    for triple in product(range(3), repeat=3):
        wanted = probability((0, *triple))
        got = math.fsum(
            found[triple[:n]] / n_cells * probability(triple[n - 1 :]) for n in (1, 2, 3)
        )
        assert got == pytest.approx(wanted, rel=1e-9), triple


def probability(tokens: Sequence[int]) -> float:
    """What the target alone gives to these tokens after the first of them."""
    return math.prod(TARGET[a][b] / 6 for a, b in pairwise(tokens))


def normalised(weights: Sequence[float]) -> npt.NDArray[np.float64]:
    values = np.array(weights)
    return values / values.sum()


weights = st.lists(st.floats(0.001, 1), min_size=5, max_size=5)


@given(weights, weights)
def test_accepted_and_redrawn_together_are_the_target(one: list[float], two: list[float]) -> None:
    target, draft = normalised(one), normalised(two)
    accepted = draft * [accept_prob(t, d) for t, d in zip(target, draft, strict=True)]
    law = accepted + (1 - accepted.sum()) * residual(target, draft)
    assert law == pytest.approx(target, abs=1e-12)
    assert residual(target, draft).sum() == pytest.approx(1)

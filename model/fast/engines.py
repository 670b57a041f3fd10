"""Ways to run the same model: its own step, and the quicker ones that live beside it.

Each engine answers one request at a time: `prefill` reads a prompt into an empty cache, `decode`
one more token. They differ in how the second is carried out, never in what it computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from transformers import DynamicCache

from model import passes
from model.fast.cuda_decode import StaticDecode, has_graphs, runs_static
from model.loading import LanguageModel
from model.passes import Logits
from model.records import Trial

PLAIN = "the model’s own step"
BY_HAND = "the step written out by hand"
STATIC = "the captured step"
_ROOM = 16  # positions beyond what was asked for


class Engine(Protocol):
    """Reads a prompt, then one token after another; each pass comes with its seconds."""

    name: str
    trials: Sequence[Trial]  # of the ways between which it chose

    def prepare(self) -> Iterator[str]:
        """Does what has to be done once, bit by bit, and says what."""

    def prefill(self, ids: Sequence[int]) -> tuple[Logits, float]:
        """Reads a prompt into an empty cache."""

    def decode(self, token_id: int) -> tuple[Logits, float]:
        """Reads one more token."""


class PlainEngine:
    """The model as transformers runs it, with a cache that grows."""

    name = PLAIN
    trials: Sequence[Trial] = ()

    def __init__(self, lm: LanguageModel) -> None:
        """Begins without a text.

        Raises:
            ValueError: where the model takes no cache; one sentence.
        """
        if lm.cache_argument is None:
            raise ValueError(
                f"{lm.name} takes no cache, so all its passes are prefills: choose another model."
            )
        self.lm = lm
        self.cache = DynamicCache()

    def prepare(self) -> Iterator[str]:
        """Has nothing to do."""
        return iter(())

    def prefill(self, ids: Sequence[int]) -> tuple[Logits, float]:
        """Reads a prompt into an empty cache."""
        self.cache = self.lm.new_cache() or DynamicCache()
        return passes.prefill(self.lm, ids, self.cache)

    def decode(self, token_id: int) -> tuple[Logits, float]:
        """Reads one more token by the model's own forward."""
        return passes.prefill(self.lm, [token_id], self.cache)


class ByHandEngine(PlainEngine):
    """The same, but for the decode step, which is written out by hand."""

    name = BY_HAND

    def decode(self, token_id: int) -> tuple[Logits, float]:
        """Reads one more token by the quick step."""
        return passes.decode_one_token(self.lm, token_id, self.cache)


class StaticEngine:
    """A cache of fixed size on a GPU, its step captured once and replayed."""

    name = STATIC

    def __init__(self, lm: LanguageModel, capacity: int) -> None:
        """Allocates the cache."""
        self.steps = StaticDecode(lm, capacity)
        self.trials: Sequence[Trial] = self.steps.trials

    def prepare(self) -> Iterator[str]:
        """Measures the ways to run a step, and keeps the quickest."""
        return self.steps.prepare()

    def prefill(self, ids: Sequence[int]) -> tuple[Logits, float]:
        """Reads a prompt into the emptied cache."""
        return self.steps.prefill(ids)

    def decode(self, token_id: int) -> tuple[Logits, float]:
        """Reads one more token by the step that was chosen."""
        return self.steps.decode(token_id)


def engine_names(lm: LanguageModel) -> tuple[str, ...]:
    """Lists the ways in which this model can run here, its own first."""
    quick = (BY_HAND,) if lm.fast_decode is not None else ()
    static = (STATIC,) if has_graphs(lm.device) and runs_static(lm) else ()
    return (PLAIN, *quick, *static)


def make_engine(lm: LanguageModel, name: str, n_tokens: int) -> Engine:
    """Returns an engine by its name.

    Args:
        lm: The model.
        name: One of `engine_names`.
        n_tokens: Length of the longest text that it will hold.

    Raises:
        ValueError: where the model cannot run so; one sentence.
    """
    if name not in engine_names(lm):
        raise ValueError(f"{lm.name} cannot run by {name} on {lm.device}: choose {PLAIN}.")
    if name == STATIC:
        return StaticEngine(lm, n_tokens + _ROOM)
    return ByHandEngine(lm) if name == BY_HAND else PlainEngine(lm)

"""Ways to run the same model: its own step, and the quicker ones that live beside it.

Each engine answers one request at a time: `prefill` reads a prompt into an empty cache, `decode`
one more token. They differ in how the second is carried out, never in what it computes.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from model import passes
from model.fast.cuda_decode import StaticDecode, has_graphs, runs_static
from model.kv_cache.block_cache import whole_blocks
from model.language_model import LanguageModel
from model.passes import Logits
from model.records import Trial

PLAIN = "the model’s own step"
MANUAL = "the step written out by hand"
STATIC = "the captured step"
_N_SPARE = 16  # positions beyond what was asked for
_N_READY = 4  # captured steps that a model keeps, each with its cache


class GrowingEngine:
    """The model with a cache that grows; its step is its own or, where there is one, by hand."""

    def __init__(self, lm: LanguageModel, name: str) -> None:
        self.lm, self.name, self.cache = lm, name, lm.new_cache()
        self.trials: list[Trial] = []  # it has no ways to choose between

    def prepare(self) -> Iterator[str]:
        """Has nothing to do once."""
        return iter(())

    def prefill(self, ids: Sequence[int]) -> tuple[Logits, float]:
        """Reads a prompt into an empty cache."""
        self.cache = self.lm.new_cache()
        return passes.prefill(self.lm, ids, self.cache)

    def decode(self, token_id: int) -> tuple[Logits, float]:
        """Reads one more token."""
        if self.name == MANUAL:
            return passes.decode_one_token(self.lm, token_id, self.cache)
        return passes.prefill(self.lm, [token_id], self.cache)


class StaticEngine:
    """The captured step: prepared once for a capacity, and kept by its model for whoever is next.

    Who takes it over ends the measurement of the one before, whose text is gone then.
    """

    name = STATIC

    def __init__(self, lm: LanguageModel, n_tokens: int) -> None:
        """Takes the step that is ready for such texts, if there is one."""
        capacity = whole_blocks(n_tokens)
        self._lm, self._ready, self._mark = lm, lm.weights.ready, object()
        self._steps: StaticDecode = self._ready.pop(capacity, None) or StaticDecode(lm, capacity)
        self._steps.user = self._mark
        self.trials = self._steps.trials

    def prepare(self) -> Iterator[str]:
        """Captures and compiles what is not ready, and keeps it."""
        yield from self._mine().prepare()
        self._ready[self._steps.capacity] = self._steps
        if len(self._ready) > _N_READY:
            del self._ready[next(iter(self._ready))]

    def prefill(self, ids: Sequence[int]) -> tuple[Logits, float]:
        """Reads a prompt into an empty cache."""
        return self._mine().prefill(ids)

    def decode(self, token_id: int) -> tuple[Logits, float]:
        """Reads one more token."""
        return self._mine().decode(token_id)

    def _mine(self) -> StaticDecode:
        if self._steps.user is not self._mark:
            raise ValueError("Another measurement took the captured step: press the button again.")
        return self._steps


Engine: TypeAlias = GrowingEngine | StaticEngine  # each pass comes with its seconds


def engine_names(lm: LanguageModel) -> tuple[str, ...]:
    """Lists the ways in which this model can run here, its own first."""
    quick = (MANUAL,) if lm.weights.quick is not None else ()
    static = (STATIC,) if has_graphs(lm.device) and runs_static(lm) else ()
    return (PLAIN, *quick, *static)


def make_engine(lm: LanguageModel, name: str, n_tokens: int) -> Engine:
    """Returns an engine by its name.

    Args:
        lm: The model.
        name: One of `engine_names`.
        n_tokens: Length of the longest text that it will hold.

    Raises:
        ValueError: where the model cannot run so, or takes no cache; one sentence.
    """
    if lm.weights.cache_argument is None:
        raise ValueError(
            f"{lm.shown} takes no cache, so all its passes are prefills: choose another model."
        )
    if name not in engine_names(lm):
        raise ValueError(f"{lm.shown} cannot run by {name} on {lm.device}: choose {PLAIN}.")
    return StaticEngine(lm, n_tokens + _N_SPARE) if name == STATIC else GrowingEngine(lm, name)

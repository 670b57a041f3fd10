"""What the cache lesson keeps for one reader: a text that grows, and what was measured.

Knows nothing of Streamlit. The text is a copy of its own: what is pressed here leaves the first
page's text as it is.
"""

from dataclasses import dataclass, field

from model.generation import Generation
from model.kv_cache.experiments import watch_rewind
from model.kv_cache.query_key_value import read_query
from model.kv_cache.records import CacheMoment, QueryKeyValue
from model.sampling import Settings
from pages.frame.lesson_state import SteppedLesson
from pages.frame.stepper import Stepper, Steps

N_COUNTED = 3  # passes after the prompt's that a guided scene has its reader count
N_WATCHED = 5  # passes after the prompt's: those that the picture shows from the start
MAX_COLUMNS = 256  # of the grid that can still be told apart
WHY_FINISHED = {
    "eos": "The model wrote its end token: go back, or start again.",
    "length": "The model’s context is full: go back, or start again.",
}


@dataclass
class GrowingText(Steps):
    """A text that is written token by token, and what was seen of its last rewind."""

    generation: Generation
    settings: Settings
    n_watched: int = N_WATCHED
    is_counted: bool = False  # whether a reader has counted the passes watched: none is added
    moments: tuple[CacheMoment, ...] = ()
    _queries: dict[tuple[int, ...], QueryKeyValue | None] = field(default_factory=dict)

    def query(self) -> QueryKeyValue | None:
        """Returns what the newest token asks in one head; None where that cannot be read."""
        ids = tuple(self.generation.ids)
        if ids not in self._queries:
            self._queries = {ids: read_query(self.generation.lm, ids)}
        return self._queries[ids]

    @property
    def can_step(self) -> bool:
        """Whether another token has room, in the model's context and in the grid."""
        return self.generation.finished is None and self._has_room and not self._is_counted_out

    @property
    def _has_room(self) -> bool:
        return len(self.generation.ids) < MAX_COLUMNS

    @property
    def _is_counted_out(self) -> bool:
        return self.is_counted and len(self.generation.steps) >= self.n_watched

    @property
    def can_go_back(self) -> bool:
        """Whether a token was generated."""
        return bool(self.generation.steps)

    @property
    def rests(self) -> bool:
        """Whether the picture that was covered at first is painted."""
        return len(self.generation.steps) == self.n_watched

    @property
    def offers_play(self) -> bool:
        """Whether the picture is not whole: then Next is the way, and Step goes on."""
        return not self.rests

    @property
    def notice(self) -> str | None:
        """Why no token can follow, or what the last rewind cost."""
        if self.generation.finished is not None:
            return WHY_FINISHED[self.generation.finished]
        if not self._has_room:
            return f"The grid ends at {MAX_COLUMNS} columns: go back, or start again."
        return self.generation.notice

    def step(self) -> None:
        """Generates one token."""
        self.moments = ()
        self.generation.step(self.settings)

    def back(self) -> None:
        """Takes the last token back."""
        self._rewind(1)

    def reset(self) -> None:
        """Takes all generated tokens back."""
        self._rewind(len(self.generation.steps))

    def _rewind(self, n_tokens: int) -> None:
        self.moments = ()
        self.generation.rewind(n_tokens)

    def watch(self) -> None:
        """Takes half of the generated tokens back in a copy, and keeps what was seen."""
        self.moments = watch_rewind(self.generation, max(1, len(self.generation.steps) // 2))


class CacheLesson(SteppedLesson[GrowingText]):
    """All that one reader has on the page."""

    @property
    def text(self) -> GrowingText:
        """The text that is stepped through."""
        return self.stepper.steps


def new_stepper(generation: Generation, settings: Settings) -> Stepper[GrowingText]:
    """Returns the buttons over a text."""
    return Stepper(GrowingText(generation, settings), "kv")

"""What the lesson on the causal mask keeps for one reader: a text, and what is measured on it.

A measurement is made when it is first asked for and kept while the text stays; one that cannot be
made leaves its sentence instead.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from model.causal_mask.attention import (
    edit_token,
    next_best,
    read_attention,
    read_leak,
    read_text,
    replacement,
)
from model.causal_mask.losses import losses_in_one_pass
from model.causal_mask.records import AttentionMaps, Edit, Leak, Losses
from model.loading import LanguageModel
from model.tokenizing import encode_within, labels_of_text
from pages.frame.lesson_state import LessonState

MAX_TOKENS = 256  # of a text
MAX_MAPPED = 48  # tokens whose attention can be told apart in a picture
STAYS = "The previous text is shown below."  # where another cannot be taken
MIN_TOKENS = 4  # below that nothing stands before or after anything
MAX_ROWS = 6  # of the triangle: that fit on a phone

Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Unmeasured:
    """Why a measurement was not made, in one sentence."""

    words: str


@dataclass(eq=False)
class MeasuredText:
    """A text and all that was measured on it so far."""

    lm: LanguageModel
    ids: list[int]
    _kept: dict[object, object] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """Visible text of every token."""
        return self.keep("labels", lambda: labels_of_text(self.lm, self.ids))

    @property
    def is_cut(self) -> bool:
        """Whether the maps show only the beginning of the text."""
        return len(self.ids) > MAX_MAPPED

    def maps(self, *, is_masked: bool) -> AttentionMaps | Unmeasured:
        """Returns the attention weights over the beginning of the text."""
        ids = self.ids[:MAX_MAPPED]
        return self._try(
            ("maps", is_masked), lambda: read_attention(self.lm, ids, is_masked=is_masked)
        )

    def edit(self, position: int, typed: str) -> Edit | Unmeasured:
        """Returns what replacing one token moves; nothing typed takes the model's next best."""

        def measure() -> Edit:
            if typed.strip():
                new_ids = replacement(self.lm, self.ids[position], typed)
            else:
                new_ids = [next_best(self.lm, self.ids, position)]
            return edit_token(self.lm, self.ids, position, new_ids)

        return self._try(("edit", position, typed.strip()), measure)

    def echo(self) -> int | None:
        """Returns where the token that the model expects next is in the text already.

        Changing such a token moves the end of the text. None where there is none.
        """

        def find() -> int | None:
            expected = int(read_text(self.lm, self.ids)[0][-1].argmax())
            return self.ids.index(expected, 1) if expected in self.ids[1:-1] else None

        place = self._try("echo", find)
        return None if isinstance(place, Unmeasured) else place

    def leak(self) -> Leak | Unmeasured:
        """Returns the probability of the true next tokens, mask on and mask off."""
        return self._try("leak", lambda: read_leak(self.lm, self.ids))

    def losses(self) -> Losses | Unmeasured:
        """Returns the loss at every position."""
        return self._try("losses", lambda: losses_in_one_pass(self.lm, self.ids))

    def keep(self, key: object, make: Callable[[], Measured]) -> Measured:
        """Returns what was kept under a key, made anew the first time."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: Measured = self._kept[key]  # type: ignore[assignment]  # one maker to a key
        return kept

    def _try(self, key: object, make: Callable[[], Measured]) -> Measured | Unmeasured:
        def attempt() -> Measured | Unmeasured:
            try:
                return make()
            except ValueError as error:
                return Unmeasured(str(error))

        return self.keep(key, attempt)


@dataclass
class MaskLesson(LessonState):
    """All that one reader has on the page."""

    text: MeasuredText
    home_ids: tuple[int, ...] = ()  # the first page's text when this page was opened

    @property
    def opening(self) -> tuple[str, ...]:
        """The text's first tokens, those of the triangle, without the one that begins any text."""
        ids, start_id = self.text.ids, getattr(self.lm.tokenizer, "bos_token_id", None)
        first = int(len(ids) > 1 and ids[0] == start_id)
        return self.text.labels[first : first + MAX_ROWS + 1]

    def read(self, typed: str) -> None:
        """Takes another text; one that cannot be read leaves the one on the page."""
        with self.attempt(STAYS):
            self.take(encode_within(self.lm, typed, MAX_TOKENS))

    def take(self, ids: list[int]) -> None:
        """Takes another text by its ids.

        Raises:
            ValueError: where it is too short or too long; one sentence with the remedy.
        """
        limit = min(MAX_TOKENS, self.lm.context_length or MAX_TOKENS)
        if len(ids) < MIN_TOKENS:
            raise ValueError("The text is too short to have a before and an after: write more.")
        if len(ids) > limit:
            raise ValueError(
                f"The text has {len(ids):,} tokens and this page has room for {limit}: shorten it."
            )
        if ids != self.text.ids:
            for job in self.jobs.values():
                job.stop()
            self.jobs.clear()
            self.text = MeasuredText(self.lm, ids)

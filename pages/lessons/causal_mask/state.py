"""What the lesson on the causal mask keeps for one reader: a text, and what was measured on it.

Knows nothing of Streamlit. A measurement is made when it is first asked for and kept while the text
stays; one that cannot be made leaves its sentence instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from model.causal_mask.attention import (
    edit_token,
    look_at_attention,
    next_best,
    read_leak,
    read_text,
    replacement,
)
from model.causal_mask.losses import StepLoop, losses_in_one_pass
from model.causal_mask.mask_training import MaskTraining
from model.causal_mask.records import AttentionMaps, Edit, Leak, Losses
from model.loading import LanguageModel
from model.tokenizing import encode, label
from pages.frame.slices import SlicedRun

MOST_TOKENS = 256  # of a text
MOST_MAPPED = 48  # tokens whose attention can be told apart in a picture
LEAST_TOKENS = 4  # below that nothing stands before or after anything

Found = TypeVar("Found")


@dataclass(frozen=True)
class Notice:
    """Why a measurement was not made, in one sentence."""

    words: str


@dataclass(eq=False)
class Reading:
    """A text and all that was measured on it so far."""

    lm: LanguageModel
    ids: list[int]
    serial: int = field(default_factory=itertools.count().__next__)  # no other reading has it
    _kept: dict[object, object] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """Visible text of every token."""
        return self.keep(
            "labels",
            lambda: tuple(label(self.lm.tokenizer, i, self.lm.vocab_size) for i in self.ids),
        )

    @property
    def is_cut(self) -> bool:
        """Whether the maps show only the beginning of the text."""
        return len(self.ids) > MOST_MAPPED

    def maps(self, *, is_masked: bool) -> AttentionMaps | Notice:
        """Returns who looks at whom, at the beginning of the text."""
        ids = self.ids[:MOST_MAPPED]
        return self._try(
            ("maps", is_masked), lambda: look_at_attention(self.lm, ids, is_masked=is_masked)
        )

    def edit(self, position: int, typed: str) -> Edit | Notice:
        """Returns what replacing one token moves; nothing typed takes the model's next best."""

        def measure() -> Edit:
            if typed.strip():
                new_ids = replacement(self.lm, self.ids[position], typed)
            else:
                new_ids = [next_best(self.lm, self.ids, position)]
            return edit_token(self.lm, self.ids, position, new_ids)

        return self._try(("edit", position, typed.strip()), measure)

    def echo(self) -> int | None:
        """Returns where the token that the model expects after the text stands in it already.

        Such a word is worth changing: the end of the text speaks of it. None where there is none.
        """

        def find() -> int | None:
            expected = int(read_text(self.lm, self.ids)[0][-1].argmax())
            return self.ids.index(expected, 1) if expected in self.ids[1:-1] else None

        found = self._try("echo", find)
        return None if isinstance(found, Notice) else found

    def leak(self) -> Leak | Notice:
        """Returns the probability of the true next tokens, mask on and mask off."""
        return self._try("leak", lambda: read_leak(self.lm, self.ids))

    def losses(self) -> Losses | Notice:
        """Returns the loss at every position."""
        return self._try("losses", lambda: losses_in_one_pass(self.lm, self.ids))

    def keep(self, key: object, make: Callable[[], Found]) -> Found:
        """Returns what was kept under a key, made anew the first time."""
        if key not in self._kept:
            self._kept[key] = make()
        found: Found = self._kept[key]  # type: ignore[assignment]  # one maker to a key
        return found

    def _try(self, key: object, make: Callable[[], Found]) -> Found | Notice:
        def attempt() -> Found | Notice:
            try:
                return make()
            except ValueError as error:
                return Notice(str(error))

        return self.keep(key, attempt)


@dataclass
class TrainingRun(SlicedRun[MaskTraining]):
    """Two copies in training, in slices of a step or more."""

    def slice(self, seconds: float) -> None:
        """Trains on for about so long; what failed is not taken up again."""
        super().slice(seconds)
        if self.notice:
            self.end()

    def end(self) -> None:
        """Stops, and throws the copies away."""
        self.is_running = False
        self.work.end()


@dataclass
class MaskLesson:
    """All that one reader has on the page."""

    lm: LanguageModel
    reading: Reading
    home_ids: tuple[int, ...] = ()  # the first page's text when this page was opened
    notice: str | None = None  # why a text was not read
    run: SlicedRun[StepLoop] | None = None
    run_notice: str | None = None
    trained: TrainingRun | None = None
    train_notice: str | None = None

    @property
    def is_training(self) -> bool:
        """Whether two copies are being trained."""
        return self.trained is not None and self.trained.is_running

    @property
    def is_running(self) -> bool:
        """Whether the loop of single steps is being run."""
        return self.run is not None and self.run.is_running

    def read(self, text: str) -> None:
        """Takes another text; one that cannot be read leaves the one on the page."""
        try:
            self.take(encode(self.lm, text))
        except ValueError as error:
            self.notice = str(error)

    def take(self, ids: list[int]) -> None:
        """Takes another text by its ids.

        Raises:
            ValueError: where it is too short or too long; one sentence with the remedy.
        """
        most = min(MOST_TOKENS, self.lm.context_length or MOST_TOKENS)
        if len(ids) < LEAST_TOKENS:
            raise ValueError("The text is too short to have a before and an after: write more.")
        if len(ids) > most:
            raise ValueError(
                f"The text has {len(ids):,} tokens and this page has room for {most}: shorten it."
            )
        self.notice = None
        if ids != self.reading.ids:
            self.stop_training()
            self.reading = Reading(self.lm, ids)
            self.run = self.run_notice = self.trained = self.train_notice = None

    def start_loop(self) -> None:
        """Begins the loop of single steps over the text."""
        try:
            self.run = SlicedRun(StepLoop(self.lm, self.reading.ids))
        except ValueError as error:
            self.run_notice = str(error)
        else:
            self.run_notice = None

    def start_training(self) -> None:
        """Begins to train two copies; the text here is what they are measured on."""
        self.stop_training()
        try:
            self.trained = TrainingRun(MaskTraining(self.lm, self.reading.ids))
        except ValueError as error:
            self.train_notice = str(error)
        else:
            self.train_notice = None

    def stop_training(self) -> None:
        """Stops training; what was measured stays."""
        if self.trained is not None:
            self.trained.end()

"""Runs of the lab that take seconds: advanced in slices, so that the page can be stopped anywhere.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.sampling.experiments import (
    Continuation,
    Loop,
    find_loop,
    penalties_against,
    write_continuations,
)
from pages.frame.slices import take

COLD, WARM = Settings(temperature=0), Settings(temperature=0.7)
N_TEXTS = 20
N_VOTE_TOKENS = 8  # enough for the answer and a little of what follows
N_LOOP_TOKENS = 120
PENALTIES: dict[str, float] = {
    "repetition_penalty": 1.3,
    "presence_penalty": 1.0,
    "frequency_penalty": 0.5,
}


@dataclass
class VoteRun:
    """Twenty continuations of one prompt at each of two settings."""

    lm: LanguageModel
    prompt: str
    n_texts: int = N_TEXTS
    n_tokens: int = N_VOTE_TOKENS
    cold: list[Continuation] = field(default_factory=list)
    warm: list[Continuation] = field(default_factory=list)
    is_running: bool = True
    notice: str | None = None  # why it ended early, in one sentence
    seconds: float = 0.0  # of the model's work

    def __post_init__(self) -> None:
        """Read the prompt.

        Raises:
            ValueError: The prompt cannot be used; one sentence with the remedy.
        """
        self.start = Generation(self.lm, self.prompt)
        self._work = self._write()

    @property
    def done(self) -> float:
        """The fraction that is written."""
        return (len(self.cold) + len(self.warm)) / (2 * self.n_texts)

    def slice(self, seconds: float) -> None:
        """Run on for about so long."""
        started = time.perf_counter()
        for _ in take(self, self._work, seconds):
            pass
        self.seconds += time.perf_counter() - started

    def _write(self) -> Iterator[None]:
        # turn by turn, so that both sides grow while somebody looks
        for seed in range(self.n_texts):
            for settings, texts in ((COLD, self.cold), (WARM, self.warm)):
                for made in write_continuations(self.start, settings, 1, self.n_tokens, seed):
                    if made is not None:
                        texts.append(made)
                    yield


@dataclass
class LoopRun:
    """The best token again and again, without and with each penalty."""

    lm: LanguageModel
    prompt: str
    n_tokens: int = N_LOOP_TOKENS
    values: Mapping[str, float] = field(default_factory=lambda: dict(PENALTIES))
    is_running: bool = True
    notice: str | None = None  # why it ended early, in one sentence

    def __post_init__(self) -> None:
        """Read the prompt.

        Raises:
            ValueError: The prompt cannot be used; one sentence with the remedy.
        """
        start = Generation(self.lm, self.prompt)
        self.settings = penalties_against(COLD, self.values)
        self.texts = {name: start.fork() for name in self.settings}
        self._work = self._write()

    @property
    def done(self) -> float:
        """The fraction that is written; a text that has ended counts as whole."""
        written = [1.0 if t.finished else len(t.steps) / self.n_tokens for t in self.texts.values()]
        return sum(written) / len(written)

    def loop_of(self, name: str) -> Loop | None:
        """Return the circle in which a text ends, if any; an end token is no part of it."""
        text = self.texts[name]
        n_end = 1 if text.finished == "eos" else 0
        return find_loop(text.ids[text.n_prompt : len(text.ids) - n_end])

    def slice(self, seconds: float) -> None:
        """Run on for about so long."""
        for _ in take(self, self._work, seconds):
            pass

    def _write(self) -> Iterator[None]:
        for _ in range(self.n_tokens):
            for name, text in self.texts.items():
                if not text.finished:
                    text.step(self.settings[name])
                yield

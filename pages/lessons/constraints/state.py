"""What one reader has in the constraint lesson: a constrained text, and many ways to write it.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from model.constraints.patterns import Kind
from model.constraints.records import ConstrainedText, WayOut
from model.constraints.writing import ConstrainedBeams, ConstrainedWriting, Constraint
from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.sampling.experiments import agreement, vote
from pages.frame.slices import take

MOST_TOKENS = 48  # that are written under a constraint
TEMPERATURES = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)
N_TEXTS = 20
N_BEAMS = 4
KINDS: dict[Kind, str] = {
    "choices": "Choices",
    "pattern": "Pattern",
    "schema": "JSON schema",
}
HINTS: dict[Kind, str] = {
    "choices": "One choice to a line. Spaces count: a choice after a word begins with one.",
    "pattern": "A regular expression that all of what follows has to match.",
    "schema": "A JSON schema that what follows has to satisfy.",
}


@dataclass(frozen=True)
class Wish:
    """What the reader asks for."""

    kind: Kind
    prompt: str
    constraint: str


_SCHEMA = """{
  "type": "object",
  "properties": {
    "name": {"type": "string", "maxLength": 8},
    "mood": {"enum": ["happy", "sad"]}
  },
  "required": ["name", "mood"]
}"""
EXAMPLES: dict[str, Wish] = {
    "Bread or shoes": Wish("choices", "She was hungry, so she ate", " some bread\n her shoes"),
    "Bed or moon": Wish("choices", "She put the book on", " her bed\n the moon"),
    "Elephant or pillow": Wish("choices", "At the zoo the children saw", " an elephant\n a pillow"),
    "A name and an age": Wish(
        "pattern", "The name of the girl was", r" [A-Z][a-z]+\. She was ([1-9]|1[0-9]) years old\."
    ),
    "A girl as JSON": Wish("schema", "Lily was a happy little girl.\n", _SCHEMA),
}
FIRST = "Bread or shoes"


@dataclass
class Writing:
    """A text under a constraint, and whether it goes on by itself."""

    wish: Wish
    writing: ConstrainedWriting
    is_playing: bool = False
    notice: str | None = None  # one sentence

    @property
    def can_step(self) -> bool:
        """Whether another token may follow, and has room."""
        return not self.writing.is_done and len(self.writing.steps) < MOST_TOKENS

    def step(self, temperature: float) -> None:
        """Writes one token."""
        self.notice = None
        try:
            self.writing.step(Settings(temperature=temperature))
        except ValueError as error:
            self.notice = str(error)
        self.is_playing = self.is_playing and self.can_step and self.notice is None

    def back(self) -> None:
        """Takes one token back."""
        self.is_playing, self.notice = False, None
        self.writing.back()

    def reset(self) -> None:
        """Takes all tokens back."""
        self.is_playing, self.notice = False, None
        while self.writing.steps:
            self.writing.back()

    def play(self) -> None:
        """Goes on by itself, or stops."""
        self.is_playing = not self.is_playing and self.can_step


@dataclass
class WaysRun:
    """The same constraint written by argmax, at temperatures, and by a beam, in slices."""

    start: Generation
    constraint: Constraint
    n_texts: int = N_TEXTS
    texts: dict[str, list[ConstrainedText]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    is_running: bool = True
    notice: str | None = None  # why the run stopped, where something failed
    n_done: int = 0

    def __post_init__(self) -> None:
        """Begin nothing yet."""
        self._work = self._write()

    @property
    def done(self) -> float:
        """The fraction that is written."""
        return min(1.0, self.n_done / self.n_all)

    @property
    def n_all(self) -> int:
        """Texts that the run comes to: one by argmax, one by the beam, many at each temperature."""
        return sum(self._n_wanted(temperature) for temperature in _names().values())

    def slice(self, seconds: float) -> None:
        """Write on for about so long."""
        for _ in take(self, self._work, seconds):
            pass

    def ways(self) -> list[WayOut]:
        """Sum up each way that is whole, argmax first; once stopped, what there is of the last."""
        return [
            self._way(name, temperature)
            for name, temperature in _names().items()
            if len(self.texts.get(name, ()))
            >= (self._n_wanted(temperature) if self.is_running else 1)
        ]

    def _n_wanted(self, temperature: float | None) -> int:
        return self.n_texts if temperature else 1  # all others by argmax would be copies

    def _way(self, name: str, temperature: float | None) -> WayOut:
        texts = self.texts[name]
        argmax = self.texts[name_of(0.0)][0]
        whole = [text for text in texts if text.is_complete]
        better = [t for t in whole if t.text != argmax.text and t.logprob > argmax.logprob]
        answers = [text.text for text in texts]
        return WayOut(
            name=name,
            temperature=temperature,
            n_texts=len(texts),
            n_complete=len(whole),
            best=vote(answers)[0][0],
            agreement=agreement(answers) if len(answers) > 1 else 1.0,
            escaped=len(better) / len(texts),
            logprob=sum(text.logprob for text in texts) / len(texts),
            seconds=self.seconds[name],
        )

    def _write(self) -> Iterator[None]:
        for name, temperature in _names().items():
            if temperature is None:
                yield from self._search(name)
                continue
            for seed in range(self._n_wanted(temperature)):
                writing = ConstrainedWriting(self.start.fork(seed=seed), self.constraint)
                started = time.perf_counter()
                while not writing.is_done and len(writing.steps) < MOST_TOKENS:
                    writing.step(Settings(temperature=temperature))
                    yield
                self._note(name, writing.written(name), time.perf_counter() - started)

    def _search(self, name: str) -> Iterator[None]:
        room = _room(self.start)
        search = ConstrainedBeams(self.start, self.constraint, N_BEAMS, room)
        started = time.perf_counter()
        while not search.is_done:
            search.step()
            yield
        best = search.run()[0]
        seconds = time.perf_counter() - started
        least = search.least_mass(best.node_id)
        self._note(name, ConstrainedText(name, best.text, best.total, least, best.ended), seconds)

    def _note(self, name: str, text: ConstrainedText, seconds: float) -> None:
        self.texts.setdefault(name, []).append(text)
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self.n_done += 1


@dataclass
class ConstraintLesson:
    """All that one reader has on the page."""

    lm: LanguageModel
    now: Writing
    ways: WaysRun | None = None


def begin(lm: LanguageModel, wish: Wish) -> Writing:
    """Reads a prompt and compiles a constraint.

    Raises:
        ValueError: One sentence with the remedy.
    """
    constraint = Constraint(lm, wish.kind, wish.constraint)
    return Writing(wish, ConstrainedWriting(Generation(lm, wish.prompt), constraint))


def start_ways(now: Writing) -> WaysRun:
    """Sets up all ways of writing from where the text begins.

    Raises:
        ValueError: One sentence with the remedy.
    """
    text = now.writing.text
    start = Generation(text.lm, text.prompt_ids)
    if start.finished is not None:
        raise ValueError("The prompt leaves no room for a text: shorten it.")
    return WaysRun(start, now.writing.constraint)


def name_of(temperature: float) -> str:
    """Names a way of writing by its temperature."""
    return "argmax" if temperature == 0 else f"T = {temperature:g}"


def _names() -> dict[str, float | None]:
    ways: dict[str, float | None] = {name_of(t): t for t in TEMPERATURES}
    return {**ways, f"{N_BEAMS} beams": None}


def _room(start: Generation) -> int:
    limit = start.lm.context_length
    return MOST_TOKENS if limit is None else min(MOST_TOKENS, limit - len(start.ids))

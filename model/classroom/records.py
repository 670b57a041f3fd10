"""Records of a room: what was asked, what was answered, and the class beside the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["next", "sampler", "choice", "number"]


@dataclass(frozen=True)
class Question:
    """What every phone of a room shows."""

    number: int  # of the room's questions, from 1
    kind: Kind
    words: str  # one sentence
    options: tuple[str, ...]  # what the buttons say
    shares: tuple[float, ...] = ()  # of "sampler": the probability of each option, summing to 1
    may_write: bool = False  # a word of one's own is an answer too; of "number": a number
    closes_at: float | None = None  # on the room's clock, seconds; None: when the teacher closes it


@dataclass(frozen=True)
class Answer:
    """What one phone answered."""

    option: int | None  # index of the button; None where a word was written
    word: str = ""
    confidence: float = 1.0  # in (0, 1]


@dataclass(frozen=True)
class Tally:
    """A question that is over, and how it was answered."""

    question: Question
    counts: tuple[int, ...]  # by option
    words: tuple[tuple[str, int], ...]  # written ones, the most frequent first


@dataclass(frozen=True)
class ClassRow:
    """A token beside what the class and the model gave it."""

    token_id: int
    label: str
    n_votes: int
    class_prob: float
    model_prob: float


@dataclass(frozen=True)
class ClassRound:
    """One position: the class as one predictor beside the model."""

    n_answers: int
    rows: tuple[ClassRow, ...]  # the model's best and what was answered, model's best first


@dataclass(frozen=True)
class ClassScore:
    """What the token that came cost everyone, in bits."""

    token_id: int
    class_bits: float
    model_bits: float
    uniform_bits: float
    best_name: str | None  # of the phone that paid least; None where all stayed without a name
    best_bits: float

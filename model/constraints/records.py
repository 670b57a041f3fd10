"""The records of constrained writing: what a mask left, what a text came to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MaskedToken:
    """One token of a distribution under a constraint."""

    token_id: int
    label: str  # visible text
    prob: float  # by the model alone
    masked_prob: float  # after mask and temperature; 0 where the constraint forbids it
    is_allowed: bool


@dataclass(frozen=True)
class MaskedDistribution:
    """The next token's distribution, and what a constraint leaves of it."""

    tokens: tuple[MaskedToken, ...]  # the likeliest, and the likeliest that are allowed; by prob
    mass: float  # probability of all that is allowed; the rest is thrown away
    n_allowed: int
    n_vocab: int


@dataclass(frozen=True)
class ConstrainedStep:
    """One token that was written under a constraint."""

    token_id: int
    label: str
    prob: float  # by the model alone
    masked_prob: float  # as it was drawn
    mass: float  # probability of all that was allowed there
    n_allowed: int
    wanted: str  # the model's own best token, had it been free
    wanted_prob: float


@dataclass(frozen=True)
class ConstrainedText:
    """A text under a constraint, and how well the model likes it."""

    name: str  # how it was written: "argmax", "T = 0.2", "beam search, 4 beams"
    text: str
    logprob: float  # nats, of all its tokens by the model alone
    least_mass: float  # the tightest corner on its way: probability of all that was allowed there
    is_complete: bool  # it satisfies the constraint; else the limit on length came first


@dataclass(frozen=True)
class WayOut:
    """Many texts that were written in one way."""

    name: str
    temperature: float | None  # None for a search
    n_texts: int
    n_complete: int  # that satisfy the constraint; the others came to the limit on length
    best: str  # the answer that came most often
    agreement: float  # chance that two of the texts are the same; 1 where there is but one
    escaped: float  # fraction that is complete and likelier than argmax's text
    logprob: float  # nats, mean
    seconds: float

"""The records of constrained decoding: what a mask left, what a decoding method generated."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MaskedToken:
    """One token of a distribution under a constraint."""

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
    """One token that was generated under a constraint."""

    label: str
    prob: float  # by the model alone
    mass: float  # probability of all that was allowed there
    wanted: str  # the model's own best token, had it been free
    wanted_prob: float


@dataclass(frozen=True)
class ConstrainedText:
    """A text that was generated under a constraint."""

    text: str
    logprob: float  # nats, of all its tokens by the model alone
    is_complete: bool  # it satisfies the constraint; else the limit on length came first


@dataclass(frozen=True)
class MethodResult:
    """What one decoding method generated under a constraint."""

    name: str  # "argmax", "T = 0.2", "4 beams"
    temperature: float | None  # None for a beam search
    n_texts: int
    n_complete: int  # that satisfy the constraint; the others came to the limit on length
    most_common: str  # text
    agreement: float  # chance that two of the texts are the same; 1 where there is but one
    escape_rate: float  # fraction that is complete and likelier than argmax's text
    logprob: float  # nats, mean
    seconds: float  # of all texts

"""Records of what is measured on one wrong token, on long texts and on contexts.

Frozen, numpy only; arrays are read-only by convention. Log-probabilities and divergences are of the
raw softmax at temperature 1, in nats, unless a comment says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Side:
    """One token of one of the two texts."""

    token_id: int
    label: str  # visible text
    logprob: float  # nats


@dataclass(frozen=True)
class ForkStep:
    """One position of both texts; a side that has ended is None."""

    position: int  # index in ids
    right: Side | None  # the text as it was
    wrong: Side | None  # the text with the wrong token
    kl: float | None  # nats, KL(right || wrong) of what each expected here; None after an end

    @property
    def is_same(self) -> bool:
        """Whether both sides wrote the same token here."""
        return (
            self.right is not None
            and self.wrong is not None
            and self.right.token_id == self.wrong.token_id
        )


@dataclass(frozen=True)
class Option:
    """A token that could be forced at a place."""

    token_id: int
    label: str  # visible text
    rank: int  # 1 is the best
    prob: float  # raw, at temperature 1


@dataclass(frozen=True, eq=False)
class Forks:
    """The same slip in many texts. Rows are texts, columns are tokens after the forced one."""

    n_before: int  # tokens of each text before the forced one
    rank: int  # of the forced token, 1 is the best
    forced_logprob: Floats  # (texts,) of the wrong token
    same: Bools  # (texts, tokens) both sides wrote the same token
    kl: Floats  # (texts, tokens) nats; NaN once a side has ended
    right: Floats  # (texts, tokens) log-probability of the token that the untouched text wrote
    wrong: Floats  # (texts, tokens) that of the other text

    @property
    def n_texts(self) -> int:
        """How many texts were forked."""
        return len(self.same)


@dataclass(frozen=True, eq=False)
class Compounding:
    """Unlikely tokens after a wrong one and without it, beside what (1 - e)^n would have."""

    threshold: float  # a token below this probability counts as a slip
    rate: float  # e: slips per token in the untouched texts
    predicted: Floats  # (tokens,) (1 - e)^n
    right: Floats  # (tokens,) share of untouched texts without a slip so far
    wrong: Floats  # (tokens,) share of the others without a slip so far, the forced one left out
    right_slips: float  # mean number of slips per untouched text
    wrong_slips: float  # mean number per text with the wrong token
    difference: float  # mean of the paired differences
    half_width: float  # of its 95 % interval
    early: tuple[float, float]  # slips per token in the first EARLY tokens, untouched and wrong
    late: tuple[float, float]  # after them


@dataclass(frozen=True, eq=False)
class Exposure:
    """Teacher forcing against free running. Rows are stories, columns are positions."""

    writer: str
    judge: str
    n_prompt: int  # true tokens that both begin with
    temperature: float  # at which the writer draws
    true_text: Floats  # (stories, tokens) surprise of the judge at the story's own token
    forced: Floats  # (stories, tokens) expected surprise of the judge at a draw after true tokens
    free: Floats  # (stories, tokens) the same after the writer's own tokens; NaN after an end
    writer_loss: Floats  # (stories, tokens) surprise of the writer at the story's own token
    writer_loss_free: Floats  # (stories, tokens) the same after the writer's own tokens
    kl_forced: Floats  # (stories, tokens) KL(judge || writer) after true tokens
    kl_free: Floats  # (stories, tokens) the same after the writer's own; NaN after an end


@dataclass(frozen=True)
class Estimate:
    """A mean with its uncertainty."""

    mean: float
    half_width: float  # of the 95 % interval
    spread: float  # standard deviation between texts
    n: int


@dataclass(frozen=True)
class Version:
    """One text of the experiment on when a constraint comes."""

    given: str  # what it began with
    before: str  # what the model wrote first
    put_in: str  # the constraint, where it came late; else empty
    after: str  # what the model wrote then


@dataclass(frozen=True, eq=False)
class Constraint:
    """A constraint put in before the first token, after m tokens, and not at all."""

    n_before: int  # m
    reached: Mapping[str, Floats]  # version -> (tokens,) share of texts that have met it so far
    n_same: int  # of the first m tokens of all texts, how many were those of the free texts
    n_first: int  # how many first m tokens there were
    examples: Mapping[str, Version]  # version -> its first text


@dataclass(frozen=True)
class SecondChoice:
    """One way to deal with a bad token, and what it took."""

    name: str
    n_thrown: int  # tokens taken back
    n_passes: int  # of the model, from the bad token on
    seconds: float  # of those passes
    surprise: float  # nats per token after the bad place
    distinct: float  # share of the pairs of neighbours after the bad place that differ
    text: str  # from the bad place on
    is_restored: bool  # the same tokens as if the bad one had never been


@dataclass(frozen=True, eq=False)
class LongTexts:
    """Texts out to a length: surprise and repeats at each position."""

    names: tuple[str, ...]  # of the kinds of text
    kinds: tuple[int, ...]  # for each text, the index of its kind
    surprise: Floats  # (texts, tokens) nats; NaN beyond a text's end
    repeated: Floats  # (texts, tokens) 1 where the last four tokens stood in the text before
    endings: tuple[str, ...]  # for each kind, how its first text ends


@dataclass(frozen=True, eq=False)
class ContextLoss:
    """The same tokens, predicted from more and more of what stands before them."""

    contexts: tuple[int, ...]  # tokens that the model saw
    losses: Mapping[str, Floats]  # model -> (targets, contexts) nats; NaN where not measured yet
    n_parameters: Mapping[str, int]

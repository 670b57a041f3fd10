"""Records of what is measured on one text under the causal mask and without it.

Frozen, numpy only; arrays are read-only by convention. Log-probabilities, losses and divergences
are of the raw softmax at temperature 1, in nats.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class AttentionMaps:
    """The attention weights of every layer and head over one text."""

    weights: Weights  # (layers, heads, tokens, tokens); a row reads, its columns are read, sum 1
    layers: tuple[int, ...]  # number of each layer in the model, from 1: some have no attention
    labels: tuple[str, ...]  # visible text of every token
    is_masked: bool  # whether the model's causal mask was on

    @property
    def largest_ahead(self) -> float:
        """The largest weight, in any head, on a position that comes later."""
        return float(np.triu(self.weights, 1).max())

    @property
    def share_ahead(self) -> float:
        """The mean share of a position's attention that goes to later ones, the last left out."""
        ahead = np.triu(self.weights, 1).sum(axis=-1)[..., :-1]
        return float(ahead.mean()) if ahead.size else 0.0

    @property
    def sharpest(self) -> tuple[int, int]:
        """Layer and head, as indices, of the largest weight on one earlier token but the first.

        The first token is left out as many heads rest there, where they have nothing to look for.
        """
        n_tokens = len(self.labels)
        earlier = np.tril(np.ones((n_tokens, n_tokens), dtype=bool), -1)
        earlier[:, 0] = False
        peaks = np.where(earlier, self.weights, 0.0).max(axis=-1).mean(axis=-1)
        layer, head = np.unravel_index(int(peaks.argmax()), peaks.shape)
        return int(layer), int(head)


@dataclass(frozen=True)
class Shift:
    """A token that may come next, before an edit and after it."""

    label: str  # visible text
    before: float  # probability
    after: float  # probability


@dataclass(frozen=True, eq=False)
class Edit:
    """One token of a text replaced, and how far what the model says at each position moved.

    Position i stands for token i of the text as it was: before the edited token both texts are the
    same, at it and after it the positions are matched by the tokens that follow.
    """

    labels: tuple[str, ...]  # visible text of every token, as it was
    position: int  # of the edited token
    old: str  # visible text of it
    new: str  # visible text of what stands there now
    changes: Floats  # (tokens,) largest change of any logit at this position, mask on
    unmasked_changes: Floats | None  # the same, mask off; None where it cannot be taken off
    kl: Floats  # (tokens,) KL(before || after), mask on
    shifts: tuple[Shift, ...]  # the best tokens to follow the whole text, likeliest before first

    @property
    def largest_before(self) -> float:
        """The largest change of any logit at a position before the edited token."""
        return float(self.changes[: self.position].max(initial=0.0))

    @property
    def largest_unmasked_before(self) -> float | None:
        """The same without the mask; None where it cannot be taken off."""
        if self.unmasked_changes is None:
            return None
        return float(self.unmasked_changes[: self.position].max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Leak:
    """The probability of the true next token at every position, mask on and mask off."""

    labels: tuple[str, ...]  # (tokens - 1,) the true next token of positions 0, 1, ...
    masked: Floats  # (tokens - 1,) its log-probability, mask on
    unmasked: Floats  # (tokens - 1,) its log-probability, mask off

    @property
    def largest(self) -> int:
        """Where the probability gained most."""
        return int(np.argmax(np.exp(self.unmasked) - np.exp(self.masked)))

    @property
    def hard(self) -> npt.NDArray[np.bool_]:
        """(tokens - 1,) whether the mask left the true next token less than a half."""
        is_hard: npt.NDArray[np.bool_] = np.exp(self.masked) < 0.5
        return is_hard

    @property
    def n_gained(self) -> int:
        """Positions at which the true next token became likelier."""
        return int(np.count_nonzero(self.unmasked > self.masked))


@dataclass(frozen=True, eq=False)
class Losses:
    """The loss at every position of a text: how unlikely each token was, given those before it."""

    labels: tuple[str, ...]  # (tokens - 1,) visible text of each token that was predicted
    texts: tuple[str, ...]  # (tokens - 1,) the characters that each completes
    losses: Floats  # (tokens - 1,) minus log-probability, in nats
    ranks: npt.NDArray[np.int64]  # (tokens - 1,) 1 where the token was the model's best
    first: str  # characters of the first token, which nothing predicts; "" for a special one
    n_bytes: int  # of the tokens that were predicted

    @property
    def mean(self) -> float:
        """Nats per token: what training lowers."""
        return float(self.losses.mean())

    @property
    def bits_per_byte(self) -> float:
        """The same per byte of text, which tokenizers cannot flatter."""
        return float(self.losses.sum()) / math.log(2) / self.n_bytes if self.n_bytes else math.nan


@dataclass(frozen=True, eq=False)
class ParallelCheck:
    """One parallel pass against a loop of single steps over the same tokens."""

    losses: Floats  # (steps,) of the loop, nats
    gap: float  # nats, largest difference of a loss
    pass_seconds: float  # median of the parallel passes
    n_passes: int  # parallel passes that were timed, before, amid and after the loop
    loop_seconds: float  # of all single steps

    @property
    def ratio(self) -> float:
        """The seconds of the loop over those of the single pass."""
        return self.loop_seconds / self.pass_seconds


@dataclass(frozen=True)
class TrainingMoment:
    """Two copies of a model after some steps of training, one with the mask and one without.

    Losses are means over a text that neither was trained on, in nats per token.
    """

    n_steps: int
    masked: float  # of the copy trained with the mask, read with it
    unmasked: float  # of the copy trained without, read without: the answers are in sight
    writing: float  # of the copy trained without, read with the mask: as when it has to write

"""What a denoising pass, a fill and an encoder-decoder leave behind, for those who draw it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from model.records import FloatArray, IntArray

CLASH = 0.01  # probability below which the model, knowing all the rest, would not write a token

Order: TypeAlias = Literal["confidence", "random", "left to right"]


@dataclass(frozen=True)
class PassPlan:
    """What one pass may do: how many positions it fills, and in which block."""

    start: int  # first position of the block, counted from the first position to fill
    end: int  # one past its last
    n_commit: int  # positions that this pass fills


@dataclass(frozen=True, eq=False)
class DenoisePass:
    """One pass over the whole sequence; arrays run over the positions to fill, from 0."""

    number: int  # the first pass is 1
    confidence: FloatArray  # (length,) probability of the proposal; NaN where filled before
    proposal_ids: IntArray  # (length,) token proposed, or the one that stands there already
    committed: tuple[int, ...]  # positions that this pass filled, in the order it chose them
    seconds: float  # of the model alone, device synchronised


@dataclass(frozen=True, eq=False)
class Sheet:
    """A sequence as it stands after some passes: what a grid of tokens shows."""

    labels: tuple[str, ...]  # (n,) given tokens, filled ones, and what is proposed where open
    given: tuple[bool, ...]  # (n,) whether the reader wrote it
    filled_in: tuple[int, ...]  # (n,) number of the pass that filled it; 0 where given or open
    confidence: FloatArray  # (n,) when it was filled, or of the proposal; NaN where unknown
    n_passes: int  # passes so far
    n_planned: int  # passes in all
    leave_one_out: FloatArray | None = None  # (n,) probability given all the rest; NaN: given

    @property
    def n_open(self) -> int:
        """Positions that are still masked."""
        states = zip(self.given, self.filled_in, strict=True)
        return sum(not given and number == 0 for given, number in states)

    @property
    def n_clashes(self) -> int | None:
        """Tokens that all the others leave little probability; None where that is unknown."""
        return None if self.leave_one_out is None else int((self.leave_one_out < CLASH).sum())

    @property
    def clashing_pair(self) -> int | None:
        """The first of two neighbours that both clash, and that one pass filled."""
        if self.leave_one_out is None:
            return None
        clashes = self.leave_one_out < CLASH
        places = range(len(self.labels) - 1)
        both = (i for i in places if clashes[i] and clashes[i + 1])
        return next((i for i in both if self.filled_in[i] == self.filled_in[i + 1]), None)


@dataclass(frozen=True, eq=False)
class DenoiseHistory:
    """All passes of a fill as a matrix: one row for each pass, one column for each position."""

    confidence: FloatArray  # (passes, length) of the proposal; NaN where filled before
    filled_in: IntArray  # (length,) number of the pass that filled it; 0 where open
    proposals: tuple[tuple[str, ...], ...]  # (passes, length) labels
    labels: tuple[str, ...]  # (length,) as they stand now
    n_planned: int  # passes in all


@dataclass(frozen=True)
class Clashes:
    """How well the tokens of a fill fit each other; what cannot be told is None."""

    logprob: float  # nats for each filled token, by a causal judge, given all before it
    ending_logprob: float | None  # nats for each token of the given ending, by the same judge
    n_doubled: int  # filled tokens equal to the one before them
    repeated: float  # 1 - different pairs of neighbours / all of them, within the fill
    n_clashes: int | None  # filled tokens with a leave-one-out probability below CLASH
    n_names: int  # different names in the filled part
    agreement: float | None  # share of its names that the given text knows as well


@dataclass(frozen=True, eq=False)
class DecodingRun:
    """A text of so many tokens, decoded in one way: what it took and what came out."""

    name: str  # of the way, or of what was given
    n_tokens: int
    pass_seconds: tuple[float, ...]  # of each pass, of the model alone, in the order they ran
    text: str  # without what was given
    clashes: Clashes
    left_first: float | None = 1.0  # of pairs from different passes, the share with the left first
    sheet: Sheet | None = None  # of a page, leave-one-out probabilities included

    @property
    def n_passes(self) -> int:
        """Passes of the model, one after another."""
        return len(self.pass_seconds)

    @property
    def seconds(self) -> float:
        """Seconds of all passes."""
        return sum(self.pass_seconds)


@dataclass(frozen=True)
class Sweep:
    """Fills of one length in few passes and in many."""

    fills: tuple[DecodingRun, ...]
    loop: DecodingRun  # the judge's own text of the same length, one token a pass

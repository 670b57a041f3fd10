"""Records of the two phases: what was timed, on what, and what bounds it.

Seconds are seconds, bytes are bytes, rates are per second. Knows numpy's neighbours and nothing of
ours: what is drawn never has to know how it was measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from typing import Literal, TypeAlias

from model.records import Machine, Trial

BoundBy: TypeAlias = Literal["memory", "compute", "overhead"]
_AT_MOST = 1.1  # of a pass's time: two measurements of one thing may lie so far apart


@dataclass(frozen=True)
class Timed:
    """The runs of one thing: the middle one counts, the others say how sure it is."""

    seconds: tuple[float, ...]  # one for each run, at least one

    @property
    def median(self) -> float:
        """The middle run, seconds."""
        return median(self.seconds)

    @property
    def low(self) -> float:
        """The quickest run, seconds."""
        return min(self.seconds)

    @property
    def high(self) -> float:
        """The slowest run, seconds."""
        return max(self.seconds)

    @property
    def n(self) -> int:
        """How many runs."""
        return len(self.seconds)


@dataclass(frozen=True)
class RequestTiming:
    """One answer as its reader waits for it: a prompt in, tokens out, one after another."""

    n_in: int  # tokens of the prompt
    first_seconds: float  # from the request to the first token (TTFT)
    gaps: tuple[float, ...]  # seconds from each token to the next (ITL)
    token_ids: tuple[int, ...] = ()

    @property
    def n_out(self) -> int:
        """Tokens handed over."""
        return 1 + len(self.gaps)

    @property
    def arrivals(self) -> tuple[float, ...]:
        """Seconds from the request to each token."""
        return tuple(accumulate(self.gaps, initial=self.first_seconds))

    @property
    def seconds(self) -> float:
        """From the request to the last token."""
        return self.first_seconds + sum(self.gaps)

    @property
    def per_output(self) -> float | None:
        """Seconds per output token after the first (TPOT); None for a single token."""
        return sum(self.gaps) / len(self.gaps) if self.gaps else None


@dataclass(frozen=True)
class Reading:
    """Prompts of one length, each read in one pass."""

    n_tokens: int
    seconds: Timed


@dataclass(frozen=True)
class PhaseRun:
    """Both phases on one model: prompts of many lengths, and two requests that swap in and out."""

    machine: Machine
    engine: str  # which decode step ran
    warmup: tuple[float, ...]  # seconds of the first passes, which count for nothing else
    readings: tuple[Reading, ...]  # shortest first
    long_in: tuple[RequestTiming, ...]  # much to read, little to write; one per round
    long_out: tuple[RequestTiming, ...]  # little to read, much to write; one per round
    trials: tuple[Trial, ...] = ()  # of the engine, where it chose between ways

    @property
    def has_both_phases(self) -> bool:
        """Whether a prompt was read, and a token written after another."""
        return bool(self.readings) and any(request.gaps for request in self.long_out)


@dataclass(frozen=True)
class Ceilings:
    """What a device reaches when it does one thing alone; the best of several runs each."""

    copy: float  # bytes/s read and written by a copy in memory
    read: float  # bytes/s of a matrix that meets one vector
    matmul: float  # FLOP/s of large matrices
    floors: Mapping[str, float]  # engine -> seconds of a step that has almost no numbers in it
    spread: float  # largest (median - best) / best of the three: how quiet the machine was
    n_runs: int
    buffer_bytes: int  # of what was copied

    @property
    def ridge(self) -> float:
        """FLOPs per byte at which arithmetic takes as long as the copy."""
        return self.matmul / self.copy


@dataclass(frozen=True)
class RoofPoint:
    """One kind of pass: how long it takes, what it computes, what it has to read."""

    phase: Literal["prefill", "decode"]
    engine: str
    n_batch: int
    n_input: int  # tokens of each sequence that go in
    n_past: int  # tokens of each sequence in the cache
    seconds: Timed
    flops: int  # attention counted causally
    weight_bytes: int  # each weight once
    cache_bytes: int  # keys and values of all positions once

    @property
    def n_bytes(self) -> int:
        """All that has to be read at least."""
        return self.weight_bytes + self.cache_bytes

    @property
    def intensity(self) -> float:
        """FLOPs for each byte read."""
        return self.flops / self.n_bytes

    @property
    def flops_per_second(self) -> float:
        """Arithmetic that was achieved."""
        return self.flops / self.seconds.median

    @property
    def bytes_per_second(self) -> float:
        """Reading that was achieved."""
        return self.n_bytes / self.seconds.median

    @property
    def tokens_per_second(self) -> float:
        """Tokens that went through, of all sequences together."""
        return self.n_batch * self.n_input / self.seconds.median

    def mbu(self, ceilings: Ceilings) -> float:
        """Returns the fraction of the copy bandwidth that the reading reaches."""
        return self.bytes_per_second / ceilings.copy

    def mfu(self, ceilings: Ceilings) -> float:
        """Returns the fraction of the matrix rate that the arithmetic reaches."""
        return self.flops_per_second / ceilings.matmul

    def floors(self, ceilings: Ceilings) -> dict[BoundBy, float]:
        """Returns the seconds that each ceiling alone would ask of this pass.

        A floor is the least that a pass can take, so memory's is by the quicker of both bandwidths.
        One that the pass undercut is refuted by it and left out: its ceiling was measured while the
        machine was busier, or the weights lay in a cache.
        """
        asked: dict[BoundBy, float] = {
            "memory": self.n_bytes / max(ceilings.copy, ceilings.read),
            "compute": self.flops / ceilings.matmul,
        }
        if self.engine in ceilings.floors:
            asked["overhead"] = ceilings.floors[self.engine]
        most = _AT_MOST * self.seconds.median
        return {name: seconds for name, seconds in asked.items() if seconds <= most}

    def bound(self, ceilings: Ceilings) -> BoundBy | None:
        """Names the ceiling that asks most of this pass; None where it undercut all of them."""
        floors = self.floors(ceilings)
        return max(floors, key=lambda name: floors[name], default=None)


@dataclass(frozen=True)
class Roofline:
    """A device's ceilings and the passes below them, from one run."""

    machine: Machine
    ceilings: Ceilings
    points: tuple[RoofPoint, ...]
    left_out: tuple[str, ...] = ()  # what failed on the way, one sentence each


@dataclass(frozen=True)
class BatchRun:
    """Decode steps over more and more sequences at once."""

    machine: Machine
    copy: float  # bytes/s by a copy in memory, measured in the same run
    points: tuple[RoofPoint, ...]  # smallest batch first
    refused: str | None = None  # why larger batches were not run


@dataclass(frozen=True)
class PaddedWay:
    """One way to run prompts of different lengths together, against each prompt alone."""

    name: str
    gaps: tuple[float, ...]  # of each prompt: largest absolute difference of its logits
    same_best: tuple[bool, ...]  # of each prompt: the best token is the one it has alone


@dataclass(frozen=True)
class Padding:
    """Prompts of different lengths in one batch, filled up on the left."""

    labels: tuple[tuple[str, ...], ...]  # visible tokens of each prompt, without the padding
    n_columns: int  # tokens of the longest
    scale: float  # largest absolute logit of the prompts alone
    ways: tuple[PaddedWay, ...]  # the right way first


@dataclass(frozen=True)
class Prices:
    """What tokens cost on a machine that is paid by the hour."""

    per_million_in: float
    per_million_out: float
    n_batch: int  # sequences that shared each decode step

    @property
    def ratio(self) -> float:
        """How many input tokens one output token costs."""
        return self.per_million_out / self.per_million_in


@dataclass(frozen=True)
class Energy:
    """What a GPU counted, what it uses when it idles included."""

    engine: str  # which decode step ran
    joules_in: float  # of a token that is read
    joules_out: float  # of a token that is written

    @property
    def ratio(self) -> float:
        """How many input tokens one output token takes."""
        return self.joules_out / self.joules_in


@dataclass(frozen=True)
class ScoredAnswer:
    """One possible answer, and how likely the model finds it after the prompt."""

    text: str
    share: float  # among the choices, by log-probability per token


@dataclass(frozen=True)
class Scoring:
    """One answer picked by one parallel pass, beside an answer that was written."""

    choices: tuple[ScoredAnswer, ...]
    n_prompt: int
    score_seconds: Timed  # one pass over prompt and all choices
    vector_seconds: Timed  # one pass over the prompt for one vector
    vector_size: int
    written: RequestTiming
    written_text: str

"""What a run of many requests leaves: its passes, the state of each request in them, its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

ONE_READ = 1e-3  # seconds: tokens that a client has closer together were read in one go
# of a request in a pass; "" before it arrives and after it is done
State: TypeAlias = Literal["", "waiting", "prefill", "decode", "stalled", "held"]


@dataclass(frozen=True)
class Request:
    """What a reader asks for."""

    prompt_ids: tuple[int, ...]
    n_out: int  # tokens to write; fewer where the model ends its text
    arrives: float = 0.0  # seconds


@dataclass(frozen=True)
class Policy:
    """How requests share the model."""

    name: str
    n_slots: int  # requests that are in memory together
    is_continuous: bool = True  # a request that is done leaves at once, and the next takes its slot
    chunk: int = 0  # tokens of a prompt that one pass reads; 0 for all of them
    n_blocks: int = 0  # of memory; 0 for as many as are needed
    shares_prefix: bool = False  # full blocks with the same tokens from the start are stored once
    is_remote: bool = False  # a server's, whose passes nobody sees from here


@dataclass(frozen=True)
class EnginePass:
    """One pass of the model, and what each request was doing meanwhile."""

    started: float  # seconds on the engine's clock
    seconds: float
    states: tuple[State, ...]  # one for each request
    lengths: tuple[int, ...]  # positions that each has in the cache after it

    @property
    def ended(self) -> float:
        """Where the clock stood after it."""
        return self.started + self.seconds


@dataclass(frozen=True)
class Output:
    """What a request got."""

    token_ids: tuple[int, ...]
    times: tuple[float, ...]  # of each token, seconds on the engine's clock
    n_preempted: int  # how often it was put out of memory and read again


def read_alone(times: Sequence[float]) -> npt.NDArray[np.bool_]:
    """Tells which tokens a client read as they came.

    A busy client reads several in one go: when they came it does not know.
    """
    is_close: npt.NDArray[np.bool_] = np.zeros(len(times) + 1, dtype=np.bool_)
    is_close[1:-1] = np.diff(times) < ONE_READ
    return ~(is_close[:-1] | is_close[1:])


@dataclass(frozen=True)
class ServingRun:
    """All requests under one policy, as far as it went."""

    policy: Policy
    requests: tuple[Request, ...]
    passes: tuple[EnginePass, ...]
    outputs: tuple[Output, ...]

    @property
    def first_seconds(self) -> list[float]:
        """Times to first token, from the arrival to the token, of the requests that have one.

        Of a server's, those that were measured.
        """
        pairs = zip(self.requests, self.outputs, strict=True)
        return [
            output.times[0] - request.arrives
            for request, output in pairs
            if output.times and self._measured(output)[0]
        ]

    @property
    def gaps(self) -> list[float]:
        """Inter-token latencies: every gap between two tokens of a request, if measured."""
        return [
            float(gap)
            for output in self.outputs
            for known in [self._measured(output)]
            for gap in np.diff(output.times)[known[:-1] & known[1:]]
        ]

    @property
    def n_gaps(self) -> int:
        """Gaps between two tokens of a request, measured or not."""
        return sum(max(0, len(output.times) - 1) for output in self.outputs)

    def _measured(self, output: Output) -> npt.NDArray[np.bool_]:
        """Tells of which tokens the time is known."""
        if self.policy.is_remote:
            return read_alone(output.times)
        return np.ones(len(output.times), dtype=np.bool_)

    @property
    def n_tokens(self) -> int:
        """Tokens that were written."""
        return sum(len(output.token_ids) for output in self.outputs)

    @property
    def n_preempted(self) -> int:
        """How often a request was put out of memory."""
        return sum(output.n_preempted for output in self.outputs)

    @property
    def tokens_per_second(self) -> float:
        """Tokens written, over the time from the first arrival to the end of the last pass."""
        started = min(request.arrives for request in self.requests)
        return self.n_tokens / (self.passes[-1].ended - started)


@dataclass(frozen=True)
class Comparison:
    """The same requests under several policies, and each request alone."""

    runs: tuple[ServingRun, ...]  # those that began
    alone: ServingRun | None  # one request at a time; None while it has not ended
    n_same: int = 0  # requests, over all runs, whose tokens are those that they get alone


@dataclass(frozen=True)
class ServerMoment:
    """What a server says of itself at one moment."""

    seconds: float  # since the first request
    n_running: int  # requests in its batch, of all its readers
    n_waiting: int
    cache_share: float  # of its key-value cache that is in use


@dataclass(frozen=True)
class ServerRun:
    """Requests that a server ran together, then one at a time, as a client sees them."""

    comparison: Comparison
    moments: tuple[ServerMoment, ...]  # while they ran together
    n_asked: int = 0  # prompt tokens that the server looked up in its prefix cache
    n_hit: int = 0  # of them, those that were there


@dataclass(frozen=True)
class BlockMemory:
    """What a cache takes at one moment, in blocks; derived from the lengths of the texts."""

    lengths: tuple[int, ...]  # positions of each request
    n_common: tuple[int, ...]  # blocks at the start of each that a request above it has as well
    block: int  # positions
    n_reserved: int  # positions, were the whole context set aside for each request

    @property
    def n_blocks(self) -> int:
        """Blocks, where each request has its own."""
        return sum(-(-length // self.block) for length in self.lengths)

    @property
    def n_shared(self) -> int:
        """Blocks, where a common start is stored once."""
        return self.n_blocks - sum(self.n_common)

"""The frozen records that cross from the computing side to the drawing side.

This module is the seam of the house: it knows numpy and nothing of ours, so that what draws never
has to know how a number was made. Arrays inside a record are read-only by convention: nobody who
receives one writes to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.integer]

Phase: TypeAlias = Literal["prefill", "decode"]
Finish: TypeAlias = Literal["eos", "stop", "length"]
ModelKind: TypeAlias = Literal["causal", "masked", "seq2seq"]  # what a model does

MIROSTAT_RATE = 0.1  # share of a token's error by which mu moves: llama.cpp's `mirostat_eta`


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage of the sampling pipeline: the distribution as it stands after it.

    Membership is read from `kept`, never from `probs > 0`: a kept token may underflow to zero.
    """

    name: str  # "raw", or the name of the Settings field that made it ("temperature", "top_p", ...)
    n_vocab: int
    order: IntArray  # (kept,) ids that may still be drawn, best first, ties by id
    best_scores: FloatArray  # (kept,) float64, in that order
    best_probs: FloatArray  # (kept,) float64, in that order, softmax of the scores, sums to 1
    removed_mass: float  # probability that this stage removed, of the distribution it was given
    entropy: float  # nats, of the probabilities
    boundary_id: int | None  # the kept token with the lowest score, where the stage cut; else None

    @cached_property
    def scores(self) -> FloatArray:
        """Scores by id, (vocab,) float64, -inf where the token is masked out."""
        return self._by_id(self.best_scores, -np.inf)

    @cached_property
    def probs(self) -> FloatArray:
        """Probabilities by id, (vocab,) float64."""
        return self._by_id(self.best_probs, 0.0)

    @cached_property
    def kept(self) -> BoolArray:
        """Which tokens may still be drawn, (vocab,)."""
        return self._by_id(True, False)

    def of(self, ids: Sequence[int]) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Returns `scores`, `probs` and `kept` of a few tokens, for less than those of all."""
        places = self._by_id(np.arange(self.order.size), -1)[ids]
        kept = places >= 0
        scores = np.where(kept, self.best_scores[places], -np.inf)
        return scores, np.where(kept, self.best_probs[places], 0.0), kept

    def _by_id(self, best: Any, otherwise: float) -> npt.NDArray[Any]:
        """Spreads what is known of the kept tokens over the whole vocabulary."""
        spread = np.full(self.n_vocab, otherwise)
        spread[self.order] = best
        return spread


@dataclass(frozen=True)
class Memory:
    """What mirostat remembers of the tokens before: the surprise that it lets pass now."""

    target: float = 0.0  # bits of surprise that a token is to have on average; 0 where it is off
    mu: float = 0.0  # bits: a token with more surprise is masked

    def under(self, target: float) -> Memory:
        """Returns what holds for the next token; another target begins anew, at twice as much."""
        return self if target == self.target else Memory(target, 2 * target)

    def after(self, prob: float) -> Memory:
        """Returns what holds after a draw: mu moves against the error of its surprise.

        Args:
            prob: of the token among those that it was drawn from.
        """
        if not self.target:
            return self
        error = -math.log2(prob) - self.target
        return Memory(self.target, self.mu - MIROSTAT_RATE * error)


NO_MEMORY = Memory()


@dataclass(frozen=True)
class Candidate:
    """One row of a step's table: a token and what every stage made of it."""

    token_id: int
    label: str  # visible text: spaces, newlines and bytes shown
    logit: float  # raw
    probs: tuple[float, ...]  # after each stage, "raw" first
    kept: tuple[bool, ...]  # after each stage, "raw" first


@dataclass(frozen=True, eq=False)
class Distribution:
    """The raw logits of one position, cut to what is worth keeping.

    Exact where `n_tail` is 0. Otherwise the best tokens are held one by one and the rest as a
    histogram, which suffices to normalise the best ones at any temperature. Its first bin is the
    best token of the tail alone: no other of them is better.
    """

    n_vocab: int
    ids: IntArray | None  # (kept,) int32, logit descending, ties by id; None: all, in id order
    logits: FloatArray  # (kept,) float32, raw
    # of the tail, (bins,), empty when exact: tokens, mean logit and variance of the logits
    tail_counts: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tail_logits: FloatArray = field(default_factory=lambda: np.zeros(0))  # float64
    tail_variances: FloatArray = field(default_factory=lambda: np.zeros(0))  # float64
    n_unsent: int = 0  # of the tail, that a server left out: they share the rest of the mass evenly

    @property
    def n_tail(self) -> int:
        """How many tokens are held only as the histogram."""
        return int(self.tail_counts.sum())


@dataclass(frozen=True)
class Pass:
    """One pass of the model: what it read, how long it took, what the cache held after it."""

    phase: Phase  # "prefill" where the cache was empty before it
    seconds: float  # of the model alone, device synchronised
    n_input: int  # tokens that went in
    cache_tokens: int  # positions in the cache after it
    cache_bytes: int  # bytes in use in the cache after it
    bytes_held: int  # bytes of the storage behind the cache after it
    is_shared: bool = False  # whether others were served meanwhile, so that it took longer


@dataclass(frozen=True, eq=False)
class Step:
    """One generated token, and the distribution that it was drawn from."""

    position: int  # index of this token in ids
    token_id: int
    text: str  # visible label of the token
    forced: bool  # True where the reader chose, not the pointer
    pointer: float  # [0, 1), a function of (seed, position) alone
    prob: float  # of the raw softmax at temperature 1
    logprob: float  # nats, of the raw softmax at temperature 1
    text_logprob: float  # nats, the sum over all generated tokens up to this one
    rank: int  # 0 is the best raw logit; at least so far down, of one that a server left out
    entropy: float  # nats, of the raw softmax at temperature 1
    chosen_prob: float  # in the masked distribution; 0 for a forced token that the mask excludes
    candidates: tuple[Candidate, ...]  # the top rows, every stage kept
    stage_names: tuple[str, ...]  # names of the stages of `candidates`
    n_kept: int  # tokens that the last mask left
    distribution: Distribution  # raw, to look at again later
    phase: Phase  # of the pass that produced the distribution
    seconds: float  # of that pass, device synchronised
    n_input: int  # tokens that went into that pass
    is_shared: bool  # whether others were served during it, so that it took longer
    cache_tokens: int  # positions in the cache after that pass
    cache_bytes: int  # bytes in use in the cache after that pass
    memory: Memory = NO_MEMORY  # that mirostat masked this token with

    @property
    def next_memory(self) -> Memory:
        """What mirostat goes on with: a token that the reader chose teaches it nothing."""
        return self.memory if self.forced else self.memory.after(self.chosen_prob)


@dataclass(frozen=True)
class Piece:
    """One token of a text, taken apart for the eye."""

    token_id: int
    label: str  # visible text of the token by itself; `<0xE2>` for bytes that are no character yet
    joined: str  # the characters that this token completes with the ones before it; "" if none
    data: bytes  # the token's own bytes; empty for a special token
    special: bool


@dataclass(frozen=True)
class CacheShape:
    """What the key-value cache of a model is made of."""

    n_layers: int  # layers that keep keys and values
    n_kv_heads: int
    head_dim: int  # numbers of one key; of latent attention, numbers of the latent
    n_heads: int  # query heads, for what grouped-query attention saves
    bytes_per_number: int
    bytes_per_token: int  # summed over the layers; 0 where no keys and values are kept
    sliding_window: int | None = None  # positions a sliding layer looks back over; None without

    @property
    def emptied(self) -> CacheShape:
        """The same for a model that is run without a cache."""
        return replace(self, n_layers=0, n_kv_heads=0, bytes_per_token=0)

    @property
    def is_plain(self) -> bool:
        """Whether every layer keeps a key and a value of one size for each KV head."""
        return 0 < self.bytes_per_token == 2 * self._bytes_of_keys

    @property
    def is_latent(self) -> bool:
        """Whether every layer keeps one latent for keys and values together (2405.04434)."""
        return self.n_kv_heads == 1 and 0 < self.bytes_per_token == self._bytes_of_keys

    @property
    def _bytes_of_keys(self) -> int:
        return self.n_layers * self.n_kv_heads * self.head_dim * self.bytes_per_number


@dataclass(frozen=True, eq=False)
class RunRecord:
    """One text as it was written, with all that it takes to write it again."""

    link: str  # the query that opens it
    model: str  # name, folder or hub id, as it was loaded
    device: str  # "cpu", "cuda:0", ...
    dtype: str  # "float32", "bfloat16", ...
    seed: int
    prompt: str  # as typed
    prompt_ids: tuple[int, ...]
    pieces: tuple[Piece, ...]  # one for every id, the prompt's first
    steps: tuple[Step, ...]
    settings: Sequence[Mapping[str, object]]  # active at each step; empty where not known
    finished: Finish | None
    logprob: float  # nats, of the generated tokens given the prompt
    cache_shape: CacheShape
    created: str  # ISO 8601, with its offset from UTC
    versions: Mapping[str, str]  # package -> version


@dataclass(frozen=True)
class Flops:
    """Floating-point operations of one pass, a multiplication and an addition being two."""

    linear: int  # weights, each once per token read
    attention: int  # scores and weighted sums, each token read with all positions up to it

    @property
    def total(self) -> int:
        """Both together."""
        return self.linear + self.attention


@dataclass(frozen=True)
class Machine:
    """What a figure was measured on: without it the figure means nothing."""

    device: str  # "cpu", "cuda:0", ...
    processor: str  # its maker's name for it
    dtype: str  # "float32", "bfloat16", ...
    n_threads: int  # of the CPU that a pass may use; it takes as many as are quickest
    model: str
    n_parameters: int
    versions: Mapping[str, str] = field(default_factory=dict)  # package -> version
    date: str = ""  # ISO 8601, with its offset from UTC

    @property
    def where(self) -> str:
        """The machine in a few words, for a caption."""
        threads = f", {self.n_threads} thread{'s'[: self.n_threads != 1]}"
        return f"{self.processor}, {self.dtype}{threads if self.device.lower() == 'cpu' else ''}"


@dataclass(frozen=True)
class Trial:
    """One way to carry out a decode step, tried before any of them is used."""

    way: str  # "plain", "graph", "compiled"
    warmup_seconds: float  # capturing or compiling, first steps included
    step_seconds: float | None  # median; None where it failed
    reason: str = ""  # why it failed
    gap: float | None = None  # largest difference of its logits from the model's own


@dataclass(frozen=True)
class ShapePlan:
    """What a model of some shape takes, before any of it is made."""

    name: str
    n_parameters: int
    weight_bytes: int
    cache_bytes: int  # of one sequence, at the length asked for
    pass_bytes: int  # what the largest pass needs besides, roughly
    free_bytes: int

    @property
    def total_bytes(self) -> int:
        """All of it together."""
        return self.weight_bytes + self.cache_bytes + self.pass_bytes

    @property
    def fits(self) -> bool:
        """Whether there is room for it."""
        return self.total_bytes <= self.free_bytes

"""A model as a text knows it: the same wherever it runs, on weights here or on a server."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from transformers import DynamicCache, PreTrainedConfig, PreTrainedTokenizerBase

from model import kv_cache
from model.machine.threads import Threads
from model.masks import LogProbs
from model.records import NO_MEMORY, BoolArray, CacheShape, Memory, ModelKind, Pass
from model.sentences import name_of
from model.settings import Settings

if TYPE_CHECKING:
    from transformers import PreTrainedModel


Logits: TypeAlias = npt.NDArray[np.float32]


class NeedsWeightsError(ValueError):
    """Something needs weights in this process, and a server has them; one sentence."""


class QuickPass(Protocol):
    """A pass over one token or a few that is quicker than the model's own, and tested equal."""

    max_prompt: int  # tokens that it reads as quickly, with the logits of the last
    max_tokens: int  # and with the logits of each

    def read(
        self, ids: Sequence[int], cache: DynamicCache, only_last: bool = False
    ) -> torch.Tensor:
        """Adds tokens to the cache and returns the logits after each, or the last, (n, vocab)."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The weights of a model in this process, and what a pass over them needs."""

    source: Callable[[], PreTrainedModel]  # gives transformers' model, in eval mode
    device: torch.device
    dtype: torch.dtype
    cache_argument: str | None  # name by which a pass takes its cache; None where it takes none
    quick: QuickPass | None  # None where there is none for this model
    first_position: int | None = 0  # that a pass is told of; None where it counts by itself
    caveat: str | None = None  # what a reader should know of its passes, in one sentence
    threads: Threads = field(default_factory=Threads, repr=False)  # of its passes on the CPU
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)  # held by a pass
    # captured steps that are ready, by capacity; each model has its own, also one that is replaced
    ready: dict[int, Any] = field(default_factory=dict, repr=False, init=False)


class CachedText(ABC):
    """What a model has read of one text, and what is kept of it.

    Every logit is here, unless a subclass says otherwise: what is requested is the logits as read.
    """

    logits: Logits  # (vocab,) after what was read last
    n_read: int  # positions

    @property
    @abstractmethod
    def keeps_cache(self) -> bool:
        """Whether anything is kept of what was read."""

    @property
    @abstractmethod
    def cache(self) -> DynamicCache | None:
        """Keys and values of what was read; None where it is none of ours."""

    @property
    @abstractmethod
    def bytes_in_use(self) -> int:
        """Bytes of the positions that were read."""

    @property
    @abstractmethod
    def bytes_held(self) -> int:
        """Bytes of the storage behind them: whole blocks, and what a crop left empty."""

    @abstractmethod
    def read(self, ids: Sequence[int]) -> tuple[Logits, Pass]:
        """Reads what is new of a text; returns the logits after it, (vocab,), and the pass."""

    @abstractmethod
    def crop(self, n_kept: int) -> bool:
        """Forgets all but the first positions; where it cannot, all has to be read again."""

    @abstractmethod
    def drop_cache(self) -> None:
        """Lets the cache go: the next pass reads all of the text."""

    @abstractmethod
    def fork(self) -> CachedText:
        """Returns an independent copy."""

    @property
    def n_unsent(self) -> int:
        """Tokens of which a server sent the sum of their probabilities alone."""
        return 0

    def as_row(self) -> PartialRows | None:
        """Returns the logits as those of one row; None where they are whole."""
        return None

    def n_known(self, n_most: int) -> int:
        """Returns how many of the best logits are known one by one, at most so many."""
        return n_most

    def ranked(self) -> Logits:
        """Returns the logits that a rank is counted among."""
        return self.logits

    def request_step(
        self,
        ids: Sequence[int],
        n_prompt: int,
        settings: Settings,
        pointer: float,
        token_id: int | None = None,
        banned: Collection[int] = (),
        memory: Memory = NO_MEMORY,
    ) -> Logits:
        """Returns the logits, with all that a step under these settings needs of them."""
        del ids, n_prompt, settings, pointer, token_id, banned, memory
        return self.logits

    def request_logprobs(self, ids: Sequence[int], token_ids: Collection[int]) -> Logits:
        """Returns the logits, those of certain tokens among them."""
        del ids, token_ids
        return self.logits

    def request_all(self, ids: Sequence[int]) -> Logits:
        """Returns the logits of the whole vocabulary."""
        del ids
        return self.logits


class PartialRows(Protocol):
    """The logits after some rows, of which a server sent the best alone."""

    @property
    def is_unsent(self) -> BoolArray:
        """(rows, vocab) tokens of which it sent the sum of their probabilities alone."""

    def request_step(
        self,
        row: int,
        ids: Sequence[int],
        n_prompt: int,
        settings: Settings,
        pointer: float,
        banned: Collection[int] = (),
    ) -> Logits:
        """Returns the logits of a row, with all that a step needs of them."""

    def request_logprobs(
        self, rows: Sequence[Sequence[int]], token_ids: Sequence[Collection[int]]
    ) -> Logits:
        """Returns the logits of all rows, those of certain tokens of each among them."""

    def take(self, rows: Sequence[int]) -> PartialRows:
        """Returns these rows, by their places."""


class Backend(Protocol):
    """Who runs a model's passes: weights in this process, or a server."""

    def new_text(self, lm: LanguageModel) -> CachedText:
        """Returns a text of which nothing was read."""

    def read_rows(
        self,
        lm: LanguageModel,
        rows: Sequence[Sequence[int]],
        cache: DynamicCache | None = None,
        n_pads: Sequence[int] = (),
        n_logits: int = 1,
        *,
        by_hand: bool = False,
    ) -> tuple[Logits, float]:
        """Runs one pass over rows of one length.

        Args:
            lm: the model.
            rows: (rows, tokens) ids.
            cache: that of the rows, filled by the pass; None keeps nothing.
            n_pads: columns of padding on the left of each row; by default there are none.
            n_logits: last positions of which logits are returned; 0 for all.
            by_hand: whether a single row may be read by the quick pass.

        Returns:
            The logits, (rows, positions, vocab), and the seconds.
        """

    def partial_rows(self, lm: LanguageModel, logits: Logits) -> PartialRows | None:
        """Returns logits, (rows, vocab), that may lack some; None where they are whole."""

    def score(
        self, lm: LanguageModel, before: Sequence[int], continuations: Sequence[Sequence[int]]
    ) -> tuple[list[LogProbs], float]:
        """Returns the log-probability of each token of some continuations, and the seconds."""

    def takes_padding(self, lm: LanguageModel) -> bool:
        """Tells whether rows may differ in length."""

    def n_best(self, vocab_size: int) -> int:
        """Returns how many of the best logits the first answer holds."""

    def processor(self, lm: LanguageModel) -> str:
        """Names what computes."""


@dataclass(frozen=True)
class ModelParts:
    """What is known of a model, be it read or only about to be."""

    config: PreTrainedConfig
    vocab_size: int
    n_parameters: int
    end_ids: Any  # as the generation config has them: a number, several, none
    weights: Weights | None  # None where a server has them


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class LanguageModel:
    """A model that is ready to run, with what the pages ask of it."""

    name: str
    kind: ModelKind
    config: PreTrainedConfig  # of the whole model
    tokenizer: PreTrainedTokenizerBase
    vocab_size: int  # width of the logits; the tokenizer may know fewer
    context_length: int | None  # tokens that it can read at once; None where there is no limit
    n_parameters: int
    end_ids: frozenset[int]  # each of these ends a text
    bos_id: int | None  # begins a text
    cache_shape: CacheShape
    has_chat_template: bool
    local: Weights | None  # None where a server has them
    backend: Backend  # runs its passes

    @property
    def shown(self) -> str:
        """What sentences call it: of a folder its own name alone."""
        return name_of(self.name)

    @property
    def weights(self) -> Weights:
        """Its weights in this process.

        Raises:
            NeedsWeightsError: where a server has them.
        """
        if self.local is None:
            raise NeedsWeightsError(
                f"{self.shown} runs on a server, and this needs weights in this process: "
                "choose a shipped model."
            )
        return self.local

    @property
    def model(self) -> PreTrainedModel:
        """Transformers' model, unwrapped; of a shipped one it may have to be read first."""
        return self.weights.source()

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.weights.device

    @property
    def place(self) -> str:
        """Where its passes run, as a word: "CPU", "cuda:0", "server"."""
        return "server" if self.local is None else str(self.local.device).replace("cpu", "CPU")

    @property
    def is_whole(self) -> bool:
        """Whether every log-probability is here or comes with the first answer of its server."""
        return self.backend.n_best(self.vocab_size) == self.vocab_size

    @property
    def dtype(self) -> torch.dtype:
        """The format of its numbers."""
        return self.weights.dtype

    @property
    def dtype_name(self) -> str:
        """The format of its numbers as a word, such as "float32"; a server says none."""
        if self.local is None:
            return "number format unknown"
        return str(self.local.dtype).removeprefix("torch.")

    @property
    def where(self) -> str:
        """The device and the numbers that it runs in, such as "CPU, float32"."""
        return f"{self.place}, {self.dtype_name}"

    def new_cache(self) -> DynamicCache | None:
        """Returns an empty cache for one text; None for a model that takes none, or on a server."""
        keeps = self.local is not None and self.local.cache_argument is not None
        return kv_cache.new_cache(self.config) if keeps else None

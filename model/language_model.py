"""A model as a text knows it: the same wherever it runs, on weights here or on a server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import torch
from transformers import DynamicCache, PreTrainedConfig, PreTrainedTokenizerBase

from model import kv_cache
from model.machine.threads import Threads
from model.records import CacheShape, ModelKind
from model.server.client import Server

if TYPE_CHECKING:
    from transformers import PreTrainedModel


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
    threads: Threads = field(default_factory=Threads, repr=False)  # of its passes on the CPU
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)  # held by a pass
    # captured steps that are ready, by capacity; each model has its own, also one that is replaced
    ready: dict[int, Any] = field(default_factory=dict, repr=False, init=False)


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
    server: Server | None = None

    @property
    def weights(self) -> Weights:
        """Its weights in this process.

        Raises:
            NeedsWeightsError: where a server has them.
        """
        if self.local is None:
            raise NeedsWeightsError(
                f"{self.name} runs on a server, and this needs weights in this process: "
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
        return self.server is None or self.server.n_best(self.vocab_size) == self.vocab_size

    @property
    def dtype(self) -> torch.dtype:
        """The format of its numbers."""
        return self.weights.dtype

    @property
    def dtype_name(self) -> str:
        """The format of its numbers as a word, such as "float32"; a server's is its config's."""
        dtype = self.config.dtype if self.local is None else self.local.dtype
        return str(dtype or "float16").removeprefix("torch.")

    @property
    def where(self) -> str:
        """The device and the numbers that it runs in, such as "CPU, float32"."""
        return f"{self.place}, {self.dtype_name}"

    def new_cache(self) -> DynamicCache | None:
        """Returns an empty cache for one text; None for a model that takes none, or on a server."""
        keeps = self.local is not None and self.local.cache_argument is not None
        return kv_cache.new_cache(self.config) if keeps else None

"""A decode step for GPUs: a cache of fixed size, and all launches of a step given at once.

A small model's step is hundreds of kernels, each launched by Python one by one, and the GPU waits
for Python. With a cache that never moves, one step can be captured as a graph and replayed by a
single launch, or compiled into fewer kernels first. Which way is quickest is measured here, not
assumed; a way that fails on a machine is on record with its reason and not taken. The plain way
runs on any device, so that its arithmetic can be tested without a GPU.

CUDA graphs: docs.pytorch.org/docs/stable/notes/cuda.html; compiled decode: gpt-fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

import torch
from transformers import StaticCache

from model import kv_cache
from model.loading import LanguageModel
from model.passes import Logits, run_pass
from model.records.phases import Trial

WAYS = ("plain", "graph", "compiled")
_N_WARM, _N_TIMED = 3, 20  # steps
_N_TRIAL = 8  # tokens of the text on which the ways are tried


class StaticDecode:
    """One text at a time, in a cache that is allocated once."""

    def __init__(self, lm: LanguageModel, capacity: int) -> None:
        """Allocates the cache.

        Args:
            lm: A causal model whose layers all keep every position.
            capacity: Tokens of the longest text, prompt and answer together.

        Raises:
            ValueError: where the model keeps something else than one key and value by position.
        """
        layers = StaticCache(config=lm.model.config, max_cache_len=1).layers
        if kv_cache.cache_argument(lm.model) is None or any(
            type(layer).__name__ != "StaticLayer" for layer in layers
        ):
            raise ValueError(f"{lm.name} does not keep all positions: use its own step.")
        self.lm, self.capacity = lm, capacity
        self.way = "plain"
        self.trials: list[Trial] = []
        self._cache: Any = StaticCache(config=lm.model.config, max_cache_len=capacity)
        self._n_tokens = 0
        device = lm.device
        # what a captured step reads lies at fixed addresses, and is written before each replay
        self._token = torch.zeros((1, 1), dtype=torch.long, device=device)
        self._position = torch.zeros((1, 1), dtype=torch.long, device=device)
        self._columns = torch.arange(capacity, device=device)
        self._replay: Callable[[], torch.Tensor] = self._forward

    def prefill(self, ids: Sequence[int]) -> tuple[Logits, float]:
        """Reads a prompt into the emptied cache, by the model's own forward."""
        if not 0 < len(ids) <= self.capacity:
            raise ValueError(f"The cache has room for {self.capacity} tokens, not {len(ids)}.")
        self._set_length(0)
        inputs = torch.tensor([list(ids)], device=self.lm.device)
        # columns that hold nothing yet are after every token that reads
        rows = self._columns[: len(ids), None]
        mask = (self._columns <= rows)[None, None]
        answer = run_pass(
            self.lm,
            len(ids),
            lambda: self.lm.model(
                input_ids=inputs,
                attention_mask=mask,
                position_ids=self._columns[None, : len(ids)],
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1,
            ).logits[0, -1],
        )
        self._n_tokens = len(ids)
        return answer

    def decode(self, token_id: int) -> tuple[Logits, float]:
        """Reads one more token, by the way that was chosen."""
        if not 0 < self._n_tokens < self.capacity:
            raise ValueError(f"The cache holds {self._n_tokens} of {self.capacity} tokens.")

        def step() -> torch.Tensor:
            self._token.fill_(token_id)
            self._position.fill_(self._n_tokens)
            return self._replay()

        answer = run_pass(self.lm, 1, step)
        self._n_tokens += 1
        return answer

    def _forward(self) -> torch.Tensor:
        """Runs the model on the newest token; the mask hides the columns that are still empty."""
        mask = (self._columns <= self._position)[None, None]
        output = self.lm.model(
            input_ids=self._token,
            attention_mask=mask,
            position_ids=self._position,
            past_key_values=self._cache,
            use_cache=True,
        )
        row: torch.Tensor = output.logits[0, -1]
        return row

    def _set_length(self, n_tokens: int) -> None:
        """Says how many positions are filled; what lies beyond is written over."""
        self._n_tokens = n_tokens
        for layer in self._cache.layers:
            layer.cumulative_length.fill_(n_tokens)

    # Which way is quickest

    def prepare(self, ways: Sequence[str] = WAYS) -> Iterator[str]:
        """Tries one way for each value that is asked for, and keeps the quickest at the end."""
        replays: dict[str, Callable[[], torch.Tensor]] = {}
        for way in ways:
            yield f"trying the {way} step"
            try:
                replays[way] = self._try(way)
            except Exception as error:  # of many kinds; a way that fails here is not taken
                reason = " ".join(str(error).split())[:160] or type(error).__name__
                self.trials.append(Trial(way, 0.0, None, reason))
        timed = {t.way: t.step_seconds for t in self.trials if t.step_seconds is not None}
        if timed:
            self.way = min(timed, key=lambda way: timed[way])
            self._replay = replays[self.way]
        self._set_length(0)

    def _try(self, way: str) -> Callable[[], torch.Tensor]:
        if way != "plain" and self.lm.device.type != "cuda":
            raise ValueError("needs a CUDA device")
        self._replay = self._forward
        self.prefill([0] * min(_N_TRIAL, self.capacity - 1))
        n_before = self._n_tokens
        started = time.perf_counter()
        if way == "compiled":
            compiled: Any = torch.compile(self._forward, fullgraph=True)
            self._replay = compiled
        if way != "plain":
            # what is captured has run before: compiling and choosing kernels cannot be captured
            for _ in range(_N_WARM):
                self._again(n_before)
            self._replay = self._capture(self._replay)
        self._set_length(n_before)
        for _ in range(_N_WARM):
            self._again(n_before)
        warmup = time.perf_counter() - started
        self.trials.append(
            Trial(way, warmup, median(self._again(n_before) for _ in range(_N_TIMED)))
        )
        return self._replay

    def _again(self, n_before: int) -> float:
        """Runs the same step once more and returns its seconds."""
        seconds = self.decode(0)[1]
        self._set_length(n_before)
        return seconds

    @torch.inference_mode()
    def _capture(self, step: Callable[[], torch.Tensor]) -> Callable[[], torch.Tensor]:
        """Records one step's launches; replaying them is one launch, from whichever thread.

        What `torch.compile` itself would capture belongs to the thread that compiled it, and a page
        runs in a new thread each time.
        """
        with self.lm.lock:
            torch.cuda.synchronize(self.lm.device)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                row = step()

        def replay() -> torch.Tensor:
            graph.replay()
            return row

        return replay

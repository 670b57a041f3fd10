"""A decode step for GPUs: a cache of fixed size, and all launches of a step given at once.

A small model's step is hundreds of kernels, each launched by Python one by one, and the GPU waits
for Python. With a cache that never moves, one step can be captured as a graph and replayed by a
single launch, or compiled into fewer kernels first. Which way is quickest is measured here, not
assumed, and each is held against the model's own pass first: a way that fails on a machine, or has
other logits, is on record with its reason and not taken. The plain way runs on any device, so that
its arithmetic can be tested without a GPU.

CUDA graphs: docs.pytorch.org/docs/stable/notes/cuda.html; compiled decode: gpt-fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

import numpy as np
import torch
from transformers import StaticCache

from model import kv_cache, passes
from model.loading import LanguageModel
from model.passes import Logits, PassError, run_pass, threads_for
from model.records.phases import Trial

WAYS = ("plain", "graph", "compiled")
_N_WARM, _N_TIMED = 3, 20  # steps
_N_TRIAL = 8  # tokens of the text on which the ways are tried
_NEEDS = {"attention_mask", "position_ids", "logits_to_keep"}  # of a model's pass
_SAME = {torch.float32: 1e-3}  # largest gap of logits, beside the largest logit
_SAME_IN_16_BITS = 0.1


def runs_static(lm: LanguageModel) -> bool:
    """Tells whether a model's cache can be of fixed size, every position in every layer.

    Not so for a window or a sum of the past, for a model laid out over several devices, and for
    one that is not told its mask and its positions.
    """
    model: Any = lm.model
    layers = StaticCache(config=model.config, max_cache_len=1).layers
    return (
        kv_cache.cache_argument(model) == "past_key_values"
        and kv_cache.argument_names(model) >= _NEEDS
        and all(type(layer).__name__ == "StaticLayer" for layer in layers)
        and len(set(getattr(model, "hf_device_map", {}).values())) <= 1
        and _attention(lm) in ("sdpa", "eager")
    )


def _attention(lm: LanguageModel) -> str:
    """Names how transformers computes this model's attention."""
    config: Any = lm.model.config.get_text_config(decoder=True)
    return str(getattr(config, "_attn_implementation", "sdpa"))


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
        if not runs_static(lm):
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
        mask = self._mask(self._columns[: len(ids), None])
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

        try:
            answer = run_pass(self.lm, 1, step)
        except PassError:
            self._set_length(self._n_tokens)  # some layers may have counted the token already
            raise
        self._n_tokens += 1
        return answer

    def _forward(self) -> torch.Tensor:
        """Runs the model on the newest token; the mask hides the columns that are still empty."""
        output = self.lm.model(
            input_ids=self._token,
            attention_mask=self._mask(self._position),
            position_ids=self._position,
            past_key_values=self._cache,
            use_cache=True,
        )
        row: torch.Tensor = output.logits[0, -1]
        return row

    def _mask(self, newest: torch.Tensor) -> torch.Tensor:
        """Hides from each row the columns after its newest, (1, 1, rows, capacity)."""
        seen = (self._columns <= newest)[None, None]
        if _attention(self.lm) == "sdpa":
            return seen
        # written-out attention adds its mask to the scores
        hidden = torch.finfo(self.lm.dtype).min
        return torch.zeros_like(seen, dtype=self.lm.dtype).masked_fill(~seen, hidden)

    @torch.inference_mode()
    def _set_length(self, n_tokens: int) -> None:
        """Says how many positions are filled; what lies beyond is written over.

        On a GPU the first pass makes the counts anew, as tensors that inference alone may change.
        """
        self._n_tokens = n_tokens
        for layer in self._cache.layers:
            layer.cumulative_length.fill_(n_tokens)

    # Which way is quickest

    def prepare(self, ways: Sequence[str] = WAYS) -> Iterator[str]:
        """Tries one way for each value that is asked for, and keeps the quickest at the end.

        Raises:
            ValueError: where no way has the logits of the model's own pass.
        """
        n_before = min(_N_TRIAL, self.capacity - 1)
        ids = [i % self.lm.vocab_size for i in range(n_before + 1)]
        truth, _ = passes.prefill(self.lm, ids, None)
        replays: dict[str, Callable[[], torch.Tensor]] = {}
        for way in ways:
            yield f"trying the {way} step{', up to a minute' if way == 'compiled' else ''}"
            try:
                replays[way] = self._try(way, ids, truth)
            except Exception as error:  # of many kinds; a way that fails here is not taken
                reason = " ".join(str(error).split())[:160] or type(error).__name__
                self.trials.append(Trial(way, 0.0, None, reason))
        timed = {t.way: t.step_seconds for t in self.trials if t.step_seconds is not None}
        if not timed:
            raise ValueError(
                f"No step in a fixed cache agrees with {self.lm.name} ({self.trials[0].reason}): "
                "use its own step."
            )
        self.way = min(timed, key=lambda way: timed[way])
        self._replay = replays[self.way]
        self._set_length(0)

    def _try(self, way: str, ids: Sequence[int], truth: Logits) -> Callable[[], torch.Tensor]:
        """Makes one way ready, holds it against the truth, and times it on the last of the ids."""
        if way != "plain" and not has_graphs(self.lm.device):
            raise ValueError("needs a CUDA device")
        *before, newest = ids
        started = time.perf_counter()
        # a whole text first: where it lies in memory is settled by then
        self._replay = self._forward
        self.prefill(before)
        if way == "compiled":
            self._replay = self._compile(newest)
        for _ in range(_N_WARM):
            self._again(newest)
        if way != "plain":
            # what is captured has run before: compiling and choosing kernels cannot be captured
            self._replay = self._capture(self._replay)
            self._set_length(len(before))
            for _ in range(_N_WARM):
                self._again(newest)
        warmup = time.perf_counter() - started
        gap = self._gap(newest, truth)
        seconds = median(self._again(newest) for _ in range(_N_TIMED))
        self.trials.append(Trial(way, warmup, seconds, gap=gap))
        return self._replay

    def _again(self, token_id: int) -> float:
        """Runs the same step once more and returns its seconds."""
        n_before = self._n_tokens
        seconds = self.decode(token_id)[1]
        self._set_length(n_before)
        return seconds

    def _gap(self, token_id: int, truth: Logits) -> float:
        """Returns the largest difference from the model's own logits.

        Raises:
            ValueError: where it is more than rounding.
        """
        n_before = self._n_tokens
        logits, _ = self.decode(token_id)
        self._set_length(n_before)
        gap, scale = float(np.abs(logits - truth).max()), float(np.abs(truth).max())
        if gap > _SAME.get(self.lm.dtype, _SAME_IN_16_BITS) * scale:
            raise ValueError(f"other logits than the model's own, by {gap:.2g} of {scale:.2g}")
        return gap

    @torch.inference_mode()
    def _compile(self, token_id: int) -> Callable[[], torch.Tensor]:
        """Compiles the step by running it once, not under the lock: that can take a minute."""
        compiled: Callable[[], torch.Tensor] = torch.compile(self._forward, fullgraph=True)
        n_before = self._n_tokens
        self._token.fill_(token_id)
        self._position.fill_(n_before)
        with threads_for(self.lm, 1):  # as in every pass after it
            compiled()
        self._set_length(n_before)
        return compiled

    @torch.inference_mode()
    def _capture(self, step: Callable[[], torch.Tensor]) -> Callable[[], torch.Tensor]:
        """Records one step's launches; replaying them is one launch, from whichever thread.

        What `torch.compile` itself would capture belongs to the thread that compiled it, and a page
        runs in a new thread each time.
        """
        device = self.lm.device
        with self.lm.lock, threads_for(self.lm, 1), torch.cuda.device(device):
            torch.cuda.synchronize(device)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                row = step()

        def replay() -> torch.Tensor:
            graph.replay()
            return row

        return replay


def has_graphs(device: torch.device) -> bool:
    """Tells whether a device can replay a step's launches as one."""
    return device.type == "cuda"

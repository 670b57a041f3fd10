"""A decode step for GPUs: a cache of fixed size, and all launches of a step given at once.

A small model's step is hundreds of kernels, each launched by Python one by one, and the GPU waits
for Python. With a cache that never moves, one step can be captured as a graph and replayed by a
single launch, or compiled into fewer kernels first. Which way is quickest is measured here, not
assumed. Each way is held against the model's own passes: one that fails on a machine, or has other
logits, is on record with its reason and not taken. The plain way runs on any device, so that its
arithmetic can be tested without a GPU.

CUDA graphs: docs.pytorch.org/docs/stable/notes/cuda.html; compiled decode: gpt-fast.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any
from weakref import ref

import numpy as np
import torch
from transformers import StaticCache

from model import kv_cache, passes
from model.job import LOOK_SECONDS, meanwhile
from model.kv_cache.block_cache import whole_blocks
from model.language_model import LanguageModel
from model.machine.device import lock_of
from model.passes import Logits, PassError, run_pass
from model.records import Trial
from model.sentences import reason

WAYS = ("plain", "graph", "compiled")
# as gpt-fast compiles: tile sizes tuned one after another, kernels named for the profiler
_COMPILER: dict[str, Any] = {"coordinate_descent_tuning": True, "triton.unique_kernel_names": True}
_compiling = threading.Lock()  # held by who compiles, which waits for the device, or captures
_N_WARM, _N_TIMED = 3, 20  # steps
_N_TRIAL = 12  # tokens of the text on which the ways are timed; a block of the cache holds them
_N_COMPILED = 64  # steps in one process
_N_PROMPT, _N_HELD = 2, 4  # tokens of the text on which they are held against the truth
_NEEDS = {"attention_mask", "position_ids", "logits_to_keep"}  # of a model's pass

# How far logits may be apart by rounding, as a part of their spread. A right step is off by .01 in
# bfloat16 and by .001 in float16, one that errs by a position or a column by .04 to .8, on a text
# so short that each token weighs.
_ROUNDING = {torch.float32: 1e-3, torch.float16: 0.01, torch.bfloat16: 0.03}


def runs_static(lm: LanguageModel) -> bool:
    """Tells whether a model's cache can be of fixed size, every position in every layer.

    Not so for a window or a sum of the past, for a model laid out over several devices, and for
    one that is not told its mask and its positions.
    """
    model: Any = lm.model
    config = model.config.get_text_config(decoder=True)
    layers = StaticCache(config=model.config, max_cache_len=1).layers
    return (
        kv_cache.cache_argument(model) == "past_key_values"
        and kv_cache.argument_names(model) >= _NEEDS
        and all(type(layer).__name__ == "StaticLayer" for layer in layers)
        and len(set(getattr(model, "hf_device_map", {}).values())) <= 1
        and getattr(config, "_attn_implementation", "sdpa") in ("sdpa", "eager")
    )


class StaticDecode:
    """One text at a time, or a batch of copies of it, in a cache that is allocated once."""

    def __init__(self, lm: LanguageModel, capacity: int, n_rows: int = 1) -> None:
        """Allocates the cache.

        Args:
            lm: A causal model whose layers all keep every position.
            capacity: Tokens of the longest text, prompt and answer together; rounded up to whole
                blocks, as a GPU's attention would fill up a mask of another width in every layer.
            n_rows: Of the batch.

        Raises:
            ValueError: where the model keeps something else than one key and value by position.
        """
        if not runs_static(lm):
            raise ValueError(f"{lm.shown} does not keep all positions: use its own step.")
        # a model keeps its steps, so they do not keep it: whoever uses them has the model
        self._lm, self._dtype, self.capacity = ref(lm), lm.dtype, whole_blocks(capacity)
        self._model: Any = lm.model  # once: what reads it takes a lock, which cannot be compiled
        self.way, self.user = "plain", object()
        self.trials: list[Trial] = []
        self._cache: Any = StaticCache(config=self._model.config, max_cache_len=self.capacity)
        self._n_tokens, self._n_rows, self._is_prepared = 0, n_rows, False
        with lock_of(lm.device):
            # what a captured step reads lies at fixed addresses, written before each replay
            self._token = torch.zeros((n_rows, 1), dtype=torch.long, device=lm.device)
            self._position = torch.zeros((1, 1), dtype=torch.long, device=lm.device)
            self._columns = torch.arange(self.capacity, device=lm.device)
        self._replay: Callable[[], torch.Tensor] = self._forward

    @property
    def lm(self) -> LanguageModel:
        """The model."""
        lm = self._lm()
        assert lm is not None
        return lm

    def prefill(self, ids: Sequence[int]) -> tuple[Logits, float]:
        """Reads a prompt into the emptied cache, by the model's own forward.

        It is given no mask: in an empty cache transformers takes the causal kernel then, on the
        prompt's own keys and values alone. With a mask it would go over the whole capacity.

        Returns:
            The logits of the last row, (vocab,), and the seconds.
        """
        if not 0 < len(ids) <= self.capacity:
            raise ValueError(f"The cache has room for {self.capacity} tokens, not {len(ids)}.")
        self._set_length(0)

        def read() -> torch.Tensor:
            row: torch.Tensor = self._model(
                input_ids=torch.tensor([list(ids)] * self._n_rows, device=self.lm.device),
                position_ids=self._columns[None, : len(ids)],
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1,
            ).logits[-1, -1]
            return row

        answer = run_pass(self.lm, len(ids) * self._n_rows, read)
        self._n_tokens = len(ids)
        return answer

    def decode(self, token_id: int) -> tuple[Logits, float]:
        """Reads one more token in each row, by the way that was chosen; returns as `prefill`."""
        if not 0 < self._n_tokens < self.capacity:
            raise ValueError(f"The cache holds {self._n_tokens} of {self.capacity} tokens.")

        def step() -> torch.Tensor:
            self._token.fill_(token_id)
            self._position.fill_(self._n_tokens)
            return self._replay()

        try:
            answer = run_pass(self.lm, self._n_rows, step)
        except PassError:
            self._set_length(self._n_tokens)  # some layers may have counted the token already
            raise
        self._n_tokens += 1
        return answer

    def _forward(self) -> torch.Tensor:
        """Runs the model on the newest token; the mask hides the columns that are still empty."""
        output = self._model(
            input_ids=self._token,
            attention_mask=self._mask(),
            position_ids=self._position,
            past_key_values=self._cache,
            use_cache=True,
        )
        row: torch.Tensor = output.logits[-1, -1]
        return row

    def _mask(self) -> torch.Tensor:
        """Hides the columns after the newest token, (1, 1, 1, capacity), to be added to scores.

        Kernels add it as it is; one of yes and no would be turned into this in every layer.
        """
        hidden = (self._columns > self._position)[None, None]
        lowest = torch.finfo(self._dtype).min
        return torch.zeros_like(hidden, dtype=self._dtype).masked_fill(hidden, lowest)

    @torch.inference_mode()
    def _set_length(self, n_tokens: int) -> None:
        """Says how many positions are filled; what lies beyond is written over.

        On a GPU the first pass makes the counts anew, as tensors that inference alone may change.
        """
        self._n_tokens = n_tokens
        with lock_of(self.lm.device):
            for layer in self._cache.layers:
                layer.cumulative_length.fill_(n_tokens)

    # Which way is quickest

    def prepare(self, ways: Sequence[str] = WAYS) -> Iterator[str]:
        """Tries each way, says what it does, and keeps the quickest; done once.

        It can be stopped between any two values, also while a step is being compiled: the compiler
        runs to its end in a thread of its own, and nobody takes what it made.

        Raises:
            ValueError: where no way has the logits of the model's own pass.
        """
        if self._is_prepared:
            return
        self.trials.clear()
        own = self._own_logits()
        replays: dict[str, Callable[[], torch.Tensor]] = {}
        for way in ways:
            yield f"trying the {way} step"
            try:
                yield from self._try(way, own)
                replays[way] = self._replay
            except Exception as error:  # of many kinds; a way that fails here is not taken
                self.trials.append(Trial(way, 0.0, None, reason(error)))
        timed = {t.way: t.step_seconds for t in self.trials if t.step_seconds is not None}
        if not timed:
            raise ValueError(
                f"No step in a fixed cache agrees with {self.lm.shown} ({self.trials[0].reason}): "
                "use its own step."
            )
        self.way = min(timed, key=lambda way: timed[way])
        self._replay = replays[self.way]
        self._set_length(0)
        self._is_prepared = True

    def _try(self, way: str, own: Logits) -> Iterator[str]:
        """Makes one way ready, holds it against the model's own passes, and times it."""
        if way != "plain" and not has_graphs(self.lm.device):
            raise ValueError("needs a CUDA device")
        *before, newest = self._trial_ids()
        started = time.perf_counter()
        # a whole text first: where it lies in memory is settled by then
        self._replay = self._forward
        self.prefill(before)
        if way == "compiled":
            compiled: Callable[[], torch.Tensor] = torch.compile(
                self._forward, fullgraph=True, dynamic=False, options=_COMPILER
            )
            work = meanwhile(partial(self._compile, compiled, newest), "compiling the step")
            yield from (f"{part.doing}, up to a minute" for part in work)
            self._replay = compiled
        self._repeat(newest, _N_WARM)
        if way != "plain":
            while _compiling.locked():
                yield "waiting for another step to be compiled"
                time.sleep(LOOK_SECONDS)
            # what is captured has run before: compiling and choosing kernels cannot be captured
            self._replay = self._capture(self._replay)
            self._set_length(len(before))
            self._repeat(newest, _N_WARM)
        warmup = time.perf_counter() - started
        logits = self._held_logits()
        check_same(self.lm, logits, own)
        self.prefill(before)
        seconds = median(self._repeat(newest, _N_TIMED))
        self.trials.append(Trial(way, warmup, seconds, gap=float(np.abs(logits - own).max())))

    def _trial_ids(self) -> list[int]:
        """Returns tokens from all over the vocabulary, no two of them equal if it can be."""
        return [i * self.lm.vocab_size // _N_TRIAL for i in range(_N_TRIAL)]

    def _own_logits(self) -> Logits:
        """Returns the model's own logits after some of the trial's tokens, (tokens, vocab)."""
        cache = self.lm.new_cache()
        prompt, following = self._held_ids()
        return np.stack([passes.prefill(self.lm, i, cache)[0] for i in (prompt, *following)])

    def _held_logits(self) -> Logits:
        """Returns the same by the present step.

        The columns behind them are filled first, so that a step that looks there is found out.
        """
        prompt, following = self._held_ids()
        self.prefill(self._trial_ids()[::-1])
        return np.stack([self.prefill(prompt)[0], *(self.decode(i)[0] for (i,) in following)])

    def _held_ids(self) -> tuple[list[int], list[list[int]]]:
        """Splits a short text into a prompt and the tokens that follow it, one by one."""
        ids = self._trial_ids()
        return ids[:_N_PROMPT], [[i] for i in ids[_N_PROMPT : _N_PROMPT + _N_HELD]]

    def _repeat(self, token_id: int, n_times: int) -> list[float]:
        """Runs the same step again and again and returns the seconds of each time."""
        n_before, seconds = self._n_tokens, list[float]()
        for _ in range(n_times):
            seconds.append(self.decode(token_id)[1])
            self._set_length(n_before)
        return seconds

    @torch.inference_mode()
    def _compile(self, compiled: Callable[[], torch.Tensor], token_id: int) -> None:
        """Compiles a step by running it once; readers' passes go on meanwhile.

        Each cache has a step of its own, and torch gives up a function at its 9th unless told.
        """
        n_before = self._n_tokens
        self._token.fill_(token_id)
        self._position.fill_(n_before)
        with _compiling, torch._dynamo.config.patch(recompile_limit=_N_COMPILED):
            compiled()
        self._set_length(n_before)

    @torch.inference_mode()
    def _capture(self, step: Callable[[], torch.Tensor]) -> Callable[[], torch.Tensor]:
        """Records one step's launches; replaying them is one launch, from whichever thread.

        What `torch.compile` itself would capture belongs to the thread that compiled it, and a page
        runs in a new thread each time.
        """
        device = self.lm.device
        with _compiling, self.lm.weights.lock, torch.cuda.device(device):
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


def check_same(lm: LanguageModel, logits: Logits, truth: Logits) -> None:
    """Holds the logits of a step, (tokens, vocab), against those of the model's own passes.

    Raises:
        ValueError: where they are further apart than rounding brings them.
    """
    apart, spread = _size(logits - truth), float(truth.std(axis=-1).mean())
    allowed = spread * _ROUNDING.get(lm.dtype, max(_ROUNDING.values()))
    # far from 0 the numbers of a format are further apart than that: logits snap to the next
    unit = torch.finfo(lm.dtype).eps * _size(truth)
    if not apart**2 <= allowed * (allowed + unit):
        raise ValueError(f"other logits than the model's own, by {apart:.2g} beside {spread:.2g}")


def _size(rows: Logits) -> float:
    """Returns the root of the mean square."""
    return float(np.sqrt(np.square(rows).mean()))

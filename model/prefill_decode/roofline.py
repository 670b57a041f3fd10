"""The roofline of this device: what it can copy and multiply, and where both phases stand below.

A pass has to read its weights and its cache once, and to compute what it computes: whichever takes
longer at the device's best is a floor under its seconds (Williams, Waterman and Patterson 2009,
doi:10.1145/1498765.1498785). There is a third floor that a roofline does not draw: the operations
of a pass take time with hardly a number in them. It is measured here on a twin of the model that
has all its layers and almost no width. Ceilings and passes are measured in one run.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import torch
from transformers import AutoModelForCausalLM, DynamicCache, PreTrainedModel

from model.batch import Batch
from model.fast.cuda_decode import StaticDecode, has_graphs
from model.fast.engines import BY_HAND, PLAIN, STATIC, engine_names, make_engine
from model.fast.llama_decode import fast_decode
from model.flops import count_flops
from model.loading import LanguageModel
from model.passes import PassError, prefill
from model.prefill_decode.batching import count_reads, newest, point_of, read_in_parts, why_not
from model.prefill_decode.ceilings import (
    N_TRIES,
    buffer_bytes,
    measure_copy,
    measure_matmul,
    measure_read,
    rate_of,
)
from model.prefill_decode.records import Ceilings, Roofline, RoofPoint
from model.timing import describe
from model.tokenizing import random_ids
from model.weights import building

PREFILLS = (16, 64, 256, 1000)  # tokens
LONG_PREFILL = 4096  # tokens; on a GPU alone, since nothing stops a pass
BATCHES = (1, 4, 16, 64)  # sequences that decode together
N_PAST = 128
N_PASSES = 5
_FEWEST, _PATIENCE = 2, 4.0  # passes of a kind; seconds after which so few will do
_NARROW = {"cpu": 2}  # numbers in a head of the twin
_NARROW_ELSEWHERE = 8  # a GPU's attention kernels take a multiple of 8, or a slow way round
_NARROW_VOCAB = 16


# A pass with hardly a number in it


def narrow_twin(lm: LanguageModel) -> PreTrainedModel | None:
    """Makes a model with all layers and operations of this one and almost no width.

    Returns:
        None where the architecture does not take such a width.
    """
    config = copy.deepcopy(lm.model.config)
    heads, width = lm.cache_shape.n_heads, head_width(lm.device)
    narrow = {
        "hidden_size": width * heads,
        "head_dim": width,
        "intermediate_size": width * heads,
        "vocab_size": _NARROW_VOCAB,
    }
    try:
        for name, value in narrow.items():
            if hasattr(config, name):
                setattr(config, name, value)
        for name in ("bos_token_id", "eos_token_id", "pad_token_id"):
            setattr(config, name, None)
        build: Any = AutoModelForCausalLM.from_config
        with building:
            twin: PreTrainedModel = build(config, dtype=lm.dtype).to(lm.device).eval()
        ids = torch.zeros((1, 1), dtype=torch.long, device=lm.device)
        with torch.inference_mode():
            twin(ids, past_key_values=DynamicCache(), use_cache=True)
    except Exception:  # an architecture with rules of its own: then this floor stays unknown
        return None
    return twin


def head_width(device: torch.device) -> int:
    """Returns the numbers in a head of the twin: as few as the device has a quick kernel for."""
    return _NARROW.get(device.type, _NARROW_ELSEWHERE)


def measure_floors(lm: LanguageModel, n_tries: int = N_TRIES) -> dict[str, float]:
    """Times a step of the narrow twin, by each engine: what the operations themselves take."""
    twin = narrow_twin(lm)
    if twin is None:
        return {}
    cache = DynamicCache()
    ids = torch.zeros((1, 1), dtype=torch.long, device=lm.device)
    steps: dict[str, Callable[[], object]] = {
        PLAIN: lambda: twin(ids, past_key_values=cache, use_cache=True)
    }
    quick = fast_decode(twin) if lm.fast_decode is not None else None
    if quick is not None:
        steps[BY_HAND] = lambda: quick(0, cache)
    floors = {name: median(rate_of(lm, 1, step, n_tries).seconds) for name, step in steps.items()}
    if STATIC in engine_names(lm):
        floors |= _captured_floor(replace(lm, source=lambda: twin, vocab_size=_NARROW_VOCAB))
    return floors


def _captured_floor(twin: LanguageModel) -> dict[str, float]:
    """Times the narrow twin's captured step; nothing where it cannot be captured."""
    try:
        steps = StaticDecode(twin, N_PAST)
        for _ in steps.prepare(("plain", "graph")):
            pass
    except ValueError:
        return {}
    return {STATIC: min(t.step_seconds for t in steps.trials if t.step_seconds is not None)}


# Ceilings and passes in one run


def _is_enough(seconds: Sequence[float]) -> bool:
    """Tells whether a slow pass has been timed often enough: a class is waiting."""
    return len(seconds) >= _FEWEST and sum(seconds) > _PATIENCE


class RooflineExperiment:
    """Ceilings first, then prefills of several lengths and decode steps of several batches."""

    def __init__(
        self,
        lm: LanguageModel,
        prefills: Sequence[int] = PREFILLS,
        batches: Sequence[int] = BATCHES,
        n_past: int = N_PAST,
        n_passes: int = N_PASSES,
    ) -> None:
        """Plans the run.

        Raises:
            ValueError: where the model takes no cache.
        """
        make_engine(lm, PLAIN, n_past)  # refuses a model without a cache
        limit = lm.context_length or LONG_PREFILL
        self.lm, self.n_passes = lm, n_passes
        lengths = (*prefills, *([LONG_PREFILL] if has_graphs(lm.device) else ()))
        self.prefills = tuple(n for n in lengths if n <= limit) or (limit,)
        self.n_past = min(n_past, limit - n_passes - 2)
        self.batches = tuple(batches)
        self.ceilings: Ceilings | None = None
        self.points: list[RoofPoint] = []
        self.left_out: list[str] = []  # what failed on the way, one sentence each
        self.quick = tuple(name for name in engine_names(lm) if name != PLAIN)
        n_kinds = len(self.prefills) + len(self.batches) + len(self.quick)
        n_reads = sum(count_reads(n, self.n_past) for n in self.batches)
        self.n_done, self.n_total = 0, 5 + n_reads + n_kinds * (n_passes + 1)
        self.doing, self.is_done = "", False
        self._plan = self._passes()

    def advance(self) -> None:
        """Measures the next ceiling, or runs the next pass."""
        self.is_done = next(self._plan, None) is None
        self.n_done += 1

    def stop(self) -> None:
        """Ends on the way and gives the caches back; what was measured stays."""
        self._plan.close()

    def _passes(self) -> Generator[str]:
        rates = []
        for doing, measure in (
            ("copying in memory", measure_copy),
            ("a matrix and a vector", measure_read),
            ("two matrices", measure_matmul),
        ):
            self.doing = doing
            yield doing
            rates.append(measure(self.lm))
        self.doing = "layers with hardly a number in them"
        yield self.doing
        copied, read, multiplied = rates
        self.ceilings = Ceilings(
            copy=copied.best,
            read=read.best,
            matmul=multiplied.best,
            floors=measure_floors(self.lm),
            spread=max(rate.spread for rate in rates),
            n_runs=N_TRIES,
            buffer_bytes=buffer_bytes(self.lm.device),
        )
        for n_tokens in self.prefills:
            self.doing = f"reading {n_tokens} tokens"
            try:
                yield from self._prefill(n_tokens)
            except PassError as error:
                self.left_out.append(f"Prompts of {n_tokens} tokens and more are left out. {error}")
                break
        for name in self.quick:
            self.doing = name
            try:
                yield from self._engine(name)
            except ValueError as error:
                self.left_out.append(f"{name} is left out. {error}".capitalize())
        for n_batch in self.batches:
            self.doing = f"decoding a batch of {n_batch}"
            try:
                yield from self._decode(n_batch)
            except PassError as error:
                self.left_out.append(f"Batches of {n_batch} and more are left out. {error}")
                return

    def _prefill(self, n_tokens: int) -> Iterator[str]:
        ids = random_ids(self.lm, n_tokens)
        flops = count_flops(lambda: prefill(self.lm, ids, self.lm.new_cache())).linear
        yield self.doing
        seconds = []
        for _ in range(self.n_passes):
            seconds.append(prefill(self.lm, ids, self.lm.new_cache())[1])
            yield self.doing
            if _is_enough(seconds):
                break
        self.points.append(point_of(self.lm, 1, n_tokens, 0, seconds, flops, PLAIN))

    def _decode(self, n_batch: int) -> Iterator[str]:
        refusal = why_not(self.lm, n_batch, self.n_past + 1 + self.n_passes)
        if refusal is not None:
            raise PassError(refusal)
        batch = Batch(self.lm)
        for _ in read_in_parts(batch, [random_ids(self.lm, self.n_past)] * n_batch):
            yield self.doing
        flops = count_flops(lambda: batch.append(newest(batch))).linear
        yield self.doing
        seconds = []
        for _ in range(self.n_passes):
            seconds.append(batch.append(newest(batch)))
            yield self.doing
            if _is_enough(seconds):
                break
        self.points.append(point_of(self.lm, n_batch, 1, self.n_past, seconds, flops, PLAIN))

    def _engine(self, name: str) -> Iterator[str]:
        """Times the quicker step at batch 1; its arithmetic is that of the model's own."""
        engine = make_engine(self.lm, name, self.n_past + self.n_passes + 2)
        for doing in engine.prepare():
            self.doing = doing
            yield doing
        ids = random_ids(self.lm, self.n_past)
        engine.prefill(ids)
        engine.decode(ids[0])
        seconds = []
        for _ in range(self.n_passes):
            seconds.append(engine.decode(ids[0])[1])
            yield self.doing
        cache = self.lm.new_cache()
        flops = count_flops(lambda: prefill(self.lm, ids[:1], cache)).linear
        self.points.append(point_of(self.lm, 1, 1, self.n_past, seconds, flops, name))

    @property
    def result(self) -> Roofline | None:
        """What was measured so far; None before the ceilings are."""
        if self.ceilings is None:
            return None
        return Roofline(describe(self.lm), self.ceilings, tuple(self.points))

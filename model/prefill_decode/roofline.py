"""The roofline of this device: what it can copy and multiply, and where both phases stand below.

A pass has to read its weights and its cache once, and to compute what it computes: whichever takes
longer at the device's best is a floor under its seconds (Williams, Waterman and Patterson 2009,
doi:10.1145/1498765.1498785). There is a third floor that a roofline does not draw: the operations
of a pass take time with hardly a number in them. It is measured here on a twin of the model that
has all its layers and almost no width. Ceilings and passes are measured in one run.
"""

import copy
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import torch
from transformers import DynamicCache

from model.fast.cuda_decode import StaticDecode, has_graphs
from model.fast.engines import MANUAL, PLAIN, STATIC, engine_names, make_engine
from model.fast.llama_decode import fast_decode
from model.flops import count_flops
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.machine.device import lock_of
from model.passes import prefill
from model.prefill_decode.batching import ProgressOf, flops_of_token, point_of, prepare
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

if TYPE_CHECKING:
    from transformers import PreTrainedModel

PREFILLS = (16, 64, 256, 1000)  # tokens
LONG_PREFILL = 4096  # tokens; on a GPU alone, since nothing stops a pass
BATCHES = (1, 4, 16, 64)  # sequences that decode together
N_PAST = 128
N_PASSES = 5
_FEWEST, _ENOUGH_SECONDS = 2, 4.0  # passes of a kind; seconds after which so few will do
_NARROW_VOCAB = 16
CEILINGS = (
    ("copying in memory", measure_copy),
    ("a matrix and a vector", measure_read),
    ("two matrices", measure_matmul),
)

Found = TypeVar("Found")
Passes: TypeAlias = Generator[Progress[Roofline], None, Found]


# A pass with hardly a number in it


def narrow_twin(lm: LanguageModel) -> "PreTrainedModel | None":
    """Makes a model with all layers and operations of this one and almost no width.

    Returns:
        None where the architecture does not take such a width.
    """
    from transformers import AutoModelForCausalLM

    config = copy.deepcopy(lm.model.config)
    # numbers in a head: a GPU's attention kernels take a multiple of 8, or a slow way round
    heads, width = lm.cache_shape.n_heads, 2 if lm.device.type == "cpu" else 8
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
        with building, lock_of(lm.device):
            twin: PreTrainedModel = build(config, dtype=lm.dtype).to(lm.device).eval()
            ids = torch.zeros((1, 1), dtype=torch.long, device=lm.device)
            with torch.inference_mode():
                twin(ids, past_key_values=DynamicCache(), use_cache=True)
    except Exception:  # an architecture with rules of its own: then this floor stays unknown
        return None
    return twin


def measure_floors(lm: LanguageModel, say: ProgressOf[Roofline]) -> Passes[dict[str, float]]:
    """Times a step of the narrow twin, by each engine: the least that the operations take."""
    now = say("layers with hardly a number in them")
    yield now
    twin = narrow_twin(lm)
    if twin is None:
        return {}
    cache = DynamicCache()
    with lock_of(lm.device):
        ids = torch.zeros((1, 1), dtype=torch.long, device=lm.device)
    steps: dict[str, Callable[[], object]] = {
        PLAIN: lambda: twin(ids, past_key_values=cache, use_cache=True)
    }
    quick = fast_decode(twin) if lm.weights.quick is not None else None
    if quick is not None:
        steps[MANUAL] = lambda: quick.read([0], cache)
    floors = {name: min(rate_of(lm, 1, step).seconds) for name, step in steps.items()}
    if STATIC in engine_names(lm):
        weights = replace(lm.weights, source=lambda: twin)
        narrow = replace(lm, local=weights, vocab_size=_NARROW_VOCAB)
        with suppress(ValueError):  # one that cannot be captured has no such floor
            captured = StaticDecode(narrow, N_PAST)
            # as the model's own: what is compiled has fewer operations than what is only captured
            for doing in captured.prepare():
                yield replace(now, doing=f"{now.doing}: {doing}")
            timed = (trial.step_seconds for trial in captured.trials)
            floors[STATIC] = min(seconds for seconds in timed if seconds is not None)
    return floors


# Ceilings and passes in one run


def measure_roofline(
    lm: LanguageModel,
    prefills: Sequence[int] = PREFILLS,
    batches: Sequence[int] = BATCHES,
    n_past: int = N_PAST,
    n_passes: int = N_PASSES,
) -> Work[Roofline]:
    """Measures the ceilings, then prefills of several lengths and decode steps of several batches.

    Raises:
        ValueError: where the model takes no cache.
    """
    make_engine(lm, PLAIN, n_past)  # refuses a model without a cache
    prefills = prefill_lengths(lm, prefills)
    n_past = min(n_past, (lm.context_length or LONG_PREFILL) - n_passes - 2)
    quick = tuple(name for name in engine_names(lm) if name != PLAIN)
    n_kinds = len(prefills) + len(quick) + len(batches)
    n_done, n_total = count(), 4 + n_kinds * (n_passes + 1)

    ceilings, points, left_out = list[Ceilings](), list[RoofPoint](), list[str]()

    def measured() -> Roofline:
        return Roofline(describe(lm), ceilings[0], tuple(points), tuple(left_out))

    def say(doing: str) -> Progress[Roofline]:
        return Progress(next(n_done), n_total, doing, measured if ceilings else None)

    ceilings.append((yield from _measure_ceilings(lm, say)))
    # of each group the smaller comes first: where it fails, so would those after it
    for group in (
        [(f"prompts of {n} tokens and more", _prefill(lm, n, n_passes, say)) for n in prefills],
        *([(f"decoding by {name}", _decode_by(lm, name, n_past, n_passes, say))] for name in quick),
        [(f"batches of {n} and more", _decode(lm, n, n_past, n_passes, say)) for n in batches],
    ):
        for what, passes in group:
            try:
                points.append((yield from passes))
            except ValueError as error:
                left_out.append(f"Left out: {what}. {error}")
                break
    return measured()


def _measure_ceilings(lm: LanguageModel, say: ProgressOf[Roofline]) -> Passes[Ceilings]:
    rates = []
    for doing, measure in CEILINGS:
        yield say(doing)
        rates.append(measure(lm))
    floors = yield from measure_floors(lm, say)
    copied, read, multiplied = (rate.best for rate in rates)
    return Ceilings(
        copy=copied,
        read=read,
        matmul=multiplied,
        floors=floors,
        spread=max(rate.spread for rate in rates),
        n_runs=N_TRIES,
        buffer_bytes=buffer_bytes(lm.device),
    )


def prefill_lengths(lm: LanguageModel, lengths: Sequence[int]) -> tuple[int, ...]:
    """Returns the lengths that the context has room for; on a GPU a long one comes after them."""
    limit = lm.context_length or LONG_PREFILL
    lengths = (*lengths, *([LONG_PREFILL] if has_graphs(lm.device) else ()))
    return tuple(n for n in lengths if n <= limit) or (limit,)


def _prefill(
    lm: LanguageModel, n_tokens: int, n_passes: int, say: ProgressOf[Roofline]
) -> Passes[RoofPoint]:
    """Times passes over a prompt."""
    ids, doing = random_ids(lm, n_tokens), f"reading {n_tokens} tokens"

    def run() -> float:
        return prefill(lm, ids, lm.new_cache())[1]

    yield say(doing)
    flops = count_flops(run).linear
    seconds = yield from _time(run, n_passes, doing, say)
    return point_of(lm, 1, n_tokens, 0, seconds, flops, PLAIN)


def _decode(
    lm: LanguageModel, n_batch: int, n_past: int, n_passes: int, say: ProgressOf[Roofline]
) -> Passes[RoofPoint]:
    """Times steps of a batch."""
    step = yield from prepare(lm, n_batch, n_past, n_passes, say)
    seconds = yield from _time(step, n_passes, f"decoding a batch of {n_batch}", say)
    return point_of(lm, n_batch, 1, n_past, seconds, n_batch * flops_of_token(lm), PLAIN)


def _decode_by(
    lm: LanguageModel, name: str, n_past: int, n_passes: int, say: ProgressOf[Roofline]
) -> Passes[RoofPoint]:
    """Times a quicker step of one row; its arithmetic is that of the model's own."""
    engine, ids = make_engine(lm, name, n_past + n_passes + 2), random_ids(lm, n_past)
    now = say(name)
    for doing in engine.prepare():
        yield replace(now, doing=doing)
    yield now
    engine.prefill(ids)
    engine.decode(ids[0])
    seconds = yield from _time(lambda: engine.decode(ids[0])[1], n_passes, name, say)
    return point_of(lm, 1, 1, n_past, seconds, flops_of_token(lm), name)


def _time(
    run: Callable[[], float], n_passes: int, doing: str, say: ProgressOf[Roofline]
) -> Passes[list[float]]:
    """Runs a pass again and again, a slow one less often: a class is waiting."""
    seconds: list[float] = []
    while len(seconds) < n_passes and not (
        len(seconds) >= _FEWEST and sum(seconds) > _ENOUGH_SECONDS
    ):
        yield say(doing)
        seconds.append(run())
    return seconds

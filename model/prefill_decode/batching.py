"""Many sequences at once: one reading of the weights serves them all, until arithmetic binds.

A batch of B sequences decodes B tokens in one pass. This module knows a batch and its cost; who
chooses the tokens is no matter here.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any, TypeAlias, TypeVar

from model.batch import Batch
from model.fast.cuda_decode import StaticDecode
from model.fast.engines import PLAIN, STATIC, engine_names, make_engine
from model.flops import count_flops
from model.job import Progress, Work
from model.kv_cache import first_number
from model.kv_cache.block_cache import whole_blocks
from model.language_model import LanguageModel
from model.machine.device import free_bytes
from model.passes import PassError, prefill
from model.prefill_decode.ceilings import measure_copy
from model.prefill_decode.records import BatchRun, RoofPoint, Timed
from model.sentences import apart
from model.timing import describe
from model.tokenizing import random_ids

BATCHES = (1, 2, 4, 8, 16, 32, 64)
N_PAST = 128  # tokens of each sequence before the steps that are timed
N_STEPS = 7
_HEADROOM = 1.2  # of a batch's cache: what its passes need besides

Found = TypeVar("Found")
ProgressOf: TypeAlias = Callable[[str], Progress[Found]]
TimedPass: TypeAlias = Callable[[], float]  # runs a pass and returns its seconds


def point_of(
    lm: LanguageModel,
    n_batch: int,
    n_input: int,
    n_past: int,
    seconds: Sequence[float],
    linear_flops: int,
    engine: str,
) -> RoofPoint:
    """Puts a pass beside what it has to read and to compute.

    Attention is counted causally here: token i of those read looks at i positions less than the
    last one does, which torch's counter does not see.
    """
    shape = lm.cache_shape
    pairs = n_input * n_past + n_input * (n_input + 1) // 2
    attention = 4 * n_batch * pairs * shape.n_layers * shape.n_heads * shape.head_dim
    return RoofPoint(
        phase="prefill" if n_past == 0 else "decode",
        engine=engine,
        n_batch=n_batch,
        n_input=n_input,
        n_past=n_past,
        seconds=Timed(tuple(seconds)),
        flops=linear_flops + attention,
        weight_bytes=weight_bytes_read(lm, n_batch * n_input),
        cache_bytes=n_batch * (n_past + n_input) * shape.bytes_per_token,
    )


def weight_bytes_read(lm: LanguageModel, n_tokens: int) -> int:
    """Counts the bytes of weights that a pass over so many tokens has to read.

    Of an input embedding that is not the head as well, one row for each token; of experts, at most
    those that the tokens can reach.
    """
    config = lm.model.config.get_text_config(decoder=True)
    find_embeddings: Any = lm.model.get_input_embeddings
    find_head: Any = lm.model.get_output_embeddings
    embeddings, head = find_embeddings().weight, getattr(find_head(), "weight", None)
    n_experts = first_number(config, ("num_local_experts", "num_experts", "n_routed_experts"))
    n_active = first_number(config, ("num_experts_per_tok", "top_k_experts"))
    share = min(1.0, n_tokens * n_active / n_experts) if n_experts and n_active else 1.0
    total = 0.0
    for name, weight in lm.model.named_parameters():
        if weight is embeddings and weight is not head:
            total += min(n_tokens, weight.shape[0]) * weight.shape[1] * weight.element_size()
        else:
            total += weight.nbytes * (share if ".experts." in name else 1.0)
    return round(total)


def check_memory(lm: LanguageModel, n_batch: int, n_tokens: int) -> None:
    """Refuses a batch for whose cache there is no room, and says what would fit.

    Raises:
        ValueError: where sequences of so many tokens do not fit together; one sentence.
    """
    free = free_bytes(lm.device)
    each = lm.cache_shape.bytes_per_token * whole_blocks(n_tokens)
    need = n_batch * each * _HEADROOM  # what stands in memory by now is not free any more
    if need > free:
        needed, there = apart(need / 1e9, free / 1e9)
        raise ValueError(
            f"Batch {n_batch} needs {needed} GB for its cache and {there} GB is free: about "
            f"{int(free / each / _HEADROOM)} sequences of this length would fit."
        )


def flops_of_token(lm: LanguageModel) -> int:
    """Counts the FLOPs of a decode step of one row without attention; n rows take n times that."""
    cache = lm.new_cache()
    return count_flops(lambda: prefill(lm, random_ids(lm, 1), cache)).linear


def prepare(
    lm: LanguageModel, n_batch: int, n_past: int, n_steps: int, say: ProgressOf[Found]
) -> Generator[Progress[Found], None, TimedPass]:
    """Reads a prompt for each row of a batch that is to be timed, and warms it up by a step.

    All rows have the same prompt, so it is read once and its keys and values are copied.

    Raises:
        ValueError: where its cache has no room; `PassError` where a pass did not run.
    """
    check_memory(lm, n_batch, n_past + 1 + n_steps)
    batch = Batch(lm, [random_ids(lm, n_past)])
    batch.reorder([0] * n_batch)

    def step() -> float:
        return batch.append([row[-1] for row in batch.ids])  # the newest tokens, once more

    yield say(f"a step of {n_batch}")
    step()
    return step


def prepare_quickest(
    lm: LanguageModel, n_batch: int, n_past: int, n_steps: int, say: ProgressOf[Found]
) -> Generator[Progress[Found], None, tuple[str, TimedPass]]:
    """Prepares the captured step, so that what a batch shares is seen and not what launches cost.

    Where there is none, or it is refused, the batch decodes by the model's own.

    Raises:
        ValueError: as `prepare`.
    """
    if STATIC in engine_names(lm):
        with suppress(ValueError):
            return STATIC, (yield from _capture(lm, n_batch, n_past, n_steps, say))
    return PLAIN, (yield from prepare(lm, n_batch, n_past, n_steps, say))


def _capture(
    lm: LanguageModel, n_batch: int, n_past: int, n_steps: int, say: ProgressOf[Found]
) -> Generator[Progress[Found], None, TimedPass]:
    check_memory(lm, n_batch, n_past + 1 + n_steps)
    ids, now = random_ids(lm, n_past), say(f"a step of {n_batch}")
    steps = StaticDecode(lm, n_past + 1 + n_steps, n_batch)
    for doing in steps.prepare(("graph",)):
        yield replace(now, doing=doing)
    yield now
    steps.prefill(ids)
    steps.decode(ids[-1])
    return lambda: steps.decode(ids[-1])[1]


def measure_batches(
    lm: LanguageModel,
    batches: Sequence[int] = BATCHES,
    n_past: int = N_PAST,
    n_steps: int = N_STEPS,
) -> Work[BatchRun]:
    """Times decode steps at batch 1, 2, 4, ... 64, as far as memory reaches.

    Raises:
        ValueError: where the model takes no cache.
    """
    make_engine(lm, PLAIN, n_past)  # refuses a model without a cache
    n_past = min(n_past, (lm.context_length or n_past + n_steps + 1) - n_steps - 1)
    n_done, n_total = count(), 1 + len(batches) * (n_steps + 1)
    yield Progress(next(n_done), n_total, "measuring the copy in memory")
    copy, flops = measure_copy(lm).best, flops_of_token(lm)
    read, seconds, refused = dict[int, tuple[str, TimedPass]](), dict[int, list[float]](), None

    def measured() -> BatchRun:
        points = (
            point_of(lm, n, 1, n_past, times, n * flops, read[n][0])
            for n, times in seconds.items()
            if times
        )
        return BatchRun(describe(lm), copy, tuple(points), refused)

    def say(doing: str) -> Progress[BatchRun]:
        return Progress(next(n_done), n_total, doing, measured)

    # read: the prompts of each batch, as long as there is room for its cache
    for n_batch in batches:
        try:
            read[n_batch] = yield from prepare_quickest(lm, n_batch, n_past, n_steps, say)
        except ValueError as error:
            refused = str(error)
            if isinstance(error, PassError):
                refused = f"Batch {n_batch} did not run. {error}"
                refused += f" A batch of {max(read)} fits." if read else ""
            break
        seconds[n_batch] = []
    # step: all batches take turns, so that a busy moment is busy for all
    for _ in range(n_steps):
        for n_batch, (_, step) in read.items():
            yield say(f"a step of {n_batch}")
            seconds[n_batch].append(step())
    return measured()

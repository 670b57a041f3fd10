"""What tokens cost on a machine that is paid by the hour, from the times that it was seen to take.

An hour costs the same whatever the machine does in it, so a token costs the seconds that it holds
the machine. Sequences that share a decode step share its price. Energy is the GPU's own count,
asked of NVML, which comes with NVIDIA's driver; where there is none, nothing is said of energy.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pynvml  # type: ignore[import-untyped]  # ships no types
import torch

from model.fast.engines import Engine, make_engine
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.prefill_decode.records import Energy, Prices
from model.tokenizing import random_ids

Meter: TypeAlias = Callable[[], float]  # the joules that a GPU has used since its driver was loaded

HOUR = 3600.0  # seconds
METERED_SECONDS = 1.5  # a GPU's count moves on some ten times a second
METERED_TOKENS = 512  # of the prompt
MILLION = 1_000_000


def price_tokens(
    per_hour: float, seconds_in: float, seconds_out: float, n_batch: int = 1
) -> Prices:
    """Turns the seconds of a token into its price.

    Args:
        per_hour: Price of the machine for an hour, in any currency.
        seconds_in: Of one prompt token, in a prefill.
        seconds_out: Of one decode step, which gives each sequence of the batch a token.
        n_batch: Sequences that share the step.

    Raises:
        ValueError: for a price that is not above 0; one sentence.
    """
    if not 0 < per_hour < float("inf"):
        raise ValueError("A price per hour is more than 0: type what the machine costs.")
    per_second = per_hour / HOUR
    return Prices(
        per_million_in=per_second * seconds_in * MILLION,
        per_million_out=per_second * seconds_out / n_batch * MILLION,
        n_batch=n_batch,
    )


def price_request(prices: Prices, n_in: int, n_out: int) -> tuple[float, float]:
    """Returns what reading the prompt and writing the answer cost, each."""
    return prices.per_million_in * n_in / MILLION, prices.per_million_out * n_out / MILLION


def saved_by_budget(prices: Prices, n_in: int, n_out: int, budget: int) -> float:
    """Returns the fraction of a request's price that a limit on its output saves."""
    before = sum(price_request(prices, n_in, n_out))
    return 1 - sum(price_request(prices, n_in, min(n_out, budget))) / before


def listed_ratio(price_in: float, price_out: float) -> float:
    """Returns how many input tokens an output token costs, on a price list.

    Raises:
        ValueError: for a price that is not above 0; one sentence.
    """
    if price_in <= 0 or price_out <= 0:
        raise ValueError("A price per million tokens is more than 0: type both from the list.")
    return price_out / price_in


def energy_meter(device: torch.device) -> Meter | None:
    """Finds the meter of a GPU; None where there is no NVML, or the GPU does not count."""
    if device.type != "cuda":
        return None
    try:
        pynvml.nvmlInit()
        uuid = f"GPU-{torch.cuda.get_device_properties(device).uuid}"
        handle = pynvml.nvmlDeviceGetHandleByUUID(uuid)
        pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)
    except (pynvml.NVMLError, AttributeError, RuntimeError):
        return None
    return lambda: float(pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)) / 1000


def measure_energy(
    lm: LanguageModel, engine_name: str, meter: Meter, seconds: float = METERED_SECONDS
) -> Work[Energy]:
    """Reads the meter before and after many prefills, then before and after many decode steps.

    Args:
        lm: The model.
        engine_name: How it decodes, one of `engine_names`.
        meter: Of its GPU.
        seconds: Of each of the two, in one piece: a pause would be counted with it.

    Raises:
        ValueError: where the meter stops to answer.
    """
    ids = random_ids(lm, min(METERED_TOKENS, (lm.context_length or 2 * METERED_TOKENS) // 2))
    engine = make_engine(lm, engine_name, 2 * len(ids))
    for doing in engine.prepare():
        yield Progress(0, 2, doing)
    yield Progress(0, 2, "metering prefill")
    joules_in = _joules_a_token(engine, ids, meter, seconds, is_prefill=True)
    yield Progress(1, 2, "metering decode")
    joules_out = _joules_a_token(engine, ids, meter, seconds, is_prefill=False)
    return Energy(engine.name, joules_in, joules_out)


def _joules_a_token(
    engine: Engine, ids: Sequence[int], meter: Meter, seconds: float, *, is_prefill: bool
) -> float:
    engine.prefill(ids)
    try:
        before, started, n_tokens = meter(), time.perf_counter(), 0
        while time.perf_counter() - started < seconds:
            if is_prefill or n_tokens % len(ids) == len(ids) - 1:
                engine.prefill(ids)  # a decode that has filled the context begins again
            else:
                engine.decode(ids[0])
            n_tokens += len(ids) if is_prefill else 1
        return (meter() - before) / n_tokens
    except pynvml.NVMLError as error:
        raise ValueError(
            "The energy counter of this GPU stopped responding: measure again."
        ) from error

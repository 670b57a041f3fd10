"""Prices by hand, budgets, energy where there is a meter, and answers that one pass scores."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
import torch

from model.fast.engines import PLAIN, make_engine
from model.pass_by_pass import PassByPass, at_once
from model.prefill_decode.cost import (
    N_METERED,
    EnergyMeter,
    energy_meter,
    energy_passes,
    listed_ratio,
    price_request,
    price_tokens,
    saved_by_budget,
)
from model.prefill_decode.scoring import ScoringExperiment, embed
from tests.tiny_models import tiny


class Driver:
    """An NVML that counts a joule more at each look."""

    def __init__(self) -> None:
        self.joules = 0

    def nvmlDeviceGetTotalEnergyConsumption(self, _: Any, out: Any) -> int:  # noqa: N802  NVML's
        self.joules += 1
        ctypes.cast(out, ctypes.POINTER(ctypes.c_ulonglong))[0] = 1000 * self.joules
        return 0


def test_a_price_per_hour_becomes_a_price_per_token() -> None:
    prices = price_tokens(3.6, seconds_in=0.001, seconds_out=0.02)
    assert prices.per_million_in == pytest.approx(1.0)
    assert prices.per_million_out == pytest.approx(20.0)
    assert prices.ratio == pytest.approx(20.0)
    shared = price_tokens(3.6, 0.001, 0.04, n_batch=16)
    assert shared.per_million_out == pytest.approx(2.5)


@pytest.mark.parametrize("price", [0, -1, float("inf"), float("nan")])
def test_a_price_that_is_none_is_refused(price: float) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        price_tokens(price, 0.001, 0.02)


def test_times_and_lists_have_to_be_positive() -> None:
    with pytest.raises(ValueError, match="measure first"):
        price_tokens(1, 0, 0.02)
    with pytest.raises(ValueError, match="type both"):
        listed_ratio(0, 4)
    assert listed_ratio(0.5, 2) == 4


def test_a_budget_saves_the_writing_that_it_cuts_and_no_reading() -> None:
    prices = price_tokens(3.6, 0.001, 0.02)
    read, written = price_request(prices, 1000, 500)
    assert (read, written) == (pytest.approx(0.001), pytest.approx(0.01))
    assert saved_by_budget(prices, 1000, 500, 250) == pytest.approx(0.005 / 0.011)
    assert saved_by_budget(prices, 1000, 500, 900) == 0


def test_energy_is_read_from_the_meter_or_not_at_all() -> None:
    assert energy_meter(torch.device("cpu")) is None
    meter = EnergyMeter(Driver(), ctypes.c_void_p())  # type: ignore[arg-type]  # stands for NVML
    assert (meter.joules(), meter.joules()) == (1.0, 2.0)
    lm = tiny("llama")
    metering = PassByPass(
        energy_passes(lm, make_engine(lm, PLAIN, 96), meter, seconds=0.02), N_METERED
    )
    seen = []
    while not metering.is_done:
        seen.append(metering.doing)
        metering.advance()
    assert seen == ["metering prefill", "metering decode"]
    assert metering.n_done == metering.n_total
    found = metering.result
    assert found is not None
    assert found.engine == PLAIN
    assert 0 < found.joules_in <= 1 / 48
    assert 0 < found.joules_out <= 1
    assert found.ratio == found.joules_out / found.joules_in


def test_a_meter_that_falls_silent_gives_no_joules() -> None:
    class Silent(EnergyMeter):
        def joules(self) -> float | None:
            return None

    lm = tiny("llama")
    silent = Silent(Driver(), ctypes.c_void_p())  # type: ignore[arg-type]  # stands for NVML
    assert at_once(energy_passes(lm, make_engine(lm, PLAIN, 96), silent, seconds=0.0)) is None


def test_an_embedding_is_one_vector_as_wide_as_the_model() -> None:
    vector, _ = embed(tiny("llama"), [5, 6, 7])
    assert vector.shape == (32,)
    assert not np.allclose(vector, embed(tiny("llama"), [7, 6, 5])[0])


def test_an_answer_is_scored_embedded_and_written() -> None:
    experiment = ScoringExperiment(tiny("llama"), "the cat", ["a", "the then"], n_written=5)
    assert experiment.result is None
    while not experiment.is_done:
        experiment.advance()
    result = experiment.result
    assert result is not None
    assert sum(choice.share for choice in result.choices) == pytest.approx(1)
    assert (result.score_seconds.n, result.vector_seconds.n) == (5, 5)
    assert 1 <= result.written.n_out <= 5
    assert result.vector_size == 32


@pytest.mark.parametrize("choices", [[], ["one"], ["same", " same "], ["", "  "]])
def test_a_choice_needs_two_that_differ(choices: list[str]) -> None:
    with pytest.raises(ValueError, match="two different choices"):
        ScoringExperiment(tiny("llama"), "the cat", choices)


def test_a_prompt_beyond_the_context_is_refused() -> None:
    with pytest.raises(ValueError, match="shorten the prompt"):
        ScoringExperiment(tiny("llama"), "x" * 90, ["a", "b"])

"""Prices by hand, budgets, energy where there is a meter, and answers that one pass scores."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import numpy as np
import pynvml  # type: ignore[import-untyped]  # ships no types
import pytest
import torch

from model.fast.engines import PLAIN
from model.job import finish
from model.prefill_decode.cost import (
    energy_meter,
    listed_ratio,
    measure_energy,
    price_request,
    price_tokens,
    saved_by_budget,
)
from model.prefill_decode.scoring import embed, score_and_write
from tests.tiny_models import tiny


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU whose NVML counts a joule more at each look."""
    joules, gpu = count(1), SimpleNamespace(uuid="4f3a")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: gpu)
    monkeypatch.setattr(pynvml, "nvmlInit", lambda: None)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", {"GPU-4f3a": "handle"}.__getitem__)
    monkeypatch.setattr(
        pynvml, "nvmlDeviceGetTotalEnergyConsumption", lambda _: 1000 * next(joules)
    )


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


def test_the_prices_of_a_list_have_to_be_positive() -> None:
    with pytest.raises(ValueError, match="type both"):
        listed_ratio(0, 4)
    assert listed_ratio(0.5, 2) == 4


def test_a_budget_saves_the_writing_that_it_cuts_and_no_reading() -> None:
    prices = price_tokens(3.6, 0.001, 0.02)
    read, written = price_request(prices, 1000, 500)
    assert (read, written) == (pytest.approx(0.001), pytest.approx(0.01))
    assert saved_by_budget(prices, 1000, 500, 250) == pytest.approx(0.005 / 0.011)
    assert saved_by_budget(prices, 1000, 500, 900) == 0


def test_without_a_driver_nothing_is_said_of_energy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert energy_meter(torch.device("cpu")) is None
    gpu = SimpleNamespace(uuid="4f3a")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: gpu)
    assert energy_meter(torch.device("cuda")) is None, "NVML's own error where it is missing"


@pytest.mark.usefixtures("nvml")
def test_energy_is_read_from_the_meter() -> None:
    meter = energy_meter(torch.device("cuda"))
    assert meter is not None
    assert (meter(), meter()) == (2.0, 3.0)
    energy = finish(measure_energy(tiny("llama"), PLAIN, meter, seconds=0.02))
    assert energy.engine == PLAIN
    assert 0 < energy.joules_in <= 1 / 48
    assert 0 < energy.joules_out <= 1
    assert energy.ratio == energy.joules_out / energy.joules_in


@pytest.mark.usefixtures("nvml")
def test_a_meter_that_stops_to_answer_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = energy_meter(torch.device("cuda"))
    assert meter is not None

    def lost(_: object) -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)

    monkeypatch.setattr(pynvml, "nvmlDeviceGetTotalEnergyConsumption", lost)
    with pytest.raises(ValueError, match="stopped responding"):
        finish(measure_energy(tiny("llama"), PLAIN, meter, seconds=0.0))


def test_an_embedding_is_one_vector_as_wide_as_the_model() -> None:
    vector, _ = embed(tiny("llama"), [5, 6, 7])
    assert vector.shape == (32,)
    assert not np.allclose(vector, embed(tiny("llama"), [7, 6, 5])[0])


def test_an_answer_is_scored_embedded_and_written() -> None:
    result = finish(score_and_write(tiny("llama"), "the cat", ["a", "the then"], n_written=5))
    assert sum(choice.share for choice in result.choices) == pytest.approx(1)
    assert (result.score_seconds.n, result.vector_seconds.n) == (5, 5)
    assert 1 <= result.written.n_out <= 5
    assert result.vector_size == 32


@pytest.mark.parametrize(
    ("prompt", "choices", "refusal"),
    [
        ("the cat", [], "two different choices"),
        ("the cat", ["one"], "two different choices"),
        ("the cat", ["same", " same "], "two different choices"),
        ("the cat", ["", "  "], "two different choices"),
        ("x" * 90, ["a", "b"], "shorten the prompt"),
    ],
)
def test_what_cannot_be_scored_is_refused(prompt: str, choices: list[str], refusal: str) -> None:
    with pytest.raises(ValueError, match=refusal):
        next(score_and_write(tiny("llama"), prompt, choices))

"""Prices by hand, budgets, energy where there is a meter, and answers that one pass scores."""

from itertools import count
from types import SimpleNamespace

import numpy as np
import pynvml  # type: ignore[import-untyped]  # ships no types
import pytest
import torch

from model.fast.engines import PLAIN
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel
from model.prefill_decode.cost import (
    energy_meter,
    listed_ratio,
    measure_energy,
    price_request,
    price_tokens,
    saved_by_budget,
)
from model.prefill_decode.scoring import embed, score_and_write, score_choices
from model.tokenizing import encode, encode_bare
from tests.tiny_models import passes_of, tiny


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU whose NVML counts a joule more at each look."""
    joules = count(1)
    monkeypatch.setattr(pynvml, "nvmlInit", lambda: None)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", {"GPU-4f3a": "handle"}.__getitem__)
    monkeypatch.setattr(
        pynvml, "nvmlDeviceGetTotalEnergyConsumption", lambda _: 1000 * next(joules)
    )


@pytest.fixture(autouse=True)
def _gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = SimpleNamespace(uuid="4f3a")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: gpu)


def test_c29_a_price_per_hour_becomes_a_price_per_token_and_a_budget_saves_writing() -> None:
    prices = price_tokens(3.6, seconds_in=0.001, seconds_out=0.02)
    assert prices.per_million_in == pytest.approx(1.0)
    assert prices.per_million_out == pytest.approx(20.0)
    assert prices.ratio == pytest.approx(20.0)
    assert price_tokens(3.6, 0.001, 0.04, n_batch=16).per_million_out == pytest.approx(2.5)
    assert price_request(prices, 1000, 500) == (pytest.approx(0.001), pytest.approx(0.01))
    assert saved_by_budget(prices, 1000, 500, 250) == pytest.approx(0.005 / 0.011)
    assert saved_by_budget(prices, 1000, 500, 900) == 0
    assert listed_ratio(0.5, 2) == 4


def test_a_price_that_is_none_is_refused() -> None:
    for price in (0, -1, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="more than 0"):
            price_tokens(price, 0.001, 0.02)
    with pytest.raises(ValueError, match="type both"):
        listed_ratio(0, 4)


def test_without_a_driver_nothing_is_said_of_energy() -> None:
    assert energy_meter(torch.device("cpu")) is None
    assert energy_meter(torch.device("cuda")) is None, "NVML's own error where it is missing"


@pytest.mark.usefixtures("nvml")
def test_energy_is_read_from_the_meter_until_it_stops_to_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meter = energy_meter(torch.device("cuda"))
    assert meter is not None
    assert (meter(), meter()) == (2.0, 3.0)
    energy = finish(measure_energy(tiny("llama"), PLAIN, meter, seconds=0.02))
    assert energy.engine == PLAIN
    assert 0 < energy.joules_in <= 1 / 48
    assert 0 < energy.joules_out <= 1
    assert energy.ratio == energy.joules_out / energy.joules_in

    def lost(_: object) -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)

    monkeypatch.setattr(pynvml, "nvmlDeviceGetTotalEnergyConsumption", lost)
    with pytest.raises(ValueError, match="stopped responding"):
        finish(measure_energy(tiny("llama"), PLAIN, meter, seconds=0.0))


def test_c30_a_score_for_every_choice_takes_one_pass_and_no_loop(
    storyteller: LanguageModel,
) -> None:
    prompt = encode(storyteller, "He lost his ball. The boy was very")
    choices = [encode_bare(storyteller, text) for text in (" sad", " happy", " made of stone")]
    with passes_of(storyteller) as read:
        scores, _ = score_choices(storyteller, prompt, choices)
    assert len(read) == 1, "over all three"
    # the loop, forced along each choice, comes to the same
    for choice, score in zip(choices, scores, strict=True):
        text = Generation(storyteller, prompt)
        steps = [text.step(token_id=token_id) for token_id in choice]
        assert score == pytest.approx(sum(step.logprob for step in steps), abs=1e-3)
    assert scores[0] > scores[2]


def test_an_answer_is_scored_embedded_and_written() -> None:
    lm = tiny("llama")
    result = finish(score_and_write(lm, "the cat", ["a", "the then"], n_written=5))
    assert sum(choice.share for choice in result.choices) == pytest.approx(1)
    assert (result.score_seconds.n, result.vector_seconds.n) == (5, 5)
    assert 1 <= result.written.n_out <= 5
    vector, _ = embed(lm, [5, 6, 7])
    assert vector.shape == (result.vector_size,) == (32,)
    assert not np.allclose(vector, embed(lm, [7, 6, 5])[0])


@pytest.mark.parametrize(
    ("prompt", "choices", "refusal"),
    [
        ("the cat", ["one", "", "  "], "two different choices"),
        ("the cat", ["same", " same "], "two different choices"),
        ("x" * 90, ["a", "b"], "shorten the prompt"),
    ],
)
def test_what_cannot_be_scored_is_refused(prompt: str, choices: list[str], refusal: str) -> None:
    with pytest.raises(ValueError, match=refusal):
        next(score_and_write(tiny("llama"), prompt, choices))

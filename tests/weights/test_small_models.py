"""The list of small models says of each what its published config says."""

import json
from pathlib import Path

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from model.weights import building, facts
from model.weights.hub import is_hub_id

LISTED = json.loads(Path(facts.__file__).with_name("small_models.json").read_text("utf-8"))
STORED = (2, 4)  # bytes of a number, as they are uploaded


@pytest.mark.parametrize("model", LISTED["models"], ids=lambda model: model["id"])
def test_parameters_follow_from_the_config_and_bytes_from_them(model: dict) -> None:
    with building, torch.device("meta"):
        built = AutoModelForCausalLM.from_config(AutoConfig.for_model(**model["config"]))
    assert model["n_parameters"] == sum(p.numel() for p in built.parameters())
    bytes_per_number = model["megabytes"] * 1e6 / model["n_parameters"]
    assert any(stored <= bytes_per_number < 1.2 * stored for stored in STORED)
    assert is_hub_id(model["id"])
    assert model["source"].endswith(model["id"])


def test_gpt2_is_listed_first_and_needs_half_the_memory_in_16_bits() -> None:
    first = facts.small_models()[0]
    assert first.name == "openai-community/gpt2"
    assert first.memory("float32") == 2 * first.memory("bfloat16") == 4 * 124_439_808


def test_the_rate_of_memory_is_measured_in_each_format() -> None:
    for dtype in ("float32", "bfloat16"):
        assert 1e7 < facts.bytes_per_second("cpu", dtype) < 1e13

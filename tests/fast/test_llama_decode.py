"""The decode step written by hand against the model beside which it lives."""

from typing import Any

import pytest
import torch
from transformers import DynamicCache

from model.fast import llama_decode
from model.fast.layout import Way, by_columns, by_rows, turned
from model.kv_cache import crop, fork
from model.loading import load_model
from tests.tiny_models import bare_model

pytestmark = pytest.mark.oracle

PROMPT_IDS = [5, 6, 7, 8]
WIDTHS = (*[1] * 12, 2, 3, 4, 5, 6, 7, 1, 8, 9, llama_decode.FastDecode.max_tokens, 1)  # at once
EQUAL = 5e-6  # of the largest logit


def largest_gap(model: Any, by_hand: llama_decode.FastDecode | None) -> float:
    """The largest difference of any logit, each side reading its own cache, cropped on the way.

    In parts of the largest logit: float32 knows no smaller than 6e-8 of it.
    """
    assert by_hand is not None
    ours = DynamicCache()
    with torch.inference_mode():
        model(torch.tensor([PROMPT_IDS]), past_key_values=ours, use_cache=True)
        theirs, gaps = fork(ours), []
        for n, width in enumerate(WIDTHS):
            ids = list(range(10 + n, 10 + n + width))
            wanted = model(torch.tensor([ids]), past_key_values=theirs, use_cache=True).logits[0]
            found = by_hand.read(ids, ours)
            assert found.shape == wanted.shape
            gaps.append((found - wanted).abs().max() / wanted.abs().max())
            crop(ours, width // 2)
            crop(theirs, width // 2)
    assert ours.get_seq_length() == theirs.get_seq_length()
    return float(max(gaps))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"num_key_value_heads": 4},
        {"num_key_value_heads": 1},
        {"head_dim": 12},
        {"tie_word_embeddings": True},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
    ],
)
def test_a_llama_gives_the_same_logits_by_hand(changes: dict[str, Any]) -> None:
    model = bare_model("llama", **changes)
    assert largest_gap(model, llama_decode.fast_decode(model)) < EQUAL


@pytest.mark.parametrize(
    "name", ["storyteller", "storyteller_early", "scribbler", "scribbler_plain"]
)
def test_a_shipped_model_gives_the_same_logits_by_hand(name: str) -> None:
    lm = load_model(name, "cpu")
    assert largest_gap(lm.model, lm.weights.quick) < EQUAL


@pytest.mark.parametrize("way", [by_rows, by_columns, turned])
def test_each_way_of_a_product_gives_the_same_logits(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_decode, "quickest_way", lambda *_: way)
    model = bare_model("llama")
    assert largest_gap(model, llama_decode.fast_decode(model)) < EQUAL


@pytest.mark.parametrize(
    ("architecture", "changes"),
    [
        ("gpt2", {}),
        ("qwen2", {}),
        ("qwen3", {}),
        ("mistral", {}),
        ("llama", {"attention_bias": True}),
        ("llama", {"mlp_bias": True}),
        ("llama", {"hidden_act": "gelu"}),
        ("llama", {"max_position_embeddings": 100_000}),
        ("llama", {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4}}),
    ],
)
def test_a_model_of_another_shape_is_left_to_transformers(
    architecture: str, changes: dict[str, Any]
) -> None:
    assert llama_decode.fast_decode(bare_model(architecture, **changes)) is None


def test_16_bits_and_large_models_are_left_to_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert llama_decode.fast_decode(bare_model("llama").to(torch.bfloat16)) is None
    monkeypatch.setattr(llama_decode, "_SMALL", 1000)
    assert llama_decode.fast_decode(bare_model("llama")) is None

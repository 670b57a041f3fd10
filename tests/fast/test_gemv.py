"""Layers taken the other way round for a single row, against the model's own product."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from torch import nn

from model.fast import gemv
from model.fast.gemv import by_columns, tall_layers
from model.passes import decode_one_token, prefill
from tests.tiny_models import bare_model, tiny

pytestmark = pytest.mark.oracle

ARCHITECTURES = ("gpt2", "qwen2", "qwen3", "gemma2", "mistral")


@pytest.fixture(autouse=True)
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The product is right on any machine; where it pays is another matter."""
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_decoded_token_has_the_models_own_logits(architecture: str) -> None:
    lm = tiny(architecture)
    lm = dataclasses.replace(lm, tall_layers=tall_layers(lm.model))
    assert lm.tall_layers
    plain = dataclasses.replace(lm, tall_layers=())
    caches = [lm.new_cache(), lm.new_cache()]
    for cache in caches:
        prefill(lm, [5, 6, 7], cache)
    for token_id in range(10, 20):
        rows = [
            decode_one_token(of, token_id, cache)[0]
            for of, cache in zip((lm, plain), caches, strict=True)
        ]
        assert rows[0] == pytest.approx(rows[1], abs=2e-5)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(7,), (1, 7), (1, 1, 7), (3, 7), (2, 4, 7)])
def test_rows_of_any_number_come_out_as_the_layer_would_have_them(
    shape: tuple[int, ...], bias: bool
) -> None:
    torch.manual_seed(0)
    layer = nn.Linear(7, 40, bias=bias)
    x = torch.randn(shape)
    wanted = layer(x)
    with by_columns([layer]):
        found = layer(x)
    assert found.shape == wanted.shape
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)
    assert torch.equal(layer(x), wanted), "behind the context the layer is as it was"


def test_only_plain_tall_layers_in_float32_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    model = bare_model("llama")
    names = {id(layer): name for name, layer in model.named_modules()}
    chosen = {names[id(layer)].rpartition(".")[2] for layer in tall_layers(model)}
    assert {"gate_proj", "up_proj", "lm_head"} <= chosen
    assert "down_proj" not in chosen
    assert tall_layers(bare_model("llama").to(torch.bfloat16)) == ()
    with monkeypatch.context() as patch:
        patch.setattr(gemv, "_WIDEST", 4)
        assert tall_layers(model) == ()
    # nor without the library that is slow at it
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: False)
    assert tall_layers(model) == ()


def test_a_layer_that_fails_is_given_back() -> None:
    layer = nn.Linear(3, 9)
    with pytest.raises(RuntimeError), by_columns([layer]):
        layer(torch.ones(2, 5))
    assert "forward" not in vars(layer)
    assert np.isfinite(layer(torch.ones(1, 3)).detach().numpy()).all()

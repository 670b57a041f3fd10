"""The mask's lesson against transformers: its own loss, its own eager attention, its own mask."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.causal_mask.attention import read_attention, read_unmasked
from model.causal_mask.losses import losses_in_one_pass
from tests.tiny_models import bare_model, tiny

IDS = [5, 6, 7, 8, 9, 10, 11, 12, 13]


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "gemma3", "mixtral", "bloom", "mamba"])
def test_the_mean_loss_is_the_one_that_training_lowers(architecture: str) -> None:
    lm = tiny(architecture)
    ids = torch.tensor([IDS])
    with torch.inference_mode():
        truth = float(lm.model(ids, labels=ids, use_cache=False).loss)
    assert losses_in_one_pass(lm, IDS).mean == pytest.approx(truth, abs=1e-5)


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "gemma2", "mistral"])
def test_the_twin_s_attention_is_that_of_a_model_made_eager(architecture: str) -> None:
    model = bare_model(architecture, attn_implementation="eager")
    with torch.inference_mode():
        output = model(torch.tensor([IDS]), output_attentions=True, use_cache=False)
    truth = np.stack([weights[0].numpy() for weights in output.attentions])
    assert np.allclose(read_attention(tiny(architecture), IDS).weights, truth, atol=1e-6)


def test_without_the_mask_the_last_layer_s_first_position_sees_what_the_last_one_sees() -> None:
    """A text of one token repeated, without positions: every row is the same once nothing hides."""
    lm = tiny("gpt2")
    table = lm.model.transformer.wpe.weight
    kept = table.detach().clone()
    try:
        with torch.no_grad():
            table.zero_()
        logits = read_unmasked(lm, [5, 6, 5, 7])
        shuffled = read_unmasked(lm, [7, 5, 6, 5])
    finally:
        with torch.no_grad():
            table.copy_(kept)
    # blind to order and to the mask, a token's logits depend on which others there are
    assert np.allclose(logits[[0, 1, 2, 3]], shuffled[[1, 2, 3, 0]], atol=1e-5)
    assert np.allclose(logits[0], logits[2], atol=1e-5)

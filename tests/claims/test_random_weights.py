"""What is said of language or training does not hold for weights that nobody has trained.

A claim of that kind that holds here as well does not measure its sentence; the sizes are those in
which a trained model's does. The model stands among a whole family of random ones, with the shipped
tokenizer, so that drafts, judges and masked models are random too.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest
import torch
from transformers import AutoConfig

from model.claims import advanced, errors
from model.claims.context import ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.loading import LanguageModel, load_model
from model.weights.locate import SHIPPED
from pages.frame.claims import CLAIMS
from tests.tiny_models import save

# that the speed follows the agreement is arithmetic, and only where it comes from is learned
HALF_ARITHMETIC = "C32"
DIFFER_BY_CHANCE = {"C34", "C42"}  # fewer pages, or stories, than usual


@functools.cache
def family(name: str) -> LanguageModel:
    """A shipped model's architecture with one layer of random weights, and its tokenizer."""
    shipped = load_model(name, "cpu")
    shape = AutoConfig.from_pretrained(SHIPPED[name]).to_dict() | {"num_hidden_layers": 1}
    if layers := shape.get("layer_types"):
        shape["layer_types"] = layers[:1]
    with torch.random.fork_rng():
        torch.manual_seed(sum(map(ord, name)))
        model = type(shipped.model)(type(shipped.model.config)(**shape))
        for weights in model.parameters():
            if weights.dim() > 1:
                torch.nn.init.normal_(weights, std=0.1)
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder), model, shipped.tokenizer)
        return load_model(folder, "cpu")


@pytest.mark.parametrize("claim_id", [claim.id for claim in CLAIMS if claim.kind == "learned"])
def test_nothing_learned_is_seen_in_random_weights(
    claim_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advanced, "LENGTH", 16)
    monkeypatch.setattr(errors, "N_LONG", 128)
    scale = 1.0 if claim_id in DIFFER_BY_CHANCE else 0.6
    context = ExperimentContext(family("storyteller"), n_tokens=12, scale=scale, load=family)
    finding = EXPERIMENTS[claim_id](context)
    half = {"holds partly"} if claim_id == HALF_ARITHMETIC else set()
    assert finding.outcome not in {"holds here", "holds partly"} - half, finding.evidence

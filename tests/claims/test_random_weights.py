"""What is said of language or training does not hold for weights that nobody has trained.

A claim of that kind that holds here as well does not measure its sentence; the sizes are those in
which a trained model's does. The first model stands among a whole family of random ones, with the
shipped tokenizer, so that drafts, judges and masked models are random too; the other is of another
architecture, and has a tokenizer of its own.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoConfig

from model.claims import advanced
from model.claims.context import ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.loading import LanguageModel, load_model
from model.weights.locate import SHIPPED
from pages.frame.claims import CLAIMS
from tests.tiny_models import bare_model, save, tokenizer

LEARNED = [claim.id for claim in CLAIMS if claim.kind == "learned"]
NAME_THEIR_MODELS = {"C33", "C34", "C36"}  # where the tokenizer is another: once is enough
REFUSED = {("mamba", "C32"): "cannot be cropped"}  # a state cannot take draft tokens back
# that the speed follows the agreement is arithmetic, and only where it comes from is learned
HALF_ARITHMETIC = "C32"
DIFFER_BY_CHANCE = {"C34", "C42"}  # fewer pages, or stories, than usual
TEMPLATE = "{% for m in messages %}<|user|>{{ m['content'] }}<|end|>{% endfor %}"


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


@functools.cache
def other(architecture: str) -> LanguageModel:
    words = tokenizer(chat_template=TEMPLATE)
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder), bare_model(architecture), words)
        return load_model(folder, "cpu")


MODELS: dict[str, Callable[[], LanguageModel]] = {
    "llama": lambda: family("storyteller"),
    "mamba": lambda: other("mamba"),
}


CASES = [
    (architecture, claim_id)
    for architecture in MODELS
    for claim_id in LEARNED
    if architecture == "llama" or claim_id not in NAME_THEIR_MODELS
]


@pytest.mark.parametrize(("architecture", "claim_id"), CASES)
def test_nothing_learned_is_seen_in_random_weights(
    architecture: str, claim_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advanced, "LENGTH", 16)
    context = ExperimentContext(
        MODELS[architecture](),
        n_tokens=12,
        scale=1.0 if claim_id in DIFFER_BY_CHANCE else 0.6,
        load=family,
    )
    if reason := REFUSED.get((architecture, claim_id)):
        with pytest.raises(ValueError, match=reason):
            EXPERIMENTS[claim_id](context)
        return
    finding = EXPERIMENTS[claim_id](context)
    half = {"holds partly"} if claim_id == HALF_ARITHMETIC else set()
    assert finding.outcome not in {"holds here", "holds partly"} - half, finding.evidence

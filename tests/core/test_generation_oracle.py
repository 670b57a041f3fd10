"""The loop against transformers, architecture by architecture: logits, then ids."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from model.fast.block_cache import BLOCK, whole_blocks
from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import encode
from tests.tiny_models import (
    ARCHITECTURES,
    CROPPABLE,
    VOCAB_SIZE,
    WINDOW,
    fresh_logits,
    generated,
    tiny,
)

pytestmark = pytest.mark.oracle

GREEDY = Settings(temperature=0)
TOLERANCE = 5e-5  # float32, logits of a few units
PROMPT = "the cat sat on the"


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_logits_at_every_step_are_those_of_a_fresh_full_pass(architecture: str) -> None:
    g = Generation(tiny(architecture), PROMPT, max_new_tokens=3 * WINDOW)
    for position in range(3 * WINDOW):
        np.testing.assert_allclose(g.logits, fresh_logits(g.lm, g.ids), rtol=0, atol=TOLERANCE)
        g.step(token_id=(37 * position + 11) % 250)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_greedy_ids_are_those_of_generate(architecture: str) -> None:
    g = Generation(tiny(architecture), PROMPT, max_new_tokens=12)
    while g.finished is None:
        g.step(GREEDY)
    assert g.ids == generated(g.lm, g.prompt_ids, 12, g.lm.end_ids)


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "gemma2", "mamba"])
def test_greedy_stops_at_the_token_where_generate_stops(architecture: str) -> None:
    """With several end tokens, one of which is sure to come: it is the last id."""
    lm = tiny(architecture)
    end_ids = frozenset({generated(lm, encode(lm, PROMPT), 12)[-4], VOCAB_SIZE - 1})
    g = Generation(dataclasses.replace(lm, end_ids=end_ids), PROMPT)
    while g.finished is None:
        g.step(GREEDY)
    assert g.finished == "eos"
    assert g.ids == generated(lm, g.prompt_ids, 12, end_ids)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_rewind_leaves_what_a_fresh_prefill_would(architecture: str) -> None:
    g = Generation(tiny(architecture), PROMPT)
    for position in range(2 * WINDOW):
        g.step(token_id=(53 * position + 5) % 250)
    for n_tokens in (1, WINDOW + 2, 0, 2):
        g.rewind(n_tokens)
        np.testing.assert_allclose(g.logits, fresh_logits(g.lm, g.ids), rtol=0, atol=TOLERANCE)
    g.step(token_id=9)
    np.testing.assert_allclose(g.logits, fresh_logits(g.lm, g.ids), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("architecture", CROPPABLE)
def test_the_cache_holds_as_many_bytes_as_the_formula_says(architecture: str) -> None:
    g = Generation(tiny(architecture), PROMPT)
    for _ in range(BLOCK):
        g.step(token_id=3)
    for n_tokens in (0, 1, BLOCK - 1):  # the last gives a block back
        g.rewind(n_tokens)
        assert g.cache_tokens == len(g.ids)
        assert g.cache_bytes == g.lm.cache_shape.bytes_per_token * len(g.ids)
        assert g.bytes_held == g.lm.cache_shape.bytes_per_token * whole_blocks(len(g.ids))


def test_the_shipped_model_agrees_with_transformers(storyteller: LanguageModel) -> None:
    g = Generation(storyteller, "The cat sat on the", max_new_tokens=16)
    while g.finished is None:
        np.testing.assert_allclose(g.logits, fresh_logits(g.lm, g.ids), rtol=0, atol=1e-4)
        g.step(GREEDY)
    assert g.ids == generated(g.lm, g.prompt_ids, 16, g.lm.end_ids)

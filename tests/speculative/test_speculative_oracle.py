"""Speculative decoding against transformers' assisted generation."""

from __future__ import annotations

import pytest

from model.loading import LanguageModel, load_model
from model.speculative.decoding import decode_with_draft
from model.speculative.drafting import ModelDraft
from model.tokenizing import encode
from tests.tiny_models import generated, tiny

pytestmark = pytest.mark.oracle

PROMPT_IDS = [5, 6, 7, 8]


def assisted(target: LanguageModel, draft: LanguageModel, ids: list[int], n: int) -> list[int]:
    """What transformers' assisted generation writes greedily."""
    return generated(target, ids, n, target.end_ids, assistant_model=draft.model)


def ours(target: LanguageModel, draft: LanguageModel, ids: list[int], n: int) -> list[int]:
    return decode_with_draft(target, ModelDraft(draft, target.vocab_size), ids, 4, n)[0]


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "qwen3"])
def test_greedy_text_is_that_of_assisted_generation(architecture: str) -> None:
    target, draft = tiny(architecture), tiny(architecture, seed=1)
    assert ours(target, draft, PROMPT_IDS, 24) == assisted(target, draft, PROMPT_IDS, 24)


@pytest.mark.parametrize("prompt", ["The cat sat on the", "Once upon a time there was"])
def test_the_shipped_pair_writes_what_assisted_generation_writes(
    storyteller: LanguageModel, prompt: str
) -> None:
    draft, ids = load_model("scribbler", device="cpu"), encode(storyteller, prompt)
    assert ours(storyteller, draft, ids, 32) == assisted(storyteller, draft, ids, 32)

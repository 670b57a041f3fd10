"""Speculative decoding and its pass by hand against transformers' own."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import DynamicCache

from model.fast.llama_decode import MAX_TOKENS
from model.kv_cache import crop, fork
from model.loading import LanguageModel, load_model
from model.speculative.decoding import decode_with_draft
from model.speculative.drafting import ModelDraft
from model.tokenizing import encode
from tests.tiny_models import generated, tiny

pytestmark = pytest.mark.oracle

PROMPT_IDS = [5, 6, 7, 8]


def gap_by_hand(lm: LanguageModel, widths: list[int]) -> float:
    """The largest difference of any logit, each side reading its own cache, some of it cropped."""
    by_hand = lm.weights.fast_decode
    assert by_hand is not None
    model: Any = lm.model
    ours = DynamicCache()
    with torch.inference_mode():
        model(torch.tensor([PROMPT_IDS]), past_key_values=ours, use_cache=True)
        theirs, gaps = fork(ours), []
        for width in widths:
            ids = list(range(10, 10 + width))
            wanted = model(torch.tensor([ids]), past_key_values=theirs, use_cache=True).logits[0]
            found = by_hand.read(ids, ours)
            assert found.shape == wanted.shape
            gaps.append(float((found - wanted).abs().max()))
            crop(ours, width // 2)
            crop(theirs, width // 2)
    assert ours.get_seq_length() == theirs.get_seq_length()
    return max(gaps)


def test_a_few_tokens_by_hand_give_the_model_s_logits() -> None:
    assert gap_by_hand(tiny("llama"), [1, 2, 5, 1, 9, MAX_TOKENS]) < 2e-5
    assert tiny("qwen3").weights.fast_decode is None


def test_the_shipped_pair_reads_a_few_tokens_by_hand(storyteller: LanguageModel) -> None:
    widths = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert gap_by_hand(storyteller, widths) < 5e-5
    assert gap_by_hand(load_model("scribbler", device="cpu"), widths) < 5e-5


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

"""Beam search against transformers': the same texts with the same scores, in the same order."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from model.beam_search import BeamSearch, EarlyStopping, rank_finished, sentence_ends
from model.generation import Generation
from model.loading import LanguageModel
from tests.tiny_models import ARCHITECTURES, tiny

pytestmark = pytest.mark.oracle

PROMPTS = ("the cat sat on the", "Once upon a time", "0 1 2", "the")
SHIPPED_PROMPTS = (
    "The cat sat on the",
    "Once upon a time there was a",
    "Lily was thirsty. She wanted to drink some",
    "The old king looked at",
)


def theirs(
    lm: LanguageModel,
    ids: list[int],
    n_beams: int,
    length_penalty: float,
    n_tokens: int,
    end_ids: frozenset[int],
    early_stopping: EarlyStopping = False,
) -> list[tuple[list[int], float]]:
    """Generated ids and scores by transformers, best first."""
    model: Any = lm.model
    prompt = torch.tensor([ids])
    with torch.inference_mode():
        made = model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=n_tokens,
            num_beams=n_beams,
            num_return_sequences=n_beams,
            length_penalty=length_penalty,
            early_stopping=early_stopping,
            do_sample=False,
            eos_token_id=sorted(end_ids) or None,
            pad_token_id=lm.vocab_size - 1,
            return_dict_in_generate=True,
            output_scores=True,
        )
    texts = [[int(i) for i in row[len(ids) :]] for row in made.sequences]
    pad = lm.vocab_size - 1
    return [
        (cut(text, end_ids, pad), float(score))
        for text, score in zip(texts, made.sequences_scores, strict=True)
    ]


def cut(ids: list[int], end_ids: frozenset[int], pad: int) -> list[int]:
    """A text without its padding: up to and with its first end token."""
    ends = [i for i, token_id in enumerate(ids) if token_id in end_ids]
    if ends:
        return ids[: ends[0] + 1]
    while ids and ids[-1] == pad:
        ids = ids[:-1]
    return ids


def compare(
    lm: LanguageModel,
    prompt: str,
    n_beams: int,
    length_penalty: float,
    n_tokens: int,
    end_ids: frozenset[int],
    early_stopping: EarlyStopping = False,
) -> BeamSearch:
    start = Generation(lm, prompt)
    search = BeamSearch(start, n_beams, length_penalty, n_tokens, end_ids, early_stopping)
    ours = search.run()
    expected = theirs(lm, start.ids, n_beams, length_penalty, n_tokens, end_ids, early_stopping)
    assert [list(beam.token_ids) for beam in ours] == [ids for ids, _ in expected]
    scores = [beam.score(length_penalty) for beam in ours]
    assert scores == pytest.approx([score for _, score in expected], abs=2e-4)
    return search


def usual_ends(lm: LanguageModel) -> frozenset[int]:
    """End tokens that a random model is likely to write within a few steps."""
    return frozenset(range(0, lm.vocab_size, 7))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_texts_and_scores_are_those_of_transformers(architecture: str) -> None:
    lm = tiny(architecture)
    compare(lm, PROMPTS[0], 4, 1.0, 9, usual_ends(lm))


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "gemma2", "mamba"])
@pytest.mark.parametrize("n_beams", [2, 3, 8])
@pytest.mark.parametrize("length_penalty", [-1.0, 0.0, 0.7, 2.0])
def test_any_beams_and_any_penalty(architecture: str, n_beams: int, length_penalty: float) -> None:
    lm = tiny(architecture)
    n_ended = 0
    for prompt in PROMPTS:
        search = compare(lm, prompt, n_beams, length_penalty, 8, usual_ends(lm))
        n_ended += sum(beam.ended for beam in search.finished)
    assert n_ended


@pytest.mark.parametrize("early_stopping", [True, False, "never"])
@pytest.mark.parametrize("length_penalty", [-0.5, 0.0, 1.5])
def test_each_rule_for_stopping(early_stopping: EarlyStopping, length_penalty: float) -> None:
    lm = tiny("llama")
    for prompt in PROMPTS:
        compare(lm, prompt, 3, length_penalty, 12, usual_ends(lm), early_stopping)


@pytest.mark.parametrize("n_beams", [3, 8])
@pytest.mark.parametrize("prompt", SHIPPED_PROMPTS)
def test_the_shipped_model_up_to_the_end_of_a_sentence(
    storyteller: LanguageModel, prompt: str, n_beams: int
) -> None:
    for length_penalty in (0.0, 1.0):
        search = compare(
            storyteller, prompt, n_beams, length_penalty, 12, sentence_ends(storyteller)
        )
        best = rank_finished(search.finished, length_penalty)[0]
        assert best.text == storyteller.tokenizer.decode(list(best.token_ids))

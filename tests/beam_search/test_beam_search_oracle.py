"""Beam search against transformers': the same texts with the same scores, in the same order."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from model.beam_search import BeamSearch, rank_finished, sentence_ends
from model.generation import Generation
from model.loading import LanguageModel
from tests.tiny_models import ARCHITECTURES, tiny

pytestmark = pytest.mark.oracle

PROMPTS = ("the cat sat on the", "0 1 2")
SHIPPED_PROMPTS = ("The cat sat on the", "Lily was thirsty. She wanted to drink some")


def compare(
    lm: LanguageModel, prompt: str, end_ids: frozenset[int], n_beams: int, **how: Any
) -> BeamSearch:
    """Hold our texts and scores against those of transformers, best first."""
    start, pad_id = Generation(lm, prompt), lm.vocab_size - 1
    search = BeamSearch(start, n_beams, end_ids=end_ids, **how)
    ours = search.run()
    model: Any = lm.model
    prompts = torch.tensor([start.ids])
    with torch.inference_mode():
        theirs = model.generate(
            prompts,
            attention_mask=torch.ones_like(prompts),
            num_beams=n_beams,
            num_return_sequences=n_beams,
            do_sample=False,
            eos_token_id=sorted(end_ids) or None,
            pad_token_id=pad_id,
            return_dict_in_generate=True,
            output_scores=True,
            early_stopping=False,
            **how,
        )
    texts = [cut(row[len(start.ids) :].tolist(), end_ids, pad_id) for row in theirs.sequences]
    assert [list(beam.token_ids) for beam in ours] == texts
    scores = [beam.score(how["length_penalty"]) for beam in ours]
    assert scores == pytest.approx(theirs.sequences_scores.tolist(), abs=2e-4)
    return search


def cut(ids: list[int], end_ids: frozenset[int], pad_id: int) -> list[int]:
    """A text without its padding: up to and with its first end token."""
    ends = [i for i, token_id in enumerate(ids) if token_id in end_ids]
    if ends:
        return ids[: ends[0] + 1]
    while ids and ids[-1] == pad_id:
        ids = ids[:-1]
    return ids


def usual_ends(lm: LanguageModel) -> frozenset[int]:
    """End tokens that a random model is likely to write within a few steps."""
    return frozenset(range(0, lm.vocab_size, 7))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_texts_and_scores_are_those_of_transformers(architecture: str) -> None:
    lm = tiny(architecture)
    compare(lm, PROMPTS[0], usual_ends(lm), 4, length_penalty=1.0, max_new_tokens=9)


@pytest.mark.parametrize(
    ("architecture", "n_beams"), [("gpt2", 2), ("llama", 3), ("mamba", 3), ("gemma2", 8)]
)
@pytest.mark.parametrize("length_penalty", [-1.0, 0.0, 0.7, 2.0])
def test_any_beams_and_any_penalty(architecture: str, n_beams: int, length_penalty: float) -> None:
    lm, how = tiny(architecture), {"length_penalty": length_penalty, "max_new_tokens": 8}
    searches = [compare(lm, prompt, usual_ends(lm), n_beams, **how) for prompt in PROMPTS]
    assert any(beam.ended for search in searches for beam in search.finished)


@pytest.mark.parametrize("n_beams", [3, 8])
@pytest.mark.parametrize("prompt", SHIPPED_PROMPTS)
def test_the_shipped_model_up_to_the_end_of_a_sentence(
    storyteller: LanguageModel, prompt: str, n_beams: int
) -> None:
    for length_penalty in (0.0, 1.0):
        how = {"length_penalty": length_penalty, "max_new_tokens": 12}
        search = compare(storyteller, prompt, sentence_ends(storyteller), n_beams, **how)
        best = rank_finished(search.finished, length_penalty)[0]
        assert best.text == storyteller.tokenizer.decode(list(best.token_ids))

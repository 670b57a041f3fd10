"""The engines against transformers' own code: the same logits, the same greedy ids."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from model.fast.cuda_decode import StaticDecode
from model.fast.engines import engine_names, make_engine
from model.loading import LanguageModel
from model.prefill_decode.experiments import stream
from tests.tiny_models import fresh_logits, generated, tiny

pytestmark = pytest.mark.oracle

PROMPT = [5, 6, 7, 8, 9]


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "qwen3", "gpt_neox", "phi", "deepseek"])
def test_the_static_step_has_the_logits_of_a_pass_over_the_whole_text(architecture: str) -> None:
    lm = tiny(architecture)
    steps = StaticDecode(lm, 24)
    list(steps.prepare())  # a trial of the ways leaves it right
    ids = list(PROMPT)
    for _ in range(2):  # the same cache, used again
        logits, _ = steps.prefill(ids)
        for token_id in (20, 30, 40):
            assert np.abs(logits - fresh_logits(lm, ids)).max() < 1e-5
            logits, _ = steps.decode(token_id)
            ids.append(token_id)
        assert np.abs(logits - fresh_logits(lm, ids)).max() < 1e-5


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "mistral", "gemma2", "storyteller"])
def test_every_engine_writes_what_generate_writes(
    architecture: str, storyteller: LanguageModel
) -> None:
    lm = storyteller if architecture == "storyteller" else tiny(architecture)
    expected = generated(lm, PROMPT, 12)[len(PROMPT) :]
    for name in engine_names(lm):
        writing = stream(make_engine(lm, name, 20), PROMPT, lambda logits, _: int(logits.argmax()))
        assert [token_id for token_id, _ in islice(writing, 12)] == expected, name

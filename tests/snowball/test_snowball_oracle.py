"""Texts side by side against transformers' own pass over each of them alone, without any cache."""

from __future__ import annotations

import numpy as np
import pytest

from model.batch import ParallelTexts, read_whole
from model.kv_cache import can_crop
from tests.tiny_models import ARCHITECTURES, fresh_logits, tiny

pytestmark = pytest.mark.oracle

ROWS = [[5, 6, 7, 8], [9, 10, 11, 12], [5, 6, 40, 41]]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_text_side_by_side_is_read_as_it_would_be_alone(architecture: str) -> None:
    lm = tiny(architecture)
    texts = ParallelTexts(lm, ROWS)
    texts.append([20, 21, 22])
    texts.read([[30, 31], [32, 33], [34, 35]])
    twice = texts.twice()
    twice.append([50, 51, 52, 53, 54, 55])
    for row, ids in enumerate(texts.ids):
        assert np.abs(texts.logits[row] - fresh_logits(lm, ids)).max() < 1e-4
    for row, ids in enumerate(twice.ids):
        assert ids[:-1] == texts.ids[row // 2]
        assert np.abs(twice.logits[row] - fresh_logits(lm, ids)).max() < 1e-4
    assert texts.n_passes == (3 if can_crop(lm.config) else 4)


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "gemma3", "mamba"])
def test_a_whole_text_is_read_as_transformers_reads_it(architecture: str) -> None:
    lm = tiny(architecture)
    whole = read_whole(lm, ROWS[0])
    for n in range(1, 5):
        logits = fresh_logits(lm, ROWS[0][:n]).astype(np.float64)
        expected = logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max()
        assert np.abs(whole[n - 1] - expected).max() < 1e-4

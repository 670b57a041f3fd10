"""What a token costs in the cache, wherever it is printed: a product that is shown comes out true.

Models of many architectures are really run, so that what is printed meets what the tensors hold.
"""

from __future__ import annotations

import math
import re
from functools import cache

import pytest

from model.claims.cache import c26_bytes_per_token
from model.claims.context import ExperimentContext
from model.generation import Generation
from model.records import CacheShape
from model.sampling import Settings
from tests.tiny_models import ARCHITECTURES, WINDOW, tiny
from viz.claims.report import sentence
from viz.format import THIN
from viz.kv_cache.bytes_chart import bytes_figure, formula

KEEPS_KEYS = tuple(name for name in ARCHITECTURES if name not in {"mamba", "openai_gpt"})
SLIDING = ("gemma2", "gemma3", "mistral")
PRODUCT = re.compile(r"([^.:;]*×[^.:;=]*?)(?: = | is )(\d+) B a token")


@cache
def written(architecture: str) -> Generation:
    """A text that is longer than the window of the models that have one."""
    text = Generation(tiny(architecture), "the cat the")
    for _ in range(4):
        text.step(Settings(temperature=0), token_id=1)
    assert len(text.ids) > WINDOW
    return text


def product(words: str) -> tuple[int, int]:
    """The factors that are shown, multiplied, and what they are said to make."""
    found = PRODUCT.search(words.replace(THIN, " "))
    assert found is not None, words
    factors = re.findall(r"(?:^|× )\D*?(\d+)", found[1])
    assert len(factors) == found[1].count("×") + 1
    return math.prod(map(int, factors)), int(found[2])


@pytest.mark.parametrize("architecture", KEEPS_KEYS)
def test_a_product_makes_the_bytes_that_it_is_said_to(architecture: str) -> None:
    text = written(architecture)
    shape, tokens = text.lm.cache_shape, text.cache_tokens
    claim = sentence(c26_bytes_per_token(ExperimentContext(text.lm)))
    bars = bytes_figure(tokens, text.cache_bytes, text.bytes_held, shape)
    for words in (bars.caption, claim):
        made, said = product(words)
        assert made == said == shape.bytes_per_token


def test_a_latent_is_for_keys_and_values_together() -> None:
    assert formula(written("deepseek").lm.cache_shape).replace(THIN, " ") == (
        "2 layers × 24 numbers for keys and values together × 4 B = 192 B a token"
    )


def test_layers_that_differ_show_no_product() -> None:
    uneven = CacheShape(2, 2, 8, 4, 4, bytes_per_token=384)
    assert formula(uneven) == f"384{THIN}B a token, summed layer by layer"


@pytest.mark.parametrize("architecture", ["mamba", "openai_gpt"])
def test_a_model_without_keys_and_values_is_said_to_keep_none(architecture: str) -> None:
    text = written(architecture)
    assert "×" not in formula(text.lm.cache_shape)
    found = c26_bytes_per_token(ExperimentContext(text.lm))
    assert found.verdict == "not run"
    assert "keeps no keys and values" in sentence(found)


def test_the_state_of_a_model_without_keys_does_not_grow() -> None:
    assert len({run.cache_bytes for run in written("mamba").passes}) == 1

"""What the band of the loop says of the cache: a product only where it comes out true."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from model.records import CacheShape

pytestmark = pytest.mark.browser

SAY = """
async (cache) => (await LOOP_FACTS).cacheFormula(cache).replaceAll("\\u202f", " ")
"""
PASS = "async (view) => (await LOOP_FACTS).passOf(view)"
LOAD = "() => { globalThis.LOOP_FACTS = import('/pages/home/live/loopfacts.js'); }"


@pytest.fixture
def page(scripts: Page) -> Page:
    scripts.evaluate(LOAD)
    return scripts


@pytest.mark.parametrize(
    ("shape", "in_use", "held", "said"),
    [
        (  # grouped queries
            CacheShape(2, 2, 8, 4, 4, 256),
            2304,
            4096,
            "4 096 B held, with room for more tokens; "
            "256 B per token = 2 × 2 layers × 2 KV heads × 8 numbers × 4 bytes",
        ),
        (  # one layer, one head, and the room is full
            CacheShape(1, 1, 8, 4, 2, 32),
            512,
            512,
            "512 B held; 32 B per token = 2 × 1 layer × 1 KV head × 8 numbers × 2 bytes",
        ),
        (  # DeepSeek: latent and rotary part, 16 and 8 numbers
            CacheShape(2, 1, 24, 4, 4, 192),
            3264,
            6144,
            "6 144 B held, with room for more tokens; "
            "192 B per token = 2 layers × 24 numbers for keys and values together × 4 bytes",
        ),
        (  # layers that differ
            CacheShape(2, 2, 8, 4, 4, 384),
            384,
            384,
            "384 B held; 384 B per token, summed layer by layer",
        ),
        (  # Mamba
            CacheShape(0, 0, 0, 0, 4, 0),
            4096,
            4096,
            "4 096 B held: no keys and values, but a state that sums up what was read",
        ),
        (  # a model that takes no cache
            CacheShape(0, 0, 8, 4, 4, 0),
            0,
            0,
            "this model keeps no cache: each pass reads the whole text again",
        ),
    ],
)
def test_a_product_is_shown_only_where_it_makes_the_bytes(
    page: Page, shape: CacheShape, in_use: int, held: int, said: str
) -> None:
    assert page.evaluate(SAY, {"bytes": in_use, "bytes_held": held, **vars(shape)}) == said


@pytest.mark.parametrize(
    ("bytes_per_token", "in_use"),
    [(256, 3 * 256), (0, 4096)],  # keys and values; a state, as large as after the whole text
)
def test_a_position_of_the_prompt_is_given_the_cache_that_was_before_it(
    page: Page, bytes_per_token: int, in_use: int
) -> None:
    header = {
        "cache": {"bytes": 4096, "tokens": 16, "bytes_per_token": bytes_per_token},
        "timing": {},
        "ids": list(range(16)),
        "n_prompt": 10,
        "steps": {"logprob": []},
    }
    told = page.evaluate(PASS, {"header": header, "position": 3})
    assert (told["phase"], told["tokens"], told["bytes"]) == ("prefill", 3, in_use)

"""A text against transformers, however it is stepped, forced, taken back and branched."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.draw import uniform_at
from model.generation import Generation
from model.kv_cache.block_cache import BLOCK, whole_blocks
from model.machine.cache_budget import CacheBudget
from model.sampling import Settings
from tests.nightly import by_night
from tests.tiny_models import ARCHITECTURES, CROPPABLE, VOCAB_SIZE, fresh_logits, generated, tiny

pytestmark = pytest.mark.oracle

SAMPLED, GREEDY = Settings(temperature=0.9, top_p=0.95), Settings(temperature=0)
PROMPT = "the cat"
TOLERANCE = 5e-5  # float32, logits of a few units

Action: TypeAlias = tuple[int, Settings | tuple[str, int]]  # on which text, and what
ACTIONS = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.one_of(
            st.sampled_from([Settings(), SAMPLED, GREEDY]),  # step under these
            st.tuples(st.just("force"), st.integers(0, VOCAB_SIZE - 1)),
            st.tuples(st.just("rewind"), st.integers(0, 12)),
            st.tuples(st.just("fork"), st.integers(0, 3)),
        ),
    ),
    min_size=5,
    max_size=20,
)


def act(texts: list[Generation], which: int, action: Settings | tuple[str, int]) -> None:
    """Does one thing to one of the texts; a fork is a text more."""
    g = texts[which % len(texts)]
    name, value = ("step", 0) if isinstance(action, Settings) else action
    if name == "rewind":
        g.rewind(min(value, len(g.steps)))
    elif name == "fork":
        texts.append(g.fork(seed=value or None))
    elif g.finished is not None:
        with pytest.raises(ValueError, match="finished"):
            g.step()
    elif isinstance(action, Settings):
        g.step(action)
    else:
        g.step(token_id=value)


@pytest.mark.parametrize("architecture", by_night(ARCHITECTURES))
@given(actions=ACTIONS)
@settings(max_examples=8)
def test_any_path_ends_where_a_fresh_prefill_stands(
    architecture: str, actions: list[Action]
) -> None:
    texts = [Generation(tiny(architecture), PROMPT, max_new_tokens=20)]
    for which, action in actions:
        act(texts, which, action)
    for g in texts:
        assert [step.token_id for step in g.steps] == g.ids[g.n_prompt :]
        assert [step.position for step in g.steps] == list(range(g.n_prompt, len(g.ids)))
        assert len(g.passes) == len(g.steps) + (g.finished is None)
        assert g.pointer == uniform_at(g.seed, len(g.ids))
        if g.finished is None:
            assert g.cache_tokens in {0, len(g.ids)}  # some keep none
            np.testing.assert_allclose(g.logits, fresh_logits(g.lm, g.ids), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("architecture", by_night(ARCHITECTURES))
def test_greedy_ids_are_those_of_generate_which_stops_at_the_same_end(architecture: str) -> None:
    lm = tiny(architecture)
    g = Generation(lm, PROMPT, max_new_tokens=18)
    while g.finished is None:
        g.step(GREEDY)
    assert g.ids == generated(lm, g.prompt_ids, 18, lm.end_ids)
    # with several end tokens, one of which is sure to come
    end_ids = frozenset({g.ids[-4], VOCAB_SIZE - 1})
    g = Generation(dataclasses.replace(lm, end_ids=end_ids), PROMPT)
    while g.finished is None:
        g.step(GREEDY)
    assert g.finished == "eos"
    assert g.ids == generated(lm, g.prompt_ids, 18, end_ids)


@pytest.mark.parametrize("architecture", by_night(CROPPABLE))
def test_the_cache_holds_as_many_bytes_as_the_formula_says(architecture: str) -> None:
    g = Generation(tiny(architecture), [3] * (BLOCK - 1))
    for _ in range(3):
        g.step(token_id=3)
    for n_tokens in (0, 1, 2):  # the last gives a block back
        g.rewind(n_tokens)
        assert g.cache_tokens == len(g.ids)
        assert g.cache_bytes == g.lm.cache_shape.bytes_per_token * len(g.ids)
        assert g.bytes_held == g.lm.cache_shape.bytes_per_token * whole_blocks(len(g.ids))


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "mamba"])
@given(actions=ACTIONS)
@settings(max_examples=12)
def test_texts_whose_caches_are_dropped_all_the_time_are_the_same(
    architecture: str, actions: list[Action]
) -> None:
    """With room for no cache at all, each is dropped as soon as another text is worked with."""

    def texts_under(budget: CacheBudget) -> list[Generation]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("model.local.budget_of", lambda _: budget)
            texts = [Generation(tiny(architecture), PROMPT, max_new_tokens=20) for _ in range(2)]
            for which, action in actions:
                act(texts, which, action)
        return texts

    kept, dropped = texts_under(CacheBudget(2**40)), texts_under(CacheBudget(0))
    assert sum(text.cache_tokens > 0 for text in dropped) <= 1
    for text, other in zip(kept, dropped, strict=True):
        assert (text.ids, text.finished) == (other.ids, other.finished)
        np.testing.assert_allclose(text.logits, other.logits, rtol=0, atol=TOLERANCE)
        n_cached = text.cache_tokens
        assert (other.cache is None, other.cache_tokens) == (text.cache is None, n_cached)


def written(seed: int, n_back: int = 3) -> list[list[int]]:
    """What one session writes with a seed: forward, back, and forward again."""
    g, texts = Generation(tiny("llama"), PROMPT, seed=seed, max_new_tokens=8), []
    for _ in range(2):
        while g.finished is None:
            g.step(SAMPLED)
        texts.append(list(g.ids))
        g.rewind(min(n_back, len(g.steps)))
    return texts


@given(seed=st.integers(), n_back=st.integers(1, 8))
@settings(max_examples=25)
def test_back_then_next_writes_the_same_text(seed: int, n_back: int) -> None:
    first, second = written(seed, n_back)
    assert first == second


def test_thirty_sessions_at_once_write_what_each_writes_alone() -> None:
    """They share one copy of the weights and nothing else."""
    alone = [written(seed) for seed in range(30)]
    assert len({tuple(ids) for ids, _ in alone}) == 30, "another seed, another text"
    gate = threading.Barrier(30)

    def together(seed: int) -> list[list[int]]:
        gate.wait()
        return written(seed)

    with ThreadPoolExecutor(30) as pool:
        assert list(pool.map(together, range(30))) == alone

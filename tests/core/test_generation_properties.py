"""What stays true of a text however it is stepped, forced, taken back and branched."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.fast.cache_budget import CacheBudget
from model.generation import Generation
from model.sampling import Settings
from tests.tiny_models import ARCHITECTURES, VOCAB_SIZE, fresh_logits, tiny

SAMPLED = Settings(temperature=0.9, top_p=0.95)
PROMPT = "the cat"

ACTIONS = st.one_of(
    st.sampled_from([Settings(), SAMPLED, Settings(temperature=0)]),  # step under these
    st.tuples(st.just("force"), st.integers(0, VOCAB_SIZE - 1)),
    st.tuples(st.just("rewind"), st.integers(0, 12)),
    st.tuples(st.just("fork"), st.integers(0, 3)),
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


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@given(actions=st.lists(st.tuples(st.integers(0, 5), ACTIONS), max_size=20))
@settings(max_examples=8)
def test_any_path_ends_where_a_fresh_prefill_stands(
    architecture: str, actions: list[tuple[int, Settings | tuple[str, int]]]
) -> None:
    texts = [Generation(tiny(architecture), PROMPT, max_new_tokens=20)]
    for which, action in actions:
        act(texts, which, action)
    for g in texts:
        assert [step.token_id for step in g.steps] == g.ids[g.n_prompt :]
        assert [step.position for step in g.steps] == list(range(g.n_prompt, len(g.ids)))
        assert len(g.passes) == len(g.steps) + (g.finished is None)
        if g.finished is None:
            assert g.cache_tokens in {0, len(g.ids)}  # some keep none
            np.testing.assert_allclose(g.logits, fresh_logits(g.lm, g.ids), rtol=0, atol=5e-5)


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "mamba"])
@given(actions=st.lists(st.tuples(st.integers(0, 5), ACTIONS), min_size=5, max_size=20))
@settings(max_examples=12)
def test_texts_whose_caches_are_dropped_all_the_time_are_the_same(
    architecture: str, actions: list[tuple[int, Settings | tuple[str, int]]]
) -> None:
    """With room for no cache at all, each is dropped as soon as another text is worked with."""

    def written(budget: CacheBudget) -> list[Generation]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("model.engine.local.budget_of", lambda _: budget)
            texts = [Generation(tiny(architecture), PROMPT, max_new_tokens=20) for _ in range(2)]
            for which, action in actions:
                act(texts, which, action)
        return texts

    kept, dropped = written(CacheBudget(2**40)), written(CacheBudget(0))
    assert sum(text.cache_tokens > 0 for text in dropped) <= 1
    for text, other in zip(kept, dropped, strict=True):
        assert (text.ids, text.finished) == (other.ids, other.finished)
        np.testing.assert_allclose(text.logits, other.logits, rtol=0, atol=5e-5)
        n_cached = text.cache_tokens
        assert (other.cache is None, other.cache_tokens) == (text.cache is None, n_cached)


@given(seed=st.integers(), n_back=st.integers(1, 8))
@settings(max_examples=25)
def test_back_then_next_writes_the_same_text(seed: int, n_back: int) -> None:
    g = Generation(tiny("llama"), PROMPT, seed=seed, max_new_tokens=8)
    while g.finished is None:
        g.step(SAMPLED)
    before, steps = list(g.ids), list(g.steps)
    g.rewind(min(n_back, len(g.steps)))
    while g.finished is None:
        g.step(SAMPLED)
    assert g.ids == before
    assert [step.coin for step in g.steps] == [step.coin for step in steps]
    assert [step.phase for step in g.steps] == [step.phase for step in steps]


@given(seed=st.integers(0, 2**64), forced=st.integers(0, 255))
@settings(max_examples=25)
def test_the_coin_knows_the_seed_and_the_position_alone(seed: int, forced: int) -> None:
    a = Generation(tiny("llama"), PROMPT, seed=seed)
    b = Generation(tiny("llama"), PROMPT, seed=seed)
    a.step(token_id=forced)
    a.rewind()
    a.step(token_id=255 - forced)
    b.step()
    assert a.coin == b.coin == a.fork().coin
    assert a.steps[0].coin == b.steps[0].coin


def written(seed: int) -> list[int]:
    """What one session writes with a seed: forward, back, forward."""
    g = Generation(tiny("llama"), PROMPT, seed=seed, max_new_tokens=6)
    while g.finished is None:
        g.step(SAMPLED)
    g.rewind(min(3, len(g.steps)))
    while g.finished is None:
        g.step(SAMPLED)
    return g.ids


def test_thirty_sessions_at_once_write_what_each_writes_alone() -> None:
    """They share one copy of the weights and nothing else."""
    alone = [written(seed) for seed in range(30)]
    assert len({tuple(ids) for ids in alone}) == 30, "another seed, another text"
    gate = threading.Barrier(30)

    def together(seed: int) -> list[int]:
        gate.wait()
        return written(seed)

    with ThreadPoolExecutor(30) as pool:
        assert list(pool.map(together, range(30))) == alone

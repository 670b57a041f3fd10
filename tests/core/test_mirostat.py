"""Mirostat's memory: what it masks follows from the tokens drawn, wherever a text goes."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from model import records
from model.draw import draw, uniform_at
from model.generation import Generation
from model.loading import LanguageModel
from model.records import NO_MEMORY, FloatArray, Memory
from model.sampling import ORDERS, Settings, process
from tests.tiny_models import tiny

AIMED = Settings(temperature=0.9, mirostat=2.5, order=ORDERS["llama.cpp"])
PROMPT = "The cat sat on the"


def plainly(text: Generation, n: int) -> list[tuple[int, float]]:
    """Mirostat 2.0 as llama.cpp's `mirostat_v2` has it, token by token: ids, and mu before each."""
    text, mu, written = text.fork(), 2 * AIMED.mirostat, []
    for _ in range(n):
        weights = [math.exp(logit / AIMED.temperature) for logit in text.logits.tolist()]
        mass = math.fsum(weights)
        best_first = sorted(range(len(weights)), key=lambda i: (-weights[i], i))
        is_expected = [-math.log2(weights[i] / mass) <= mu for i in best_first]
        n_left = max(1, is_expected.index(False) if False in is_expected else len(best_first))
        left = best_first[:n_left]
        mass = math.fsum(weights[i] for i in left)
        ends = itertools.accumulate(weights[i] / mass for i in left)
        chosen = next(i for i, end in zip(left, ends, strict=True) if end > text.pointer)
        written.append((chosen, mu))
        mu -= 0.1 * (-math.log2(weights[chosen] / mass) - AIMED.mirostat)
        text.step(token_id=chosen)
    return written


def test_a_text_is_the_one_that_llama_cpp_s_mirostat_would_draw(storyteller: LanguageModel) -> None:
    text = Generation(storyteller, PROMPT, seed=5)
    expected = plainly(text, 60)
    for _ in expected:
        text.step(AIMED)
    assert [step.token_id for step in text.steps] == [token_id for token_id, _ in expected]
    assert [step.memory.mu for step in text.steps] == pytest.approx([mu for _, mu in expected])
    plain = Generation(storyteller, PROMPT, seed=5)
    for _ in expected:
        plain.step(Settings(temperature=0.9))
    assert plain.ids != text.ids, "this text says nothing of the mask"


def test_the_memory_goes_along_with_what_is_taken_back_copied_and_chosen() -> None:
    text = Generation(tiny("llama"), "the cat", seed=3)
    memories = [text.memory]
    for _ in range(6):
        text.step(AIMED)
        memories.append(text.memory)
    assert len(set(memories)) == 7
    fork = text.fork()
    fork.rewind(4)
    assert (fork.memory, text.memory) == (memories[2], memories[6])
    again = [fork.step(AIMED) for _ in range(4)]
    assert [step.memory for step in again] == [memory.under(2.5) for memory in memories[2:6]]
    assert (fork.ids, fork.memory) == (text.ids, memories[6])
    # a token that the reader chose, even one that is masked, teaches it nothing
    text.step(AIMED, token_id=int(text.logits.argmin()))
    assert text.memory == memories[6]
    # another target begins anew, and so does the same one after another sampler
    text.step(Settings(mirostat=4, order=ORDERS["all"]))
    assert text.steps[-1].memory == Memory(4, 8)
    text.step(Settings(temperature=0.9))
    assert text.memory == NO_MEMORY
    text.step(Settings(mirostat=4))  # transformers has none
    assert (text.memory, text.steps[-1].stage_names) == (NO_MEMORY, ("raw",))


def test_beside_it_the_temperature_alone_acts() -> None:
    full = {"top_k": 3, "min_p": 0.2, "dry": 0.8, "xtc": 1, "repetition_penalty": 1.5}
    settings = Settings(temperature=0.7, mirostat=3, order=ORDERS["llama.cpp"], **full)  # type: ignore[arg-type]  # by name
    assert settings.stage_names == ("temperature", "mirostat")
    assert Settings(temperature=0, mirostat=3, order=ORDERS["all"]).stage_names == ("greedy",)
    logits = np.log(np.array([0.5, 0.25, 0.125, 0.125]))
    for mu, n_kept in ((-9, 1), (0.9, 1), (2.1, 2), (3.1, 4)):
        aimed = Settings(mirostat=2, order=("mirostat",))
        stage = process(logits, [], aimed, memory=Memory(2, mu))[-1]
        assert stage.kept.sum() == n_kept


def surprises(logits: Callable[[int], FloatArray], n: int) -> FloatArray:
    """Bits of surprise of draws from one distribution after another."""
    memory, found = NO_MEMORY, []
    for place in range(n):
        stage = process(logits(place), [], AIMED, memory=memory)[-1]
        prob = float(stage.probs[draw(stage, uniform_at(1, place))])
        found.append(-math.log2(prob))
        memory = memory.under(AIMED.target).after(prob)
    return np.array(found)


def test_the_mean_surprise_comes_to_the_target_and_without_its_memory_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(0, rng.uniform(1, 4, (700, 1)), (700, 300))
    assert surprises(rows.__getitem__, 700)[100:].mean() == pytest.approx(2.5, abs=0.1)
    monkeypatch.setattr(records, "MIROSTAT_RATE", 0.0)
    assert abs(surprises(rows.__getitem__, 700)[100:].mean() - 2.5) > 0.3

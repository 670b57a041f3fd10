"""A pass runs alone, against a true clock, and harms nothing when it fails."""

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch

from model import passes
from model.generation import Generation
from model.language_model import LanguageModel
from model.machine.turns import TURNS
from model.passes import PassError
from tests.tiny_models import fresh_logits, tiny

PROMPT = "the cat"
LONG = 60.0  # seconds: only what is wrong waits so long


class TurnTaker:
    """Whoever asks for turns, such as a job."""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (torch.OutOfMemoryError("CUDA out of memory"), "memory of cpu ran out .*shorter text"),
        (RuntimeError("mat1 and mat2\nshapes"), "failed on this text .mat1"),
    ],
)
@pytest.mark.parametrize("act", [Generation.step, Generation.rewind])
def test_a_pass_that_fails_leaves_the_text_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    said: str,
    act: Callable[[Generation], object],
) -> None:
    g = Generation(tiny("gpt2"), PROMPT)
    g.step(token_id=4)
    before = list(g.ids), list(g.steps), None, g.last_pass
    logits = g.logits
    with monkeypatch.context() as patch:
        # after the first layer, so that the cache is left half filled
        patch.setattr(g.lm.model.transformer.h[1], "forward", Mock(side_effect=error))
        with pytest.raises(PassError, match=said):
            act(g)
    assert (g.ids, g.steps, g.finished, g.last_pass) == before
    assert g.logits is logits
    g.step(token_id=5)
    np.testing.assert_allclose(g.logits, fresh_logits(g.lm, g.ids), rtol=0, atol=5e-5)


def test_logits_that_are_no_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = tiny("gpt2")
    monkeypatch.setattr(lm.model.lm_head, "forward", lambda x: x.new_full((1, 1, 9), math.nan))
    with pytest.raises(PassError, match=r"no numbers, .*: choose another model"):
        Generation(lm, PROMPT)


@pytest.mark.parametrize("architecture", ["gpt2", "llama"])
def test_each_pass_holds_the_lock_of_its_model(
    architecture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written by hand or not."""
    lm, held = tiny(architecture), list[bool]()
    fast = lm.weights.quick
    runner, name = (lm.model, "forward") if fast is None else (fast, "read")
    read = getattr(runner, name)

    def watched(*args: Any, **kwargs: Any) -> Any:
        held.append(lm.weights.lock._is_owned())
        return read(*args, **kwargs)

    monkeypatch.setattr(runner, name, watched)
    Generation(lm, PROMPT).step()
    assert held == [True, True]
    assert not lm.weights.lock._is_owned()


@pytest.mark.parametrize("device", ["cpu", "cuda", "mps"])
def test_a_clock_is_read_only_when_the_device_is_done(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[str] = []
    monkeypatch.setattr(torch.cuda, "synchronize", lambda place: waited.append(place.type))
    monkeypatch.setattr(torch.mps, "synchronize", lambda: waited.append("mps"))
    passes.synchronise(torch.device(device))
    assert waited == ([] if device == "cpu" else [device])


def test_a_pass_is_timed_from_its_beginning_and_fills_a_cache_if_there_is_one() -> None:
    lm = tiny("llama")
    began = time.perf_counter()
    _, seconds = passes.prefill(lm, [5, 6, 7], None)
    assert 0 < seconds < time.perf_counter() - began
    for cache in (None, lm.new_cache()):
        inputs = passes.inputs_of(lm, [[5, 6]], cache)
        assert (inputs["use_cache"], inputs["logits_to_keep"]) == (cache is not None, 1)


def test_a_pass_takes_the_threads_of_as_many_tokens_as_it_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lm, asked = tiny("llama"), list[int]()

    def of_pass(n_tokens: int, **_: bool) -> AbstractContextManager[None]:
        asked.append(n_tokens)
        return nullcontext()

    monkeypatch.setattr(lm.weights.threads, "of_pass", of_pass)
    Generation(lm, [5, 6, 7]).step(token_id=4)
    passes.forward(lm, [[5, 6], [7, 8]])
    assert asked == [3, 1, 4]


def test_a_twin_shares_the_weights_and_is_made_once() -> None:
    lm = tiny("gpt2")
    twin = passes.twin_of(lm, "eager")
    assert twin is passes.twin_of(lm, "eager") is not lm.model
    own = dict(lm.model.named_parameters())
    assert all(own[name] is weight for name, weight in twin.named_parameters())
    assert (twin.config._attn_implementation, lm.model.config._attn_implementation) == (
        "eager",
        "sdpa",
    )


def test_what_is_slow_or_wrong_on_some_devices_stays_off() -> None:
    assert not torch.backends.cuda.cudnn_sdp_enabled()


def test_a_press_waits_for_no_pass_of_a_job(storyteller: LanguageModel) -> None:
    has_begun, may_end = threading.Event(), threading.Event()

    def take_long() -> torch.Tensor:
        has_begun.set()
        assert may_end.wait(LONG)
        return torch.zeros(1)

    def work() -> None:
        with TURNS.slice_of(TurnTaker(), LONG, is_timed=False):
            passes.run_pass(storyteller, 1, take_long)

    with ThreadPoolExecutor(2) as pool:
        job = pool.submit(work)
        has_begun.wait(LONG)
        press = pool.submit(passes.run_pass, storyteller, 1, lambda: torch.ones(1))
        is_quick = not wait([press], LONG).not_done
        may_end.set()
        job.result(LONG)
    assert is_quick


def test_the_pass_by_hand_and_the_lock_reach_as_far_as_the_longest_short_text(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick, read = storyteller.weights.quick, list[int]()
    assert quick is not None

    def by_hand(ids: list[int], *_: Any, **__: Any) -> list[torch.Tensor]:
        read.append(len(ids))
        return [torch.zeros(1)]

    monkeypatch.setattr(quick, "read", by_hand)
    for n in (1, quick.max_prompt, quick.max_prompt + 1):
        passes.read_prompt(storyteller, [0] * n, storyteller.new_cache())
        is_locked = passes._alone_on(storyteller, n) is storyteller.weights.lock
        assert is_locked == (n <= quick.max_prompt)
    assert read == [1, quick.max_prompt]


def test_a_press_waits_for_no_long_text_and_a_long_text_for_no_press(
    storyteller: LanguageModel,
) -> None:
    short = Generation(storyteller, [0, 300, 301])
    with ThreadPoolExecutor(2) as pool:
        with storyteller.weights.lock:
            long = pool.submit(Generation, storyteller, [0, *range(300, 500)])
            assert not wait([long], LONG).not_done
            press = pool.submit(short.step)
            assert wait([press], 0.05).not_done, "a press is alone on the weights"
        assert press.result(LONG).position == 3
    again = Generation(storyteller, [0, *range(300, 500)])
    assert np.array_equal(long.result().logits, again.logits)

"""One text: what a step writes down, how it stops, goes back, branches, and survives a failure."""

import dataclasses
import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from model.draw import uniform_at
from model.generation import Generation, choose
from model.loading import LanguageModel
from model.sampling import Settings, process
from tests.tiny_models import CONTEXT, END, VOCAB_SIZE, tiny

PROMPT = "the cat"


@pytest.fixture
def g() -> Generation:
    return Generation(tiny("llama"), PROMPT, seed=3)


def with_ends(*end_ids: int) -> LanguageModel:
    """The tiny Llama with these end tokens."""
    return dataclasses.replace(tiny("llama"), end_ids=frozenset(end_ids))


def test_a_new_text_has_read_its_prompt_and_has_raw_logits_of_every_token(g: Generation) -> None:
    assert g.text == PROMPT
    assert g.ids == g.prompt_ids == g.lm.tokenizer(PROMPT)["input_ids"]
    assert g.n_prompt == len(g.ids) == g.cache_tokens == g.last_pass.n_input
    assert (g.steps, g.finished, g.logprob, g.notice) == ([], None, 0, None)
    assert (g.last_pass.phase, g.last_pass.seconds > 0) == ("prefill", True)
    assert (g.logits.shape, g.logits.dtype) == ((VOCAB_SIZE,), np.float32)
    assert g.logits.base is None, "a view would keep the whole pass in memory"
    np.testing.assert_array_equal(g.distribution.logits, g.logits)
    assert g.distribution.n_tail == 0
    assert Generation(g.lm, PROMPT).pointer == uniform_at(0, g.n_prompt)


def test_a_step_writes_down_where_its_token_came_from(g: Generation) -> None:
    raw, pointer, settings = g.logits, g.pointer, Settings(temperature=0.7, top_k=20)
    stages = process(raw, g.prompt_ids, settings)
    step = g.step(settings)
    assert step.token_id == choose(stages, pointer) == g.ids[-1]
    assert (step.forced, step.position) == (False, g.n_prompt)
    assert step.pointer == pointer == uniform_at(3, step.position)
    weights = np.exp(raw.astype(np.float64) - raw.max())
    assert math.isclose(step.prob, weights[step.token_id] / weights.sum(), rel_tol=1e-6)
    assert math.isclose(step.logprob, math.log(step.prob), rel_tol=1e-9)
    assert step.rank == int((raw > raw[step.token_id]).sum())
    assert step.entropy == stages[0].entropy
    assert (step.stage_names, step.n_kept) == (("raw", "temperature", "top_k"), 20)
    assert [len(row.probs) for row in step.candidates] == [3] * len(step.candidates)
    assert step.token_id in {row.token_id for row in step.candidates}


def test_a_vocabulary_up_to_the_limit_is_held_whole(
    g: Generation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("model.generation.MAX_HELD", 100)
    for limit, is_whole in ((len(g.logits), True), (len(g.logits) - 1, False)):
        monkeypatch.setattr("model.generation._MAX_EXACT", limit)
        text = Generation(g.lm, PROMPT)
        assert (text.stages_for(Settings()) is text.stages_for(Settings())) == is_whole
        assert (text.distribution.ids is None) == is_whole
        assert len(text.step(Settings(temperature=0)).candidates) == 12


def test_a_server_is_asked_for_the_pointer_of_the_step_or_the_one_that_is_named(
    g: Generation, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    own = g.cached.request_step

    def request_step(*given: Any, **more: Any) -> Any:
        asked.append(given[3] if len(given) > 3 else more["pointer"])
        return own(*given, **more)

    monkeypatch.setattr(g.cached, "request_step", request_step)
    g.logits_for(Settings())
    g.logits_for(Settings(), pointer=0.25)
    g.stages_for(Settings(xtc=0.5))
    g.stages_for(Settings(xtc=0.5), pointer=0.75)
    assert asked == [g.pointer, 0.25, g.pointer, 0.75]


def test_what_was_looked_at_before_a_step_is_masked_once_and_never_for_another_text() -> None:
    g = Generation(with_ends(), PROMPT, seed=3)
    settings = Settings(temperature=0.7, top_k=20)
    seen = g.stages_for(settings)
    assert g.stages_for(settings) is seen
    assert g.stages_for(Settings(temperature=0))[-1].name == "greedy"
    assert g.stages_for(settings, pointer=0.5) is not seen
    for move in (lambda: g.step(settings), lambda: g.step(token_id=40), g.rewind):
        g.stages_for(settings)
        move()
        fresh = process(g.logits, g.ids, settings, g.n_prompt, g.pointer)
        np.testing.assert_array_equal(g.stages_for(settings)[-1].probs, fresh[-1].probs)


def test_a_step_carries_the_pass_that_made_its_distribution_and_the_sum_so_far(
    g: Generation,
) -> None:
    """The first token was drawn from what the prefill left."""
    prefill, per_token = g.last_pass, g.lm.cache_shape.bytes_per_token
    steps = [g.step() for _ in range(6)]
    assert [step.phase for step in steps] == ["prefill"] + ["decode"] * 5
    assert (steps[0].seconds, steps[0].n_input) == (prefill.seconds, g.n_prompt)
    assert [step.n_input for step in steps[1:]] == [1] * 5
    assert [step.cache_tokens for step in steps] == [g.n_prompt + n for n in range(6)]
    assert all(step.cache_bytes == per_token * step.cache_tokens for step in steps)
    assert math.isclose(g.logprob, sum(step.logprob for step in steps))
    g.rewind(2)
    assert math.isclose(g.logprob, sum(step.logprob for step in steps[:4]))


def test_a_forced_token_is_written_even_where_the_mask_excludes_it(g: Generation) -> None:
    """One that the model lacks changes nothing."""
    ids, logits = list(g.ids), g.logits
    with pytest.raises(ValueError, match="no token of"):
        g.step(token_id=VOCAB_SIZE)
    assert (g.ids, g.steps, g.finished) == (ids, [], None)
    assert g.logits is logits
    worst = int(g.logits.argmin())
    step = g.step(Settings(top_k=1), token_id=worst)
    assert (step.forced, step.chosen_prob, step.rank) == (True, 0, VOCAB_SIZE - 1)
    assert g.ids[-1] == worst
    assert 0 < step.prob < 1
    assert worst in {row.token_id for row in step.candidates}


def test_a_token_too_unlikely_for_a_float_has_its_surprise_and_equals_rank_by_id(
    g: Generation, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = np.where(np.arange(VOCAB_SIZE) == 5, 0, -2000.0)
    for holder in (g, g.cached):
        monkeypatch.setattr(holder, "logits", odd)
    step = g.fork().step(token_id=7)
    assert (step.prob, step.rank) == (0, 7)
    assert math.isclose(step.logprob, -2000)


def test_an_end_token_ends_the_text_without_a_pass_until_it_is_taken_back() -> None:
    g = Generation(with_ends(9, 10), PROMPT)
    g.step(token_id=8)
    before = g.last_pass
    g.step(token_id=10)
    assert (g.finished, g.ids[-1], g.cache_tokens) == ("eos", 10, len(g.ids) - 1)
    assert g.last_pass is before
    with pytest.raises(ValueError, match=r"finished \(an end token\): go back"):
        g.step()
    g.rewind(n_tokens=2)
    assert g.finished is None
    assert g.ids == g.prompt_ids
    # one in the prompt ends nothing
    assert Generation(g.lm, [5, 9]).finished is None
    assert Generation(tiny("llama"), END + PROMPT).text == PROMPT


@pytest.mark.parametrize(
    ("n_prompt", "max_new_tokens", "n_steps"),
    [(3, 2, 2), (3, 0, 0), (CONTEXT - 1, None, 1), (CONTEXT - 1, 50, 1), (CONTEXT, None, 0)],
)
def test_a_text_stops_at_the_length_that_was_asked_for_or_where_the_context_ends(
    n_prompt: int, max_new_tokens: int | None, n_steps: int
) -> None:
    g = Generation(tiny("gpt2"), [5] * n_prompt, max_new_tokens=max_new_tokens)
    for _ in range(n_steps):
        assert g.finished is None
        g.step(token_id=1)
    assert (g.finished, g.logits.shape) == ("length", (VOCAB_SIZE,))
    with pytest.raises(ValueError, match=r"finished \(the greatest length\)"):
        g.step()


@pytest.mark.parametrize(
    ("prompt", "more", "expected"),
    [
        ([], {}, "no tokens: write a word"),
        ("a" * (CONTEXT + 4), {}, f"{CONTEXT + 4} tokens are 4 more than"),
        ("a" * 100_000, {}, "100,000 characters, .*: shorten it"),
        ([1, VOCAB_SIZE], {}, f"{VOCAB_SIZE} is no token of .* from 0 to {VOCAB_SIZE - 1}"),
        ("\ud800", {}, "half of one"),
        (PROMPT, {"max_new_tokens": -1}, "choose 0 or more, or None"),
    ],
)
def test_a_prompt_that_will_not_do_says_why_and_what_to_do(
    prompt: Any, more: dict[str, int], expected: str
) -> None:
    with pytest.raises(ValueError, match=expected):
        Generation(tiny("llama"), prompt, **more)


@pytest.mark.parametrize("kind", ["masked", "seq2seq"])
def test_a_model_that_does_not_write_from_left_to_right_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match=f"is a {kind} model.*choose a causal one"):
        Generation(dataclasses.replace(tiny("llama"), kind=kind), PROMPT)


def test_a_rewind_to_the_prompt_brings_back_the_prefill(g: Generation) -> None:
    before, logits = g.last_pass, g.logits
    first = g.step()
    g.step()
    for wrong in (-1, 3, 100):
        with pytest.raises(ValueError, match=r"by 0 to 2 tokens, not by .*the prompt stays"):
            g.rewind(wrong)
    g.rewind(0)
    assert len(g.steps) == 2
    g.rewind(2)
    assert g.last_pass is before
    np.testing.assert_allclose(g.logits, logits, rtol=0, atol=5e-5)
    again = g.step()
    assert (again.token_id, again.seconds) == (first.token_id, first.seconds)


@pytest.mark.parametrize("architecture", ["mamba", "qwen3_next"])
def test_a_cache_that_cannot_be_cropped_is_filled_again_and_says_so(architecture: str) -> None:
    g = Generation(tiny(architecture), PROMPT)
    for _ in range(3):
        g.step(token_id=1)
    assert g.notice is None
    g.rewind(2)
    assert f"{len(g.ids)} tokens were read again" in str(g.notice)
    g.step(token_id=1)
    assert g.notice is None
    # what only goes on takes nothing back
    n_read = len(g.ids)
    assert g.turn_to([*g.ids, 5], g.n_prompt) == n_read
    assert (g.last_pass.n_input, g.notice) == (1, None)


def test_a_model_without_a_cache_says_that_it_reads_all_again() -> None:
    g = Generation(tiny("openai_gpt"), PROMPT)
    g.step(token_id=1)
    assert "keeps no cache" in str(g.notice)
    assert (g.cache_tokens, g.cache_bytes, g.bytes_held) == (0, 0, 0)
    assert (g.last_pass.phase, g.last_pass.n_input) == ("prefill", len(g.ids))


def test_a_fork_goes_on_by_the_same_pointers_or_by_others(g: Generation) -> None:
    g.step()
    same, other = g.fork(), g.fork(seed=99)
    assert same.pointer == g.pointer
    assert other.pointer == uniform_at(99, len(g.ids)) != g.pointer
    assert (same.ids, same.steps) == (g.ids, g.steps)
    same.step()
    assert len(same.ids) == len(g.ids) + 1 == len(other.ids) + 1


def test_500_steps_of_a_vocabulary_of_150_000_take_at_most_25_mb(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Beside the cache, with many stages in force: twenty steps are weighed, 500 counted."""
    logits = np.random.default_rng(0).normal(size=150_000).astype(np.float32)
    settings = Settings(temperature=0.9, top_k=500, top_p=0.99, min_p=1e-6, repetition_penalty=1.1)
    g = Generation(tiny("llama"), PROMPT)
    monkeypatch.setattr(g, "_read", lambda: g.last_pass)
    for holder in (g, g.cached):
        monkeypatch.setattr(holder, "logits", logits)
    g.step(settings, token_id=0)
    tracemalloc.start()
    try:
        for _ in range(20):
            g.step(settings, token_id=149)
        n_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 20_000 < n_bytes / 20 < 25e6 / 500


def test_what_counts_as_generated_is_weighed_anew_where_the_prompt_ends_elsewhere() -> None:
    g, settings = Generation(tiny("llama"), PROMPT), Settings(presence_penalty=2)
    settings = dataclasses.replace(settings, order=("presence_penalty",))
    ids, last = list(g.ids), g.ids[-1]
    before = g.stages_for(settings)[-1].scores[last]
    g.turn_to(ids, len(ids) - 1)
    assert g.stages_for(settings)[-1].scores[last] == before - 2


@pytest.mark.parametrize(
    ("n_kept", "n_ids", "phase"),
    [(8, 9, "decode"), (7, 9, "prefill"), (9, 10, "decode")],
)
def test_a_pass_that_reads_a_token_of_the_prompt_is_prefill(
    n_kept: int, n_ids: int, phase: str
) -> None:
    first = list(range(8, 17))
    text = Generation(tiny("llama"), first)
    ids = [*first[:n_kept], *range(40, 40 + n_ids - n_kept)]
    assert text.turn_to(ids, 8) == n_kept
    assert text.last_pass.phase == phase


def test_a_mask_of_chance_follows_the_pointer_that_is_given(g: Generation) -> None:
    settings = Settings(temperature=0.05, xtc=0.5, order=("temperature", "xtc"))
    n_kept = set[int]()
    for pointer in (uniform_at(0, place) for place in range(8)):
        by_hand = process(g.logits, g.ids, settings, g.n_prompt, pointer)[-1]
        kept = g.stages_for(settings, pointer=pointer)[-1].kept
        np.testing.assert_array_equal(kept, by_hand.kept)
        n_kept.add(int(kept.sum()))
    assert len(n_kept) == 2, "some pointers take the best tokens away, others do not"

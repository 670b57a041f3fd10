"""The mask's experiments on tiny models: what is hidden, what moves, what leaks, loss by loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from model.causal_mask import attention
from model.causal_mask.attention import (
    edit_token,
    next_best,
    read_attention,
    read_leak,
    read_text,
    read_unmasked,
    replacement,
    true_logprobs,
)
from model.causal_mask.losses import losses_by_steps, losses_in_one_pass
from model.causal_mask.records import AttentionMaps
from model.job import finish
from model.loading import LanguageModel
from model.passes import twin_of
from model.tokenizing import encode, label
from tests.tiny_models import ARCHITECTURES, tiny

IDS = [5, 6, 7, 8, 9, 10, 11, 12]
FIXED = ("bloom", "mamba", "openai_gpt")  # their mask is no argument
OPEN = tuple(name for name in ARCHITECTURES if name not in FIXED)


# Attention weights


@pytest.mark.parametrize("architecture", [name for name in ARCHITECTURES if name != "mamba"])
def test_no_position_attends_to_a_later_one_until_the_mask_is_off(architecture: str) -> None:
    maps = read_attention(tiny(architecture), IDS)
    n_layers = 1 if architecture == "qwen3_next" else 2
    assert maps.weights.shape == (n_layers, 4, 8, 8)
    assert set(maps.layers) <= {1, 2}
    assert maps.largest_ahead == maps.share_ahead == 0
    assert np.allclose(maps.weights.sum(-1), 1, atol=1e-5)
    if architecture in OPEN:
        maps = read_attention(tiny(architecture), IDS, is_masked=False)
        assert maps.share_ahead > 0.1
        assert np.allclose(maps.weights.sum(-1), 1, atol=1e-5)


def test_the_twin_shares_every_weight_and_leaves_the_model_as_it_was() -> None:
    lm = tiny("llama")
    before = lm.model.config._attn_implementation
    twin = twin_of(lm, "eager")
    assert twin is twin_of(lm, "eager")
    assert twin is not lm.model
    mine, its = dict(lm.model.named_parameters()), dict(twin.named_parameters())
    assert mine.keys() == its.keys()
    assert all(mine[name] is its[name] for name in mine)
    assert twin.config._attn_implementation == "eager"
    assert lm.model.config._attn_implementation == before == "sdpa"
    with torch.inference_mode():
        output = lm.model(torch.tensor([IDS]), use_cache=False)
    assert not output.attentions


def test_maps_and_passes_at_the_same_time_do_not_meet() -> None:
    lm = tiny("llama", seed=3)  # its twin is made here
    maps, logits = read_attention(tiny("llama", seed=4), IDS), read_text(lm, IDS)[0]
    with ThreadPoolExecutor(4) as pool:
        seen = [pool.submit(read_attention, lm, IDS, is_masked=i % 2 == 0) for i in range(8)]
        read = [pool.submit(read_text, lm, IDS) for _ in range(8)]
    assert all(np.array_equal(one.result()[0], logits) for one in read)
    assert all((one.result().share_ahead == 0) == (i % 2 == 0) for i, one in enumerate(seen))
    assert not np.allclose(maps.weights, seen[0].result().weights), "another model's"


def test_no_memory_is_no_fixed_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = tiny("llama", seed=5)

    def run_out(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(lm.model, "forward", run_out)
    with pytest.raises(ValueError, match="memory of cpu ran out"):
        read_unmasked(lm, IDS)


def test_a_mask_that_is_not_heeded_counts_as_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = tiny("llama")
    monkeypatch.setattr(attention, "no_mask", lambda *_: {})
    with pytest.raises(ValueError, match="built into"):
        read_leak(lm, IDS)
    assert edit_token(lm, IDS, 4, [40]).unmasked_changes is None


def test_the_sharpest_head_is_the_one_that_looks_hardest_at_an_earlier_token() -> None:
    weights = np.zeros((2, 2, 4, 4), dtype=np.float32)
    weights[:, :, :, 0] = 1  # most rest on the first token
    weights[1, 0] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0.9, 0.1, 0], [0, 0, 0.8, 0.2]]
    weights[0, 1] = np.eye(4)
    assert AttentionMaps(weights, (1, 2), ("a", "b", "c", "d"), is_masked=True).sharpest == (1, 0)


# What an edit moves


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_an_edit_moves_nothing_before_it_and_everything_from_it_on(architecture: str) -> None:
    edit = edit_token(tiny(architecture), IDS, 4, [40])
    assert edit.largest_before < 1e-5
    assert (edit.changes[4:] > 1e-3).all()
    assert (edit.kl[:4] < 1e-9).all()
    assert (edit.kl[4:] > 0).all()
    unmasked = edit.largest_unmasked_before
    if architecture in FIXED:
        assert unmasked is None
    else:
        assert unmasked is not None
        assert unmasked > 1e-3


def test_positions_after_an_edit_are_matched_by_the_tokens_that_follow() -> None:
    lm = tiny("llama")
    edit = edit_token(lm, IDS, 3, [40, 41, 42])
    assert len(edit.changes) == len(edit.kl) == len(IDS)
    assert edit.largest_before < 1e-5
    before = read_text(lm, IDS)[0]
    after = read_text(lm, [5, 6, 7, 40, 41, 42, 9, 10, 11, 12])[0]
    assert edit.changes[3] == pytest.approx(np.abs(before[3] - after[5]).max(), rel=1e-5)
    assert edit.changes[7] == pytest.approx(np.abs(before[7] - after[9]).max(), rel=1e-5)


def test_a_divergence_is_the_sum_over_the_vocabulary() -> None:
    lm = tiny("gpt2")
    edit = edit_token(lm, IDS, 0, [40])
    p, q = (
        torch.tensor(read_text(lm, ids)[0][-1]).double().softmax(-1)
        for ids in (IDS, [40, *IDS[1:]])
    )
    assert edit.kl[-1] == pytest.approx(float((p * (p / q).log()).sum()), rel=1e-6)
    best = edit.shifts[0]
    assert best.before == pytest.approx(float(p.max()), rel=1e-6)
    assert [shift.before for shift in edit.shifts] == sorted(
        (shift.before for shift in edit.shifts), reverse=True
    )


@pytest.mark.parametrize(
    ("position", "new_ids", "words"),
    [
        (8, [40], "choose one of 8"),
        (2, [7], "write another"),
        (2, [], "between 1 and 8"),
        (2, [40] * 9, "between 1 and 8"),
    ],
)
def test_an_edit_that_makes_no_sense_says_what_would(
    position: int, new_ids: list[int], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        edit_token(tiny("llama"), IDS, position, new_ids)


def test_what_is_typed_takes_the_place_of_a_word_with_its_space(storyteller: LanguageModel) -> None:
    ids = encode(storyteller, "The cat sat")
    (new,) = replacement(storyteller, ids[2], "dog")
    assert label(storyteller.tokenizer, new) == "␣dog"
    with pytest.raises(ValueError, match="Write a word"):
        replacement(storyteller, ids[2], "  ")


def test_the_next_best_is_the_model_s_own_and_another_token() -> None:
    lm = tiny("llama")
    row = read_text(lm, IDS[:3])[0][-1]
    favourite = int(row.argmax())
    assert next_best(lm, IDS, 3) == favourite
    again = next_best(lm, [*IDS[:3], favourite, 9], 3)
    assert again != favourite
    assert row[again] == np.sort(row)[-2]


# What leaks


@pytest.mark.parametrize("architecture", OPEN)
def test_the_truth_is_scored_with_the_mask_and_without(architecture: str) -> None:
    lm = tiny(architecture)
    leak = read_leak(lm, IDS)
    assert leak.masked.shape == leak.unmasked.shape == (7,)
    assert np.abs(leak.masked - leak.unmasked).max() > 1e-3
    assert leak.masked == pytest.approx(-losses_in_one_pass(lm, IDS).losses, abs=1e-5)
    gain = np.exp(leak.unmasked) - np.exp(leak.masked)
    assert gain[leak.largest] == gain.max()
    assert leak.n_gained == int((gain > 0).sum())


@pytest.mark.parametrize("architecture", FIXED)
def test_a_mask_that_cannot_be_taken_off_says_so(architecture: str) -> None:
    with pytest.raises(ValueError, match="built into"):
        read_leak(tiny(architecture), IDS)
    if architecture != "mamba":
        with pytest.raises(ValueError, match="built into"):
            read_attention(tiny(architecture), IDS, is_masked=False)


def test_the_truth_by_hand() -> None:
    logits = np.log(np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]], dtype=np.float32))
    found = true_logprobs(logits, [0, 1, 2])
    assert found == pytest.approx([math.log(0.25), math.log(0.8)], abs=1e-6)


# Training's view


def test_every_byte_of_the_text_is_counted_once(storyteller: LanguageModel) -> None:
    text = "The cat’s naïve 🐈 sat.\nThe end"
    losses = losses_in_one_pass(storyteller, encode(storyteller, text))
    assert losses.n_bytes == len(text.encode())
    assert losses.first + "".join(losses.texts) == text
    assert (losses.ranks >= 1).all()
    assert ((losses.ranks == 1) | (losses.losses > math.log(2) - 1e-9)).all()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_loop_finds_the_losses_of_the_pass(architecture: str) -> None:
    compared = finish(losses_by_steps(tiny(architecture), IDS))
    assert (len(compared.losses), compared.n_passes) == (7, 5)
    assert compared.gap < 1e-4
    assert compared.pass_seconds > 0
    assert compared.ratio == compared.loop_seconds / compared.pass_seconds


@pytest.mark.parametrize(
    "measure", [losses_in_one_pass, read_leak, lambda *text: finish(losses_by_steps(*text))]
)
def test_one_token_has_nothing_to_predict(measure: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="write a few words"):
        measure(tiny("llama"), [5])

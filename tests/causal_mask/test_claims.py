"""The claims of the mask's lesson, on the shipped model, by the functions that the page shows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from model.causal_mask.attention import edit_token, next_best, read_attention, read_leak
from model.causal_mask.losses import losses_by_steps, losses_in_one_pass
from model.causal_mask.mask_training import train_both_ways
from model.job import finish
from model.loading import LanguageModel
from model.tokenizing import encode
from pages.lessons.causal_mask.lesson import TEXT


@pytest.fixture(scope="module")
def ids(storyteller: LanguageModel) -> list[int]:
    return encode(storyteller, TEXT)


def girl(storyteller: LanguageModel, ids: list[int]) -> int:
    return ids.index(storyteller.tokenizer(" girl", add_special_tokens=False)["input_ids"][0])


def test_c10_an_early_word_moves_a_late_distribution(
    storyteller: LanguageModel, ids: list[int]
) -> None:
    position = girl(storyteller, ids)
    edit = edit_token(storyteller, ids, position, [next_best(storyteller, ids, position)])
    assert len(ids) - position > 20, "it stands far from the end"
    assert edit.kl[-1] > 0.1
    best = max(edit.shifts, key=lambda shift: shift.before)
    assert best.label == "␣girl"
    assert best.after < best.before


def test_c37_no_attention_reaches_a_later_position(
    storyteller: LanguageModel, ids: list[int]
) -> None:
    assert read_attention(storyteller, ids).largest_ahead == 0
    assert read_attention(storyteller, ids, is_masked=False).share_ahead > 0.05


def test_c37_a_later_token_moves_no_earlier_logit_until_the_mask_is_off(
    storyteller: LanguageModel, ids: list[int]
) -> None:
    late = len(ids) - 4
    edit = edit_token(storyteller, ids, late, [next_best(storyteller, ids, late)])
    assert edit.largest_before < 1e-5
    assert edit.changes[late:].min() > 0.01
    unmasked = edit.largest_unmasked_before
    assert unmasked is not None
    assert unmasked > 0.1


def test_c37_without_the_mask_true_tokens_leak(storyteller: LanguageModel, ids: list[int]) -> None:
    leak = read_leak(storyteller, ids)
    on, off = np.exp(leak.masked[leak.largest]), np.exp(leak.unmasked[leak.largest])
    assert off > on + 0.2
    assert off[()] > 2 * on


def test_c37_a_copy_trained_without_the_mask_learns_to_look(
    storyteller: LanguageModel, ids: list[int]
) -> None:
    first, *_, last = finish(train_both_ways(storyteller, ids, n_steps=8))
    assert last.unmasked < first.unmasked - 0.2, "the exam gets easy"
    assert last.writing > first.writing + 0.05, "and writing hard"
    assert last.unmasked < last.masked < last.writing


def test_c38_one_pass_gives_every_loss_that_single_steps_give(
    storyteller: LanguageModel, ids: list[int]
) -> None:
    losses = losses_in_one_pass(storyteller, ids)
    assert len(losses.losses) == len(ids) - 1
    assert losses.bits_per_byte == pytest.approx(
        losses.losses.sum() / math.log(2) / len(TEXT.encode())
    )
    compared = finish(losses_by_steps(storyteller, ids))
    assert len(compared.losses) == len(ids) - 1
    assert compared.gap < 1e-4

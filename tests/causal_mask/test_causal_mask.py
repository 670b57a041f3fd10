"""The mask's experiments on tiny models and beside transformers: what it hides, moves and leaks."""

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
)
from model.causal_mask.losses import losses_by_steps, losses_in_one_pass
from model.causal_mask.records import AttentionMaps
from model.job import finish
from model.loading import LanguageModel
from model.passes import twin_of
from model.tokenizing import encode, label
from tests.nightly import by_night
from tests.tiny_models import ARCHITECTURES, bare_model, tiny

IDS = [5, 6, 7, 8, 9, 10, 11, 12]
FIXED = ("bloom", "mamba", "openai_gpt")  # their mask is no argument


# Attention weights


@pytest.mark.parametrize(
    "architecture", by_night([name for name in ARCHITECTURES if name != "mamba"])
)
def test_no_position_attends_to_a_later_one_until_the_mask_is_off(architecture: str) -> None:
    lm = tiny(architecture)
    maps = read_attention(lm, IDS)
    n_layers = 1 if architecture == "qwen3_next" else 2
    assert maps.weights.shape == (n_layers, 4, 8, 8)
    assert set(maps.layers) <= {1, 2}
    assert maps.largest_ahead == maps.share_ahead == 0
    if architecture in FIXED:
        with pytest.raises(ValueError, match="built into"):
            read_attention(lm, IDS, is_masked=False)
    else:
        maps = read_attention(lm, IDS, is_masked=False)
        assert maps.share_ahead > 0.1
    assert np.allclose(maps.weights.sum(-1), 1, atol=1e-5)


@pytest.mark.oracle
@pytest.mark.parametrize("architecture", ["gpt2", "llama", "gemma2", "mistral"])
def test_the_attention_is_that_of_a_model_made_eager(architecture: str) -> None:
    model = bare_model(architecture, attn_implementation="eager")
    with torch.inference_mode():
        output = model(torch.tensor([IDS]), output_attentions=True, use_cache=False)
    truth = np.stack([weights[0].numpy() for weights in output.attentions])
    assert np.allclose(read_attention(tiny(architecture), IDS).weights, truth, atol=1e-6)


def test_the_twin_shares_every_weight_and_leaves_the_model_as_it_was() -> None:
    lm = tiny("llama")
    twin = twin_of(lm, "eager")
    assert twin is twin_of(lm, "eager")
    mine, its = (dict(model.named_parameters()) for model in (lm.model, twin))
    assert mine.keys() == its.keys()
    assert all(mine[name] is its[name] for name in mine)
    assert twin.config._attn_implementation == "eager"
    assert lm.model.config._attn_implementation == "sdpa"


def test_maps_and_passes_at_the_same_time_do_not_meet() -> None:
    lm = tiny("llama", seed=3)  # its twin is made here
    maps, logits = read_attention(tiny("llama", seed=4), IDS), read_text(lm, IDS)[0]
    with ThreadPoolExecutor(4) as pool:
        seen = [pool.submit(read_attention, lm, IDS, is_masked=i % 2 == 0) for i in range(8)]
        read = [pool.submit(read_text, lm, IDS) for _ in range(8)]
    assert all(np.array_equal(one.result()[0], logits) for one in read)
    assert all((one.result().share_ahead == 0) == (i % 2 == 0) for i, one in enumerate(seen))
    assert not np.allclose(maps.weights, seen[0].result().weights), "another model's"


def test_the_sharpest_head_is_the_one_that_looks_hardest_at_an_earlier_token() -> None:
    weights = np.zeros((2, 2, 4, 4), dtype=np.float32)
    weights[:, :, :, 0] = 1  # most rest on the first token
    weights[1, 0] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0.9, 0.1, 0], [0, 0, 0.8, 0.2]]
    weights[0, 1] = np.eye(4)
    assert AttentionMaps(weights, (1, 2), ("a", "b", "c", "d"), is_masked=True).sharpest == (1, 0)


# What an edit moves, and what leaks


@pytest.mark.parametrize("architecture", by_night(ARCHITECTURES))
def test_an_edit_moves_nothing_before_it_and_everything_from_it_on(architecture: str) -> None:
    lm = tiny(architecture)
    edit = edit_token(lm, IDS, 4, [40])
    assert edit.largest_before < 1e-5
    assert (edit.changes[4:] > 1e-3).all()
    assert (edit.kl[:4] < 1e-9).all()
    assert (edit.kl[4:] > 0).all()
    if architecture in FIXED:
        assert edit.largest_unmasked_before is None
        with pytest.raises(ValueError, match="built into"):
            read_leak(lm, IDS)
        return
    assert edit.largest_unmasked_before is not None
    assert edit.largest_unmasked_before > 1e-3
    leak = read_leak(lm, IDS)
    assert leak.masked == pytest.approx(-losses_in_one_pass(lm, IDS).losses, abs=1e-5)
    assert np.abs(leak.masked - leak.unmasked).max() > 1e-3
    gain = np.exp(leak.unmasked) - np.exp(leak.masked)
    assert (leak.largest, leak.n_gained) == (gain.argmax(), (gain > 0).sum())


def test_without_the_mask_each_position_sees_what_the_last_one_sees() -> None:
    """Blind to order and to the mask, a token's logits depend on which others there are."""
    lm = tiny("gpt2", seed=7)
    with torch.no_grad():
        lm.model.transformer.wpe.weight.zero_()
    logits, shuffled = read_unmasked(lm, [5, 6, 5, 7]), read_unmasked(lm, [7, 5, 6, 5])
    assert np.allclose(logits[[0, 1, 2, 3]], shuffled[[1, 2, 3, 0]], atol=1e-5)
    assert np.allclose(logits[0], logits[2], atol=1e-5)


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


def test_positions_after_an_edit_are_matched_by_the_tokens_that_follow() -> None:
    lm = tiny("llama")
    edit = edit_token(lm, IDS, 3, [40, 41, 42])
    assert len(edit.changes) == len(edit.kl) == len(IDS)
    before, after = (read_text(lm, ids)[0] for ids in (IDS, [*IDS[:3], 40, 41, 42, *IDS[4:]]))
    for place in (3, 7):
        moved = np.abs(before[place] - after[place + 2]).max()
        assert edit.changes[place] == pytest.approx(moved, rel=1e-5)
    p, q = (torch.tensor(rows[-1]).double().softmax(-1) for rows in (before, after))
    assert edit.kl[-1] == pytest.approx(float((p * (p / q).log()).sum()), rel=1e-6)
    likely = [shift.before for shift in edit.shifts]
    assert likely[0] == pytest.approx(float(p.max()), rel=1e-6)
    assert likely == sorted(likely, reverse=True)


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
    assert row[next_best(lm, [*IDS[:3], favourite, 9], 3)] == np.sort(row)[-2]


# Training's view


@pytest.mark.parametrize("architecture", by_night(ARCHITECTURES))
def test_the_loop_finds_the_losses_of_the_pass_and_their_mean_is_what_training_lowers(
    architecture: str,
) -> None:
    lm, ids = tiny(architecture), torch.tensor([IDS])
    compared = finish(losses_by_steps(lm, IDS))
    assert (len(compared.losses), compared.n_passes) == (7, 5)
    assert compared.gap < 1e-4
    assert compared.ratio == compared.loop_seconds / compared.pass_seconds
    with torch.inference_mode():
        truth = float(lm.model(ids, labels=ids, use_cache=False).loss)
    assert losses_in_one_pass(lm, IDS).mean == pytest.approx(truth, abs=1e-5)


def test_every_byte_of_the_text_is_counted_once(storyteller: LanguageModel) -> None:
    text = "The cat’s naïve 🐈 sat.\nThe end"
    losses = losses_in_one_pass(storyteller, encode(storyteller, text))
    assert losses.n_bytes == len(text.encode())
    assert losses.bits_per_byte == losses.losses.sum() / math.log(2) / len(text.encode())
    assert losses.first + "".join(losses.texts) == text
    assert (losses.ranks >= 1).all()
    assert ((losses.ranks == 1) | (losses.losses > math.log(2) - 1e-9)).all()


@pytest.mark.parametrize(
    "measure", [losses_in_one_pass, read_leak, lambda *text: finish(losses_by_steps(*text))]
)
def test_one_token_has_nothing_to_predict(measure: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="write a few words"):
        measure(tiny("llama"), [5])

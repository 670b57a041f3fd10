"""Filling a page of masks: by hand, for every plan and order, and beside a plain loop."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.processors import TemplateProcessing

from model.diffusion.denoising import ORDERS, Diffusion, fill_page, pass_coin, propose
from model.diffusion.layout import plan_passes, writable_ids
from model.diffusion.page_view import left_first
from model.draw import uniform_at
from tests.tiny_fillers import MASK, filling_tokenizer, tiny_unmasker
from tests.tiny_models import tiny

PROMPT, ENDING = "The cat", " the end"


def page(**wishes: object) -> Diffusion:
    settings = {"n_passes": 4, "seed": 3, **wishes}
    return Diffusion(tiny_unmasker(), 12, PROMPT, ENDING, **settings)


def test_positions_are_spread_over_passes() -> None:
    # 8/3 = 2.67 each: to 2, to 5, to 8
    assert [one.n_commit for one in plan_passes(8, 3)] == [2, 3, 3]
    # blocks of 5, 5 and 2; the spare pass goes to the first
    assert [one.n_commit for one in plan_passes(12, 4, 5)] == [2, 3, 5, 2]


def test_the_best_token_by_hand_and_how_sure_it_is() -> None:
    logits = np.log(np.array([[0.1, 0.6, 0.3], [0.4, 0.2, 0.4]], dtype=np.float32))
    tokens, confidence = propose(logits, 0.0, np.zeros(2))
    assert tokens.tolist() == [1, 0], "the lowest id on ties"
    assert confidence == pytest.approx([0.6, 0.4])


def test_temperature_moves_the_draw_and_not_the_confidence() -> None:
    # at T = 0.5 the weights are squares: .01, .36, .09 of .46, so that 0.7 falls on the first piece
    logits = np.log(np.array([[0.1, 0.6, 0.3]], dtype=np.float32))
    assert propose(logits, 0.5, np.array([0.7]))[0].tolist() == [1]
    tokens, confidence = propose(logits, 1.0, np.array([0.7]))
    assert (tokens.tolist(), confidence) == ([2], pytest.approx([0.3], abs=1e-6))


def test_a_coin_belongs_to_a_seed_a_pass_and_a_position() -> None:
    coins = {pass_coin(s, n, p) for s in range(4) for n in range(4) for p in range(4)}
    assert len(coins) == 64
    assert all(0 <= coin < 1 for coin in coins)
    assert pass_coin(5, 2, 7) == pass_coin(5, 2, 7)


def test_left_to_right_fills_from_the_left_and_random_by_its_coins() -> None:
    filling = fill_page(page(order="left to right", n_passes=12))
    assert [one.committed for one in filling.passes] == [(i,) for i in range(12)]
    shuffled = fill_page(page(order="random", n_passes=12))
    places = [one.committed[0] for one in shuffled.passes]
    assert places != list(range(12))
    stream = 3 ^ 0x5DEECE66D
    assert places == sorted(range(12), key=lambda place: uniform_at(stream, place))


def test_a_finished_page_and_an_untouched_empty_one_say_so() -> None:
    filling = Diffusion(tiny_unmasker(), 6, n_passes=1)
    assert (filling.start, len(filling.ids)) == (0, 6)
    filling.step()
    assert filling.finished


def test_a_pass_that_fails_leaves_the_page_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    filling = page()
    filling.step()
    before = (list(filling.ids), len(filling.passes))
    monkeypatch.setattr(type(filling.lm.model), "forward", _fails)
    with pytest.raises(ValueError, match="failed on this text"):
        filling.step()
    assert (filling.ids, len(filling.passes)) == before


def _fails(*_: object, **__: object) -> None:
    raise RuntimeError("out of order")


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"n_passes": 13}, "choose from 1 to 12"),
        ({"n_passes": 0}, "choose from 1 to 12"),
        ({"n_passes": 2, "block_length": 4}, "choose 3 passes or more"),
        ({"block_length": 13}, "choose from 1 to 12, or 0"),
    ],
)
def test_settings_that_cannot_be_had_say_what_can(wishes: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        page(**wishes)


def test_texts_that_do_not_fit_or_hold_a_mask_are_refused() -> None:
    lm = tiny_unmasker()
    with pytest.raises(ValueError, match="are 6 more than"):
        Diffusion(lm, 12, "x" * 90, n_passes=1)
    with pytest.raises(ValueError, match="delete it"):
        Diffusion(lm, 12, f"a {MASK} b", n_passes=1)
    with pytest.raises(ValueError, match="half of one"):
        Diffusion(lm, 12, "", "\ud800", n_passes=1)
    with pytest.raises(ValueError, match="choose a masked one, such as unmasker"):
        Diffusion(tiny("llama"), 12, n_passes=1)


def test_what_a_tokenizer_puts_around_a_text_stays_around_the_page() -> None:
    lm = tiny_unmasker()
    words = filling_tokenizer()
    first, last = words.convert_tokens_to_ids(["<|user|>", "<|end|>"])
    words.backend_tokenizer.post_processor = TemplateProcessing(
        single="<|user|> $A <|end|>", special_tokens=[("<|user|>", first), ("<|end|>", last)]
    )
    framed = Diffusion(replace(lm, tokenizer=words), 3, "he", "the", n_passes=1)
    assert framed.ids[0] == first
    assert framed.ids[-1] == last
    assert framed.start == 2
    assert framed.ids.count(first) == framed.ids.count(last) == 1


@given(st.data(), st.integers(1, 60))
def test_a_plan_fills_every_position_once_in_exactly_so_many_passes(
    data: st.DataObject, length: int
) -> None:
    block = data.draw(st.integers(0, length))
    n_blocks = -(-length // (block or length))
    n_passes = data.draw(st.integers(n_blocks, length))
    plan = plan_passes(length, n_passes, block)
    assert len(plan) == n_passes
    assert sum(one.n_commit for one in plan) == length
    assert min(one.n_commit for one in plan) >= 1
    for one, after in pairwise(plan):
        assert after.start in (one.start, one.end)
    for start in {one.start for one in plan}:
        counts = [one.n_commit for one in plan if one.start == start]
        assert max(counts) - min(counts) <= 1, "as evenly as whole numbers go"


@settings(max_examples=30)
@given(
    st.integers(1, 9),
    st.data(),
    st.sampled_from(ORDERS),
    st.sampled_from([0.0, 0.7]),
    st.integers(0, 1000),
)
def test_any_fill_keeps_what_is_given_and_replays(
    length: int, data: st.DataObject, order: str, temperature: float, seed: int
) -> None:
    block = data.draw(st.integers(0, length))
    n_passes = data.draw(st.integers(-(-length // (block or length)), length))
    draws = {"order": order, "temperature": temperature, "seed": seed, "block_length": block}
    page, twin = (
        Diffusion(tiny_unmasker(), length, "a", "b", n_passes=n_passes, **draws) for _ in range(2)
    )
    before = list(page.ids)
    fill_page(page)
    n_back = data.draw(st.integers(0, n_passes))
    fill_page(twin)
    for _ in range(n_back):
        twin.back()
    fill_page(twin)
    assert twin.ids == page.ids
    committed = [place for one in page.passes for place in one.committed]
    assert sorted(committed) == list(range(length)), "every position once"
    assert writable_ids(page.lm)[page.filled_ids].all()
    kept = [i for i in range(len(before)) if not page.start <= i < page.start + length]
    assert [page.ids[i] for i in kept] == [before[i] for i in kept]
    share = left_first(page.filled_in)
    assert share is None or 0 <= share <= 1
    if order == "left to right" and n_passes > 1:
        assert share == 1


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.floats(0.2, 3))
def test_draws_follow_the_probabilities_piece_by_piece(seed: int, temperature: float) -> None:
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(1, 7)).astype(np.float32) * 3
    powers = np.exp((logits[0].astype(np.float64) - logits.max()) / temperature)
    wanted = powers / powers.sum()
    coins = (np.arange(500) + 0.5) / 500
    tokens, _ = propose(np.repeat(logits, 500, axis=0), temperature, coins)
    shares = np.bincount(tokens, minlength=7) / 500
    assert np.abs(shares - wanted).max() < 3e-3


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_passes", [1, 3, 10])
def test_surest_first_is_what_a_plain_loop_over_the_model_fills(seed: int, n_passes: int) -> None:
    lm = tiny_unmasker(seed)
    page = Diffusion(lm, 10, "The cat", " the end", n_passes=n_passes)
    ids, words = torch.tensor([page.ids]), torch.from_numpy(page._words)
    for one in page.plan:
        with torch.inference_mode():
            logits = lm.model(ids).logits[0].double().masked_fill(~words, -torch.inf)
        best, tokens = logits.softmax(-1).max(-1)
        best[ids[0] != lm.tokenizer.mask_token_id] = -1
        surest = best.topk(one.n_commit).indices
        ids[0, surest] = tokens[surest]
    assert fill_page(page).ids == ids[0].tolist()

"""Filling a page of masks: every plan and order, beside a plain loop; what comes out."""

from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.processors import TemplateProcessing

from model.diffusion.denoising import ORDERS, Diffusion, fill_page, pass_pointer, propose
from model.diffusion.experiments import BETWEEN, EMPTY, pass_counts, race, sweep_passes
from model.diffusion.layout import plan_passes, writable_ids
from model.diffusion.page_view import check_page, history_of, left_first, sheet_of
from model.diffusion.quality import clashes_of, find_names, judge_tokens, leave_one_out
from model.draw import uniform_at
from model.job import finish
from model.loading import LanguageModel, load_model
from pages.frame.story import BIRD, HOME
from tests.tiny_fillers import MASK, filling_tokenizer, tiny_unmasker
from tests.tiny_models import tiny

GIVEN = (
    (BIRD, f" {HOME}"),
    ("Tom was a little boy. One day he went to the park with his dog.", " Tom was very happy."),
    ("There was a big bear in the forest. The bear was hungry.", " The bear went to sleep."),
)


def page(**wishes: Any) -> Diffusion:
    given = {"prompt": "The cat", "ending": " the end", "n_passes": 4, "seed": 3}
    return Diffusion(**{"lm": tiny_unmasker(), "length": 12} | given | wishes)


def test_positions_are_spread_over_passes() -> None:
    # 8/3 = 2.67 each: to 2, to 5, to 8
    assert [one.n_commit for one in plan_passes(8, 3)] == [2, 3, 3]
    # blocks of 5, 5 and 2; the spare pass goes to the first
    assert [one.n_commit for one in plan_passes(12, 4, 5)] == [2, 3, 5, 2]


def test_the_best_token_by_hand_and_a_temperature_that_moves_no_confidence() -> None:
    logits = np.log(np.array([[0.1, 0.6, 0.3], [0.4, 0.2, 0.4]], dtype=np.float32))
    tokens, confidence = propose(logits, 0.0, np.zeros(2))
    assert tokens.tolist() == [1, 0], "the lowest id on ties"
    assert confidence == pytest.approx([0.6, 0.4])
    # at T = 0.5 the weights are squares: .01, .36, .09 of .46, so that 0.7 falls on the first piece
    tokens, confidence = propose(logits[:1], 0.5, np.array([0.7]))
    assert (tokens.tolist(), confidence) == ([1], pytest.approx([0.6], abs=1e-6))


def test_a_pointer_belongs_to_a_seed_a_pass_and_a_position() -> None:
    pointers = {pass_pointer(s, n, p) for s in range(4) for n in range(4) for p in range(4)}
    assert len(pointers) == 64
    assert all(0 <= pointer < 1 for pointer in pointers)
    assert pass_pointer(5, 2, 7) == pass_pointer(5, 2, 7)


def test_a_random_order_is_that_of_its_pointers() -> None:
    shuffled = fill_page(page(order="random", n_passes=12))
    places = [one.committed[0] for one in shuffled.passes]
    stream = 3 ^ 0x5DEECE66D
    assert places == sorted(range(12), key=lambda place: uniform_at(stream, place))
    assert places != sorted(places)


def test_a_pass_that_fails_leaves_the_page_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    filling = page()
    filling.step()
    before = (list(filling.ids), len(filling.passes))
    monkeypatch.setattr(
        type(filling.lm.model), "forward", Mock(side_effect=RuntimeError("out of order"))
    )
    with pytest.raises(ValueError, match="failed on this text"):
        filling.step()
    assert (filling.ids, len(filling.passes)) == before


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"n_passes": 13}, "choose from 1 to 12"),
        ({"n_passes": 0}, "choose from 1 to 12"),
        ({"n_passes": 2, "block_length": 4}, "choose 3 passes or more"),
        ({"block_length": 13}, "choose from 1 to 12, or 0"),
        ({"prompt": "x" * 90}, "more than"),
        ({"prompt": f"a {MASK} b"}, "delete it"),
        ({"ending": "\ud800"}, "half of one"),
    ],
)
def test_what_cannot_be_had_says_what_can(wishes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        page(**wishes)
    with pytest.raises(ValueError, match="choose a masked one, such as unmasker"):
        page(**wishes, lm=tiny("llama"))


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
    pointers = (np.arange(500) + 0.5) / 500
    tokens, _ = propose(np.repeat(logits, 500, axis=0), temperature, pointers)
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


# What comes out


@pytest.mark.parametrize(
    ("filled_in", "share"),
    [
        ([1, 2, 3, 4], 1.0),
        ([4, 3, 2, 1], 0.0),
        ([1, 1, 1], None),
        ([2, 1, 2], 0.5),  # pairs 2-1 and 1-2; 2-2 ties
        ([1, 2, 0, 1], 0.5),  # an open position does not count: 1-2 yes, 2-1 no, 1-1 ties
        ([], None),
    ],
)
def test_left_first_by_hand(filled_in: list[int], share: float | None) -> None:
    assert left_first(np.array(filled_in, dtype=np.int64)) == share


def test_c33_the_order_drifts_towards_left_to_right_as_passes_grow() -> None:
    unmasker = load_model("unmasker", device="cpu", dtype="float32")
    few, many = (
        [
            left_first(fill_page(Diffusion(unmasker, 16, *texts, n_passes=n)).filled_in) or 0
            for texts in GIVEN
        ]
        for n in (2, 16)
    )
    assert fmean(many) > fmean(few)
    assert fmean(many) > 0.6, "nobody told it to begin on the left: 0.5 is no order"


def test_leave_one_out_masks_each_position_alone() -> None:
    lm = tiny_unmasker()
    page = fill_page(Diffusion(lm, 10, "The cat", n_passes=2))
    work = leave_one_out(lm, page.ids, page.positions)
    assert len(list(leave_one_out(lm, page.ids, page.positions))) == 2, "eight rows a pass"
    for place, prob in zip(page.positions, finish(work), strict=True):
        ids = list(page.ids)
        ids[place] = lm.tokenizer.mask_token_id
        with torch.inference_mode():
            logits = lm.model(torch.tensor([ids])).logits[0, place].double()
            logits[~torch.from_numpy(writable_ids(lm))] = -torch.inf
        assert prob == pytest.approx(float(logits.softmax(-1)[page.ids[place]]), rel=1e-4)


def test_a_judge_without_a_beginning_does_not_judge_the_first_token(
    storyteller: LanguageModel,
) -> None:
    ids = [300, 301, 302]
    nobody = replace(storyteller, bos_id=None)
    found = clashes_of(nobody, storyteller, [], ids, [])
    assert found.logprob == pytest.approx(judge_tokens(storyteller, ids[:1], ids[1:]).mean())
    begun = clashes_of(storyteller, storyteller, [], ids, [])
    bos = [storyteller.bos_id]
    assert begun.logprob == pytest.approx(judge_tokens(storyteller, bos, ids).mean())


def test_names_begin_with_a_capital_inside_a_sentence() -> None:
    assert find_names("Tom ran. Then Lily ran to Ben's house.") == ["Lily", "Ben"]
    assert find_names('She said, "Hello Tim!" and I left.') == ["Tim"]
    assert find_names("One day, the dog ran.\nMia saw Tom.") == ["Tom"]


def test_repeats_names_and_clashes_by_hand(storyteller: LanguageModel) -> None:
    words = storyteller.tokenizer

    def ids(text: str) -> list[int]:
        return words(text, add_special_tokens=False)["input_ids"]

    given, filled, end = ids("There was Lily"), ids(" and Tom and Lily the the"), ids(" the end.")
    found = clashes_of(storyteller, storyteller, given, filled, end)
    # pairs: and Tom, Tom and, and Lily, Lily the, the the; " the" is doubled twice
    assert len(filled) == 6
    assert found.repeated == 0
    assert found.n_doubled == 2
    assert (found.n_names, found.agreement) == (2, 0.5)
    assert found.ending_logprob is not None
    assert found.ending_logprob < 0
    loo_probs = np.array([0.009, 0.011, 0.5, 0.5, 0.5, 0.5])
    looped = clashes_of(
        storyteller, storyteller, given, ids(" a cat a cat a cat"), [], loo_probs=loo_probs
    )
    assert looped.repeated == pytest.approx(3 / 5)  # two different pairs of five
    assert looped.ending_logprob is None
    assert (found.n_clashes, looped.n_clashes) == (None, 1), "below one percent"


def test_a_sheet_shows_given_filled_and_proposed() -> None:
    page = Diffusion(tiny_unmasker(), 6, "The cat", " the end", n_passes=3)
    before = sheet_of(page)
    assert (before.n_open, before.n_passes) == (6, 0)
    first = page.step()
    sheet = sheet_of(page)
    assert sheet.n_open == 4
    with pytest.raises(ValueError, match="still masked"):
        next(check_page(page))
    inside = slice(page.start, page.start + 6)
    assert sheet.given[inside] == (False,) * 6
    assert all(sheet.given[: page.start])
    assert np.array_equal(sheet.confidence[inside], first.confidence)
    fill_page(page)
    assert np.isnan(history_of(page).confidence).sum(axis=1).tolist() == [0, 2, 4]
    checked = finish(check_page(page))
    assert checked.n_open == 0
    assert checked.filled_in[inside] == tuple(page.filled_in)
    assert checked.leave_one_out is not None
    assert np.isnan(checked.leave_one_out[: page.start]).all()
    assert np.isfinite(checked.leave_one_out[inside]).all()


def test_a_sweep_measures_each_number_of_passes_on_both_pages() -> None:
    lm, judge = tiny_unmasker(), tiny("llama")
    assert pass_counts(4) == (1, 2, 4)
    sweep = finish(sweep_passes(lm, judge, 4, "The cat", " the end", temperature=1.0, n_seeds=2))
    fills = [(fill.name, fill.n_passes) for fill in sweep.fills]
    assert fills == 2 * [(place, n) for n in (1, 2, 4) for place in (BETWEEN, EMPTY)]
    assert all(fill.seconds > 0 and fill.sheet for fill in sweep.fills)
    assert sweep.fills[0].left_first is None
    assert sweep.fills[0].clashes.ending_logprob is not None
    assert sweep.fills[1].clashes.ending_logprob is None
    assert (sweep.loop.n_passes, sweep.loop.left_first) == (4, 1)


def test_alike_fills_are_run_once_and_what_cannot_be_is_told_at_once() -> None:
    lm, judge = tiny_unmasker(), tiny("llama")
    alike = sweep_passes(lm, judge, 2, "a", "", n_seeds=4)
    assert next(alike).n_total == 2 * 2
    shuffled = sweep_passes(lm, judge, 2, "a", "", n_seeds=4, order="random")
    assert next(shuffled).n_total == 4 * 2 * 2
    with pytest.raises(ValueError, match="shorten"):
        next(sweep_passes(lm, judge, 90, "The cat sat on it", ""))


def test_three_ways_write_as_many_tokens_and_count_their_passes() -> None:
    judge, page = tiny("llama"), Diffusion(tiny_unmasker(), 6, "The cat", n_passes=2)
    runs = finish(race(judge, page, "The cat"))
    assert [run.n_tokens for run in runs] == [6, 6, 6]
    assert [run.n_passes for run in runs] == [6, 6, 2]
    assert all(run.seconds > 0 for run in runs)
    # another tokenizer: the texts of the loop and of the search cannot be checked
    assert [run.clashes.n_clashes is None for run in runs] == [True, True, False]

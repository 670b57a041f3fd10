"""What is measured of a fill: order, clashes, names, repeats; few passes against many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from model.diffusion.denoising import Diffusion, fill_page
from model.diffusion.experiments import BETWEEN, EMPTY, pass_counts, race, sweep_passes
from model.diffusion.layout import writable_ids
from model.diffusion.page_view import check_page, history_of, left_first, sheet_of
from model.diffusion.quality import clashes_of, find_names, judge_tokens, leave_one_out
from model.job import finish
from model.loading import LanguageModel
from tests.tiny_fillers import tiny_unmasker
from tests.tiny_models import tiny


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

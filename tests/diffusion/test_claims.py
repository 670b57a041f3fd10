"""The claims of the diffusion lesson, on the shipped models, by the functions that it shows."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest

from model.diffusion.denoising import Diffusion, fill_page
from model.diffusion.page_view import left_first
from model.diffusion.quality import leave_one_out, measure_clashes
from model.diffusion.records import Clashes
from model.encoder_decoder.infilling import Infilling
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel, load_model
from pages.lessons.diffusion.fill import joined_ending
from pages.lessons.diffusion.settings import BEGINNING, ENDING
from pages.lessons.encoder_decoder.settings import GAP_TEXT

LENGTH = 16
TEMPERATURE = 0.0  # what clashes does so without a draw
GIVEN = (
    (BEGINNING, ENDING),
    ("Tom was a little boy. One day he went to the park with his dog.", "Tom was very happy."),
    ("There was a big bear in the forest. The bear was hungry.", "The bear went to sleep."),
)


@pytest.fixture(scope="module")
def unmasker() -> LanguageModel:
    return load_model("unmasker", device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def measured(
    unmasker: LanguageModel, storyteller: LanguageModel
) -> dict[int, list[tuple[Diffusion, Clashes]]]:
    """Fills between three beginnings and ends: in one pass, in two, in eight, and one by one."""
    found: dict[int, list[tuple[Diffusion, Clashes]]] = {}
    for n_passes in (1, 2, 8, LENGTH):
        for seed, (prompt, ending) in enumerate(GIVEN):
            page = Diffusion(
                unmasker,
                LENGTH,
                prompt,
                joined_ending(ending),
                n_passes=n_passes,
                temperature=TEMPERATURE,
                seed=seed,
            )
            fill_page(page)
            loo_probs = finish(leave_one_out(unmasker, page.ids, page.positions))
            clashes = measure_clashes(storyteller, page, loo_probs)
            found.setdefault(n_passes, []).append((page, clashes))
    return found


def test_c33_more_passes_make_a_text_that_the_judge_finds_likelier(
    measured: dict[int, list[tuple[Diffusion, Clashes]]],
) -> None:
    at_once = fmean(clashes.logprob for _, clashes in measured[1])
    one_by_one = fmean(clashes.logprob for _, clashes in measured[LENGTH])
    assert one_by_one > at_once + 0.5


def test_c33_its_order_drifts_towards_left_to_right_as_passes_grow(
    measured: dict[int, list[tuple[Diffusion, Clashes]]],
) -> None:
    shares = {
        n_passes: fmean(left_first(page.filled_in) or 0 for page, _ in found)
        for n_passes, found in measured.items()
        if n_passes > 1
    }
    assert shares[LENGTH] > shares[2]
    assert shares[LENGTH] > 0.6, "nobody told it to begin on the left: 0.5 is no order"


def test_c34_the_fewer_the_passes_the_more_tokens_clash(
    measured: dict[int, list[tuple[Diffusion, Clashes]]],
) -> None:
    shares = {
        n_passes: fmean((clashes.n_clashes or 0) / LENGTH for _, clashes in found)
        for n_passes, found in measured.items()
    }
    assert shares[1] > shares[8] + 0.1
    assert shares[8] >= shares[LENGTH]


def test_c34_tokens_of_one_pass_are_drawn_blind_to_each_other(unmasker: LanguageModel) -> None:
    page = Diffusion(unmasker, LENGTH, BEGINNING, joined_ending(ENDING), n_passes=1)
    alone = Diffusion(unmasker, LENGTH, BEGINNING, joined_ending(ENDING), n_passes=LENGTH)
    at_once, first = page.step(), alone.step()
    # what stands at a position does not depend on how many others are filled in the same pass
    assert np.array_equal(at_once.proposal_ids, first.proposal_ids)
    assert len(at_once.committed) == LENGTH
    assert len(first.committed) == 1


def test_c39_the_encoder_reads_once_and_the_decoder_loops(storyteller: LanguageModel) -> None:
    gapfiller = load_model("gapfiller", device="cpu", dtype="float32")
    text = Infilling(gapfiller, GAP_TEXT)
    while text.finished is None:
        text.step()
    caches = text.look()
    assert caches.n_encoder_passes == 1
    assert caches.drift == 0
    assert len(set(caches.cross_bytes[1:])) == 1
    steps = np.diff(caches.own_bytes)
    assert len(set(steps.tolist())) == 1, "as many bytes for every token written"
    assert len(text.written_ids) == len(steps) > 3
    assert len(text.answers) >= 1
    # a decoder-only model reads and writes into one cache, which the prompt has begun
    one_stack = Generation(storyteller, BEGINNING)
    before = one_stack.cache_bytes
    one_stack.step()
    assert 0 < before < one_stack.cache_bytes

"""The claims of the snowball lesson, on the shipped models, by the functions behind the page."""

from __future__ import annotations

import numpy as np
import pytest

from model.generation import Generation
from model.held_out import held_out
from model.job import finish
from model.loading import LanguageModel, load_model
from model.sampling import Settings
from model.snowball.context_loss import measure_context_loss
from model.snowball.error_compounding import compounding, fork_many
from model.snowball.exposure import measure_exposure
from model.snowball.fork import fork_text, options
from model.snowball.instruction_position import FIRST, LATE, NEVER, place_instruction
from model.snowball.long_generation import generate_long
from model.snowball.records import BIAS, Estimate, Forks, paired_gap
from model.snowball.rewind_strategies import compare_rewinds
from model.tokenizing import encode
from pages.lessons.snowball.written import KINDS

BEGINNING = "Once upon a time there was a little girl named Lily."
INSTRUCTION, WORD = "She had a big dragon.", "dragon"
PROMPT = "The cat sat on the"
WARM = Settings(temperature=0.7)


@pytest.fixture(scope="module")
def early() -> LanguageModel:
    return load_model("storyteller_early", device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def forks(storyteller: LanguageModel) -> Forks:
    ids = encode(storyteller, PROMPT)
    return finish(fork_many(storyteller, ids, WARM, n_before=3, rank=20, n_tokens=20, n_forks=16))


def test_c35_a_forced_token_parts_two_texts_that_were_one(storyteller: LanguageModel) -> None:
    start = Generation(storyteller, PROMPT)
    steps = finish(fork_text(start, options(start)[8].token_id, WARM, 24))
    gaps = [step.kl for step in steps if step.kl is not None]
    assert gaps[0] == 0
    assert min(gaps[1:]) > 0
    assert sum(step.is_same for step in steps) < len(steps) / 2


def test_c35_over_many_forks_the_gap_grows_with_the_position(forks: Forks) -> None:
    first, last = forks.kl[:, :4], forks.kl[:, -8:]
    assert np.nanmedian(last) > np.nanmedian(first) > 0
    assert forks.same[:, :4].mean() > forks.same[:, -8:].mean()


def test_c35_slips_are_counted_beside_what_independent_errors_would_give(forks: Forks) -> None:
    slips = compounding(forks, 0.01)
    assert 0 < slips.rate < 0.5
    assert slips.predicted[-1] == pytest.approx((1 - slips.rate) ** 20)
    assert np.all(np.diff(slips.original) <= 0)
    # one wrong token does not make the texts after it slip ever more: the page says as much
    assert slips.forced_slips < 3 * max(slips.original_slips, 0.5)


def test_c36_the_loss_after_true_tokens_is_not_that_after_its_own(
    storyteller: LanguageModel, early: LanguageModel
) -> None:
    stories = [encode(early, story) for story in held_out("stories")[:12]]
    work = measure_exposure(early, storyteller, stories, n_tokens=32, temperature=0.7)
    seen = finish(work)
    by_story = paired_gap(seen.writer_loss_free, seen.writer_loss)
    assert by_story.mean > by_story.half_width > 0, "against the story itself"
    by_judge = paired_gap(seen.free, seen.forced)
    assert abs(by_judge.mean) > by_judge.half_width > 0, "by a second model"
    assert seen.true_text.mean() < seen.forced.mean(), "the early model is no storyteller"


@pytest.mark.parametrize(("temperature", "is_biased"), [(1.0, False), (1.5, True)])
def test_c36_a_writer_errs_more_after_text_that_is_unlike_what_it_learned_from(
    storyteller: LanguageModel, temperature: float, *, is_biased: bool
) -> None:
    scribbler = load_model("scribbler", device="cpu", dtype="float32")
    stories = [encode(scribbler, story) for story in held_out("stories")]
    work = measure_exposure(
        scribbler, storyteller, stories, n_tokens=32, temperature=temperature, seed=1000
    )
    excess = finish(work).excess
    assert (excess.mean > BIAS) == is_biased
    assert abs(excess.mean - BIAS) > excess.half_width > 0, "so sure that nothing is left to chance"


def test_c40_a_constraint_shapes_what_comes_after_it_and_nothing_before(
    storyteller: LanguageModel,
) -> None:
    work = place_instruction(
        storyteller,
        *(BEGINNING, INSTRUCTION, [WORD], Settings(temperature=0.8)),
        n_before=12,
        n_tokens=30,
        n_texts=6,
    )
    seen = finish(work)
    assert seen.n_same == seen.n_first == 12 * 6
    assert seen.followed[FIRST][11] > seen.followed[LATE][11] == seen.followed[NEVER][11]
    assert seen.followed[LATE][-1] > seen.followed[NEVER][-1]


def test_c42_more_context_and_more_training_predict_better(
    storyteller: LanguageModel, early: LanguageModel
) -> None:
    stories = [encode(storyteller, story) for story in held_out("stories")]
    losses = finish(measure_context_loss([storyteller, early], stories, (1, 8, 64))).losses
    for lm in (storyteller, early):
        by_context = losses[lm.name].mean(axis=0)
        assert by_context[0] > by_context[1] > by_context[2], lm.name
    gap = Estimate.of(losses[early.name][:, 2] - losses[storyteller.name][:, 2])
    assert gap.mean > gap.half_width > 0


def test_c43_a_text_that_may_not_end_repeats_itself_as_books_do_not(
    storyteller: LanguageModel,
) -> None:
    books = [encode(storyteller, book)[:256] for book in held_out("books")]
    prompt = encode(storyteller, "Once upon a time")
    texts = finish(generate_long(storyteller, prompt, KINDS, 256, books))
    kinds, last = np.array(texts.kinds), slice(176, 256)
    repeated = [texts.repeated[kinds == i, last].mean() for i in range(3)]
    assert repeated[0] > repeated[2]
    surprise = [np.nanmean(texts.surprise[kinds == i, last]) for i in range(3)]
    assert surprise[0] < surprise[1] < surprise[2]


def test_c44_going_back_costs_only_what_came_after_the_bad_token(
    storyteller: LanguageModel,
) -> None:
    start = Generation(storyteller, PROMPT)
    start.step(WARM)
    bad_id = options(start)[8].token_id
    left, *gone_back = finish(compare_rewinds(start, bad_id, WARM, 20, (1, 5, 20)))
    assert [strategy.n_discarded for strategy in gone_back] == [1, 5, 20]
    assert [strategy.n_passes - left.n_passes for strategy in gone_back] == [2, 6, 21]
    assert all(strategy.is_restored for strategy in gone_back)
    assert not left.is_restored
    assert all(strategy.surprise > 0 for strategy in (left, *gone_back))

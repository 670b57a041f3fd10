"""The claims of the snowball lesson, on the shipped models, by the functions behind the page."""

from __future__ import annotations

import numpy as np
import pytest

from model.generation import Generation
from model.held_out import held_out
from model.loading import LanguageModel, load_model
from model.sampling import Settings
from model.snowball.context_loss import ContextRun
from model.snowball.error_compounding import ManyForks, compounding, estimate
from model.snowball.exposure import ExposureRun
from model.snowball.fork import Fork, options
from model.snowball.instruction_position import FIRST, LATE, NEVER, ConstraintRun
from model.snowball.long_generation import LongRun
from model.snowball.rewind_strategies import RewindRun
from model.tokenizing import encode
from pages.lessons.snowball.constraint import BEGINNING, CONSTRAINT, WORDS
from pages.lessons.snowball.long import KINDS
from pages.lessons.snowball.state import Work
from viz.snowball.exposure_chart import paired_gap

PROMPT = "The cat sat on the"
WARM = Settings(temperature=0.7)


def finish(work: Work) -> None:
    while not work.is_done:
        work.advance()


@pytest.fixture(scope="module")
def early() -> LanguageModel:
    return load_model("storyteller_early", device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def many(storyteller: LanguageModel) -> ManyForks:
    ids = encode(storyteller, PROMPT)
    run = ManyForks(storyteller, ids, WARM, n_before=3, rank=20, n_tokens=20, n_forks=16)
    finish(run)
    return run


def test_c35_a_forced_token_parts_two_texts_that_were_one(storyteller: LanguageModel) -> None:
    start = Generation(storyteller, PROMPT)
    fork = Fork(start, options(start)[8].token_id, WARM, 24)
    finish(fork)
    gaps = [step.kl for step in fork.steps if step.kl is not None]
    assert gaps[0] == 0
    assert min(gaps[1:]) > 0
    assert sum(step.is_same for step in fork.steps) < len(fork.steps) / 2


def test_c35_over_many_forks_the_gap_grows_with_the_position(many: ManyForks) -> None:
    forks = many.forks()
    assert forks is not None
    first, last = forks.kl[:, :4], forks.kl[:, -8:]
    assert np.nanmedian(last) > np.nanmedian(first) > 0
    assert forks.same[:, :4].mean() > forks.same[:, -8:].mean()


def test_c35_slips_are_counted_beside_what_independent_errors_would_give(many: ManyForks) -> None:
    forks = many.forks()
    assert forks is not None
    found = compounding(forks, 0.01)
    assert 0 < found.rate < 0.5
    assert found.predicted[-1] == pytest.approx((1 - found.rate) ** 20)
    assert np.all(np.diff(found.right) <= 0)
    # one wrong token does not make the texts after it slip ever more: the page says as much
    assert found.wrong_slips < 3 * max(found.right_slips, 0.5)


def test_c36_the_loss_after_true_tokens_is_not_that_after_its_own(
    storyteller: LanguageModel, early: LanguageModel
) -> None:
    stories = [encode(early, story) for story in held_out("stories")[:12]]
    run = ExposureRun(early, storyteller, stories, n_prompt=24, n_tokens=32, temperature=0.7)
    finish(run)
    found = run.exposure()
    by_story = paired_gap(found.writer_loss_free, found.writer_loss)
    assert by_story.mean > by_story.half_width > 0, "against the story itself"
    by_judge = paired_gap(found.free, found.forced)
    assert abs(by_judge.mean) > by_judge.half_width > 0, "by a second model"
    assert found.true_text.mean() < found.forced.mean(), "the early model is no storyteller"


def test_c40_a_constraint_shapes_what_comes_after_it_and_nothing_before(
    storyteller: LanguageModel,
) -> None:
    run = ConstraintRun(
        storyteller,
        BEGINNING,
        CONSTRAINT,
        [WORDS],
        Settings(temperature=0.8),
        n_before=12,
        n_tokens=40,
        n_texts=10,
    )
    finish(run)
    found = run.constraint()
    assert found.n_same == found.n_first == 12 * 10
    assert found.reached[FIRST][11] > found.reached[LATE][11] == found.reached[NEVER][11]
    assert found.reached[LATE][-1] > found.reached[NEVER][-1]


def test_c42_more_context_and_more_training_predict_better(
    storyteller: LanguageModel, early: LanguageModel
) -> None:
    stories = [encode(storyteller, story) for story in held_out("stories")]
    run = ContextRun([storyteller, early], stories, (1, 8, 64), n_targets=48)
    finish(run)
    losses = run.loss().losses
    for lm in (storyteller, early):
        by_context = losses[lm.name].mean(axis=0)
        assert by_context[0] > by_context[1] > by_context[2], lm.name
    gap = estimate(losses[early.name][:, 2] - losses[storyteller.name][:, 2])
    assert gap.mean > gap.half_width > 0


def test_c43_a_text_that_may_not_end_repeats_itself_as_books_do_not(
    storyteller: LanguageModel,
) -> None:
    books = [encode(storyteller, book)[:256] for book in held_out("books")]
    run = LongRun(storyteller, encode(storyteller, "Once upon a time"), KINDS, 256, books, "books")
    finish(run)
    found = run.texts()
    kinds, last = np.array(found.kinds), slice(176, 256)
    repeated = [found.repeated[kinds == i, last].mean() for i in range(3)]
    assert repeated[0] > repeated[2]
    surprise = [np.nanmean(found.surprise[kinds == i, last]) for i in range(3)]
    assert surprise[0] < surprise[1] < surprise[2]


def test_c44_going_back_costs_only_what_came_after_the_bad_token(
    storyteller: LanguageModel,
) -> None:
    start = Generation(storyteller, PROMPT)
    start.step(WARM)
    run = RewindRun(start, options(start)[8].token_id, WARM, 20, (1, 5, 20))
    finish(run)
    left, *gone_back = run.choices
    assert [choice.n_thrown for choice in gone_back] == [1, 5, 20]
    assert [choice.n_passes - left.n_passes for choice in gone_back] == [2, 6, 21]
    assert all(choice.is_restored for choice in gone_back)
    assert not left.is_restored
    assert all(choice.surprise > 0 for choice in run.choices)

"""One wrong token on tiny models: forks by hand, slips by hand, texts side by side."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from model.generation import Generation
from model.loading import LanguageModel
from model.masks import divergence, log_softmax
from model.sampling import Settings
from model.snowball.error_compounding import ManyForks, compounding, estimate
from model.snowball.fork import Fork, meeting, option_of, options
from model.snowball.records import Forks, ForkStep, Side
from model.tokenizing import shares_vocabulary
from tests.tiny_models import tiny, tokenizer

PROMPT = [5, 6, 7, 8, 9, 10]
WARM = Settings(temperature=0.9)


def finished_fork(fork: Fork) -> Fork:
    while not fork.is_done:
        fork.advance()
    return fork


def finished(run: ManyForks) -> Forks:
    while not run.is_done:
        run.advance()
    forks = run.forks()
    assert forks is not None
    return forks


def step_of(right: int | None, wrong: int | None) -> ForkStep:
    sides = [None if one is None else Side(one, str(one), -1.0) for one in (right, wrong)]
    return ForkStep(0, sides[0], sides[1], 0.5)


# One fork


def test_one_side_of_a_fork_is_the_text_itself_and_the_other_has_the_forced_token() -> None:
    start = Generation(tiny("llama"), PROMPT, seed=3)
    plain = start.fork()
    for _ in range(10):
        plain.step(WARM)
    wrong_id = next(one.token_id for one in options(start) if one.token_id != plain.ids[6])
    fork = finished_fork(Fork(start, wrong_id, WARM, 10))
    assert [step.right.token_id for step in fork.steps if step.right] == plain.ids[6:]
    assert fork.steps[0].wrong is not None
    assert fork.steps[0].wrong.token_id == wrong_id
    assert start.ids == PROMPT, "the text itself stays"


def test_both_sides_go_on_by_the_same_coins() -> None:
    start = Generation(tiny("gpt2"), PROMPT, seed=4)
    fork = finished_fork(Fork(start, 77, WARM, 8))
    alone = start.fork()
    alone.step(WARM, token_id=77)
    for _ in range(7):
        alone.step(WARM)
    assert [step.wrong.token_id for step in fork.steps if step.wrong] == alone.ids[6:]
    assert [step.coin for step in fork.right.steps] == [step.coin for step in fork.wrong.steps]


def test_the_two_expect_the_same_at_the_fork_and_other_things_after_it() -> None:
    fork = finished_fork(Fork(Generation(tiny("llama"), PROMPT), 77, WARM, 6))
    gaps = [step.kl for step in fork.steps]
    assert gaps[0] == 0
    assert all(gap is not None and gap > 0 for gap in gaps[1:])
    other = Generation(tiny("llama"), PROMPT)
    other.step(WARM, token_id=77)
    itself = Generation(tiny("llama"), PROMPT)
    itself.step(WARM)
    expected = divergence(log_softmax(itself.logits), log_softmax(other.logits))
    assert gaps[1] == pytest.approx(float(expected), rel=1e-5)


def test_a_side_that_ends_leaves_the_other_running() -> None:
    lm = tiny("llama")
    end = min(lm.end_ids)
    fork = finished_fork(Fork(Generation(lm, PROMPT, seed=1), end, WARM, 5))
    assert fork.wrong.finished == "eos"
    assert all(step.wrong is None for step in fork.steps[1:])
    assert all(step.right is not None for step in fork.steps[1:])
    assert fork.steps[2].kl is None


def test_a_finished_text_and_an_unknown_token_are_refused() -> None:
    start = Generation(tiny("llama"), PROMPT)
    with pytest.raises(ValueError, match="no token of"):
        Fork(start, 290, WARM, 5)
    start.step(token_id=min(tiny("llama").end_ids))
    with pytest.raises(ValueError, match="choose an earlier one"):
        Fork(start, 5, WARM, 5)


def test_options_are_ranked_and_an_own_token_has_its_rank() -> None:
    start = Generation(tiny("llama"), PROMPT)
    offered = options(start, n_best=4)
    assert [one.rank for one in offered] == [1, 2, 3, 4, 20, 100]
    assert [one.prob for one in offered] == sorted((one.prob for one in offered), reverse=True)
    assert option_of(start, offered[4].token_id) == offered[4]
    logits = start.logits.astype(float)
    whole = np.exp(logits - logits.max())
    assert offered[2].prob == pytest.approx(whole[offered[2].token_id] / whole.sum())


def test_texts_meet_where_they_are_the_same_up_to_the_end() -> None:
    apart = [step_of(1, 2), step_of(3, 3), step_of(4, 5)]
    tail = [step_of(i, i) for i in range(6)]
    assert meeting(apart + tail) == 3
    assert meeting(apart + tail, least=7) is None
    assert meeting([*apart, *tail, step_of(1, 2)]) is None
    assert meeting([*apart, *tail, step_of(1, None)]) is None


# Side by side


def test_a_divergence_by_hand() -> None:
    first = np.log([0.5, 0.5])
    second = np.log([0.25, 0.75])
    expected = 0.5 * math.log(2) + 0.5 * math.log(2 / 3)
    assert float(divergence(first, second)) == pytest.approx(expected)
    assert float(divergence(first, first)) == 0
    with np.errstate(divide="ignore"):
        assert float(divergence(np.log([1.0, 0.0]), second)) == pytest.approx(math.log(4))


def test_models_of_other_tokens_cannot_judge_each_other() -> None:
    assert shares_vocabulary(tiny("llama"), tiny("gpt2"))
    assert not shares_vocabulary(tiny("llama"), _renamed())


def _renamed() -> LanguageModel:
    """A model whose tokenizer has one word more."""
    other = tokenizer()
    other.add_tokens(["more"])
    return replace(tiny("gpt2"), tokenizer=other)


# A hundred forks


def test_many_forks_are_single_forks_side_by_side() -> None:
    lm = tiny("llama")
    run = ManyForks(lm, PROMPT, WARM, n_before=2, rank=5, n_tokens=6, n_forks=3, first_seed=7)
    forks = finished(run)
    for row, seed in enumerate(range(7, 10)):
        start = Generation(lm, PROMPT, seed=seed)
        start.step(WARM)
        start.step(WARM)
        wrong_id = options(start)[4].token_id
        single = finished_fork(Fork(start, wrong_id, WARM, 7))
        assert single.steps[0].wrong is not None
        assert forks.forced_logprob[row] == pytest.approx(single.steps[0].wrong.logprob, abs=1e-4)
        for column, step in enumerate(single.steps[1:]):
            assert step.right is not None
            assert step.wrong is not None
            assert forks.right[row, column] == pytest.approx(step.right.logprob, abs=1e-4)
            assert forks.wrong[row, column] == pytest.approx(step.wrong.logprob, abs=1e-4)
            assert forks.kl[row, column] == pytest.approx(step.kl, abs=1e-4)
            assert forks.same[row, column] == step.is_same


def test_a_forced_token_is_never_the_one_that_the_coin_draws() -> None:
    cold = Settings(temperature=0)
    run = ManyForks(tiny("llama"), PROMPT, cold, n_before=0, rank=1, n_tokens=2, n_forks=1)
    forks = finished(run)
    second = options(Generation(tiny("llama"), PROMPT))[1]
    assert forks.forced_logprob[0] == pytest.approx(math.log(second.prob), abs=1e-5)


def test_many_forks_grow_in_groups_and_have_a_first_summary_early() -> None:
    run = ManyForks(tiny("llama"), PROMPT, WARM, n_before=1, rank=3, n_tokens=3, n_forks=25)
    assert run.forks() is None
    seen = set()
    while not run.is_done:
        run.advance()
        assert 0 <= run.done <= 1
        if (forks := run.forks()) is not None:
            seen.add(forks.n_texts)
    assert seen == {20, 25}
    assert run.done == 1


def test_forks_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="fork earlier"):
        ManyForks(tiny("llama"), PROMPT, WARM, n_before=50, rank=2, n_tokens=50)
    with pytest.raises(ValueError, match="choose one from 1 to 289"):
        ManyForks(tiny("llama"), PROMPT, WARM, n_before=1, rank=290, n_tokens=5)


# What they come to


def forks_of(right: list[list[float]], wrong: list[list[float]]) -> Forks:
    shape = np.array(right).shape
    return Forks(
        n_before=0,
        rank=2,
        forced_logprob=np.zeros(shape[0]),
        same=np.zeros(shape, dtype=bool),
        kl=np.zeros(shape),
        right=np.log(np.array(right)),
        wrong=np.log(np.array(wrong)),
    )


def test_slips_are_counted_by_hand() -> None:
    forks = forks_of(
        right=[[0.5, 0.5, 0.001, 0.5], [0.5, 0.5, 0.5, 0.5]],
        wrong=[[0.001, 0.5, 0.5, 0.5], [0.001, 0.001, 0.5, 0.5]],
    )
    found = compounding(forks, 0.01)
    assert found.rate == 1 / 8
    assert found.predicted.tolist() == pytest.approx([(7 / 8) ** n for n in (1, 2, 3, 4)])
    assert found.right.tolist() == [1, 1, 0.5, 0.5]
    assert found.wrong.tolist() == [0, 0, 0, 0]
    assert (found.right_slips, found.wrong_slips) == (0.5, 1.5)
    assert found.difference == 1
    assert found.half_width == pytest.approx(1.96 * math.sqrt(2) / math.sqrt(2))
    assert compounding(forks, 0.0001).rate == 0


def test_positions_after_an_end_count_on_neither_side() -> None:
    forks = forks_of(right=[[0.5, 0.001]], wrong=[[0.001, 0.5]])
    forks.wrong[0, 1] = math.nan
    found = compounding(forks, 0.01)
    assert (found.right_slips, found.wrong_slips, found.rate) == (0, 1, 0)


def test_a_mean_and_its_interval_by_hand() -> None:
    found = estimate([1.0, 2.0, 3.0, math.nan])
    assert (found.mean, found.spread, found.n) == (2, 1, 3)
    assert found.half_width == pytest.approx(1.96 / math.sqrt(3))
    assert math.isnan(estimate([math.nan]).mean)

"""A forced token on tiny models: forks by hand, slips by hand, many forks beside single ones."""

import math

import numpy as np
import pytest

from model.generation import Generation
from model.job import Job, finish
from model.masks import divergence, log_softmax
from model.sampling import Settings
from model.snowball.error_compounding import compounding, fork_many
from model.snowball.fork import fork_text, options, reconvergence
from model.snowball.records import Estimate, Forks, ForkStep, Token, student_t
from tests.tiny_models import tiny

PROMPT = [5, 6, 7, 8, 9, 10]
WARM = Settings(temperature=0.9)


def step_of(original: int | None, forced: int | None) -> ForkStep:
    sides = [None if i is None else Token(i, str(i), -1.0) for i in (original, forced)]
    return ForkStep(sides[0], sides[1], 0.5)


# One fork


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_each_side_of_a_fork_is_the_text_as_it_would_be_alone(architecture: str) -> None:
    start = Generation(tiny(architecture), PROMPT, seed=4)
    original, forced = start.fork(), start.fork()
    steps = finish(fork_text(start, 77, WARM, 8))
    kl = []
    for i in range(8):
        kl.append(float(divergence(log_softmax(original.logits), log_softmax(forced.logits))))
        original.step(WARM)
        forced.step(WARM, token_id=None if i else 77)
    assert [step.original.token_id for step in steps if step.original] == original.ids[6:]
    assert [step.forced.token_id for step in steps if step.forced] == forced.ids[6:]
    assert [step.pointer for step in original.steps] == [step.pointer for step in forced.steps]
    assert [step.kl for step in steps] == pytest.approx(kl, rel=1e-5)
    assert kl[0] == 0 < min(kl[1:])
    assert start.ids == PROMPT, "the text itself stays"


def test_a_side_that_ends_leaves_the_other_running_and_an_ended_text_is_refused() -> None:
    lm = tiny("llama")
    steps = finish(fork_text(Generation(lm, PROMPT, seed=1), min(lm.end_ids), WARM, 5))
    assert all(step.forced is None and step.original for step in steps[1:])
    assert len(steps) == 5
    assert steps[2].kl is None
    with pytest.raises(ValueError, match="no token of"):
        Job(fork_text(Generation(lm, PROMPT), 290, WARM, 5))
    ended = Generation(lm, PROMPT)
    ended.step(token_id=min(lm.end_ids))
    with pytest.raises(ValueError, match="choose an earlier one"):
        Job(fork_text(ended, 5, WARM, 5))


def test_options_are_ranked_with_their_probabilities() -> None:
    start = Generation(tiny("llama"), PROMPT)
    offered = options(start)
    assert [option.rank for option in offered] == [1, 2, 3, 4, 5, 6, 7, 8, 20, 100]
    logits = start.logits.astype(float)
    whole = np.exp(logits - logits.max())
    for option in offered:
        assert option.prob == pytest.approx(whole[option.token_id] / whole.sum())
        assert (logits > logits[option.token_id]).sum() == option.rank - 1


def test_texts_reconverge_where_they_are_the_same_up_to_the_end() -> None:
    apart = [step_of(1, 2), step_of(3, 3), step_of(4, 5)]
    tail = [step_of(i, i) for i in range(6)]
    assert reconvergence(apart + tail) == 3
    assert reconvergence(apart + tail[:4]) is None
    assert reconvergence([*apart, *tail, step_of(1, 2)]) is None
    assert reconvergence([*apart, *tail, step_of(1, None)]) is None


def test_what_a_server_left_out_counts_as_one_token_of_a_divergence() -> None:
    three = np.log([0.2, 0.3, 0.5]), np.log([0.1, 0.15, 0.75])
    merged = divergence(*three, merged=np.array([True, True, False]))
    expected = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    assert float(merged) == pytest.approx(expected)


# Many forks


def test_many_forks_are_single_forks_side_by_side() -> None:
    lm = tiny("llama")
    work = fork_many(lm, PROMPT, WARM, n_before=2, rank=5, n_tokens=6, n_forks=3)
    forks = finish(work)
    for row in range(3):
        start = Generation(lm, PROMPT, seed=row)
        start.step(WARM)
        start.step(WARM)
        _, *single = finish(fork_text(start, options(start)[4].token_id, WARM, 7))
        for column, step in enumerate(single):
            assert step.original is not None
            assert step.forced is not None
            assert forks.original[row, column] == pytest.approx(step.original.logprob, abs=1e-4)
            assert forks.forced[row, column] == pytest.approx(step.forced.logprob, abs=1e-4)
            assert forks.kl[row, column] == pytest.approx(step.kl, abs=1e-4)
            assert forks.same[row, column] == step.is_same


def test_a_forced_token_is_never_the_one_that_the_pointer_draws() -> None:
    cold, start = Settings(temperature=0), Generation(tiny("llama"), PROMPT)
    work = fork_many(tiny("llama"), PROMPT, cold, n_before=0, rank=1, n_tokens=1, n_forks=1)
    second = finish(fork_text(start, options(start)[1].token_id, cold, 2))
    assert finish(work).kl[0, 0] == pytest.approx(second[1].kl, abs=1e-5)


def test_many_forks_grow_in_groups_and_have_a_first_summary_early() -> None:
    work = fork_many(tiny("llama"), PROMPT, WARM, n_before=1, rank=3, n_tokens=3, n_forks=25)
    seen = [
        (progress.n_done / progress.n_total, progress.look().n_texts if progress.look else 0)
        for progress in work
    ]
    assert seen == sorted(seen)
    assert {n_texts for _, n_texts in seen} == {0, 20}
    assert 0 == seen[0][0] < seen[-1][0] < 1


@pytest.mark.parametrize(
    ("n_before", "rank", "remedy"), [(50, 2, "fork earlier"), (1, 290, "from 1 to 289")]
)
def test_forks_that_cannot_be_are_refused(n_before: int, rank: int, remedy: str) -> None:
    work = fork_many(
        tiny("llama"), PROMPT, WARM, n_before=n_before, rank=rank, n_tokens=50, n_forks=1
    )
    with pytest.raises(ValueError, match=remedy):
        Job(work)


# What they come to


def forks_of(original: list[list[float]], forced: list[list[float]]) -> Forks:
    shape = np.array(original).shape
    return Forks(
        n_before=0,
        temperature=1.0,
        same=np.zeros(shape, dtype=bool),
        kl=np.zeros(shape),
        original=np.log(np.array(original)),
        forced=np.log(np.array(forced)),
    )


def test_slips_are_counted_by_hand() -> None:
    forks = forks_of(
        original=[[0.5, 0.5, 0.001, 0.5], [0.5, 0.5, 0.5, 0.5]],
        forced=[[0.001, 0.5, 0.5, 0.5], [0.001, 0.001, 0.5, 0.5]],
    )
    slips = compounding(forks, 0.01)
    assert slips.rate == 1 / 8
    assert slips.predicted.tolist() == pytest.approx([(7 / 8) ** n for n in (1, 2, 3, 4)])
    assert slips.original.tolist() == [1, 1, 0.5, 0.5]
    assert slips.forced.tolist() == [0, 0, 0, 0]
    assert (slips.original_slips, slips.forced_slips) == (0.5, 1.5)
    assert slips.difference.mean == 1
    assert compounding(forks, 0.0001).rate == 0


def test_a_text_that_has_ended_is_no_evidence_on_either_side() -> None:
    original = [[0.5, 0.001], [0.5, 0.001], [0.5, math.nan], [0.5, math.nan]]
    slips = compounding(forks_of(original=original, forced=[[0.5, 0.5]] * 4), 0.01)
    assert slips.original.tolist() == [1, 0]
    for original, forced in (([0.5, 0.001], [0.001, math.nan]), ([0.5, math.nan], [0.001, 0.001])):
        slips = compounding(forks_of(original=[original], forced=[forced]), 0.01)
        assert (slips.original_slips, slips.forced_slips, slips.rate) == (0, 1, 0)


def test_a_mean_and_its_interval_by_hand() -> None:
    estimate = Estimate.of([1.0, 2.0, 3.0, math.nan])
    assert (estimate.mean, estimate.spread, estimate.n) == (2, 1, 3)
    assert estimate.half_width == pytest.approx(4.303 / math.sqrt(3)), "Student's t at n = 3"
    assert [round(student_t(n), 3) for n in (7, 20, 30, 10_000)] == [2.365, 2.086, 2.042, 1.960]
    assert math.isnan(Estimate.of([math.nan]).mean)

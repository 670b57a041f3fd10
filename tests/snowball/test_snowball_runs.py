"""The other runs of the snowball lesson on tiny models, held against single passes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from model.generation import Generation
from model.held_out import FOLDER, held_out
from model.masks import divergence, log_softmax
from model.sampling import Settings
from model.snowball.context_loss import ContextRun
from model.snowball.exposure import ExposureRun, expected_surprise
from model.snowball.instruction_position import FIRST, LATE, NEVER, ConstraintRun
from model.snowball.long_generation import Kind, LongRun, repeats
from model.snowball.rewind_strategies import RewindRun
from tests.tiny_models import fresh_logits, tiny

PROMPT = [5, 6, 7, 8, 9, 10]
WARM = Settings(temperature=0.9)
STORIES = [list(range(10 + i, 40 + i)) for i in range(3)]


# True tokens, or its own


def test_an_expected_surprise_by_hand() -> None:
    writer, judge = np.log([[0.75, 0.25]]), np.log([[0.5, 0.5]])
    assert expected_surprise(writer, judge)[0] == pytest.approx(math.log(2))
    judge = np.log([[0.9, 0.1]])
    by_hand = -0.75 * math.log(0.9) - 0.25 * math.log(0.1)
    assert expected_surprise(writer, judge)[0] == pytest.approx(by_hand)
    assert expected_surprise(writer, judge, temperature=0)[0] == pytest.approx(-math.log(0.9))
    # at T = 0.5 the weights are squared: 9 to 1
    colder = -0.9 * math.log(0.9) - 0.1 * math.log(0.1)
    assert expected_surprise(writer, judge, temperature=0.5)[0] == pytest.approx(colder)


def test_exposure_is_what_single_passes_say() -> None:
    writer, judge = tiny("llama"), tiny("llama", seed=1)
    run = ExposureRun(writer, judge, STORIES, n_prompt=8, n_tokens=6, seed=2)
    while not run.is_done:
        run.advance()
    found = run.exposure()
    story = STORIES[1]
    text = Generation(writer, story[:8], seed=3)
    for column in range(6):
        after_true = story[: 8 + column]
        w, j = (log_softmax(fresh_logits(lm, after_true)) for lm in (writer, judge))
        assert found.true_text[1, column] == pytest.approx(-j[story[8 + column]], abs=1e-4)
        assert found.writer_loss[1, column] == pytest.approx(-w[story[8 + column]], abs=1e-4)
        assert found.forced[1, column] == pytest.approx(expected_surprise(w, j), abs=1e-4)
        assert found.kl_forced[1, column] == pytest.approx(float(divergence(j, w)), abs=1e-4)
        w, j = (log_softmax(fresh_logits(lm, text.ids)) for lm in (writer, judge))
        assert found.free[1, column] == pytest.approx(expected_surprise(w, j), abs=1e-4)
        assert found.kl_free[1, column] == pytest.approx(float(divergence(j, w)), abs=1e-4)
        loss = -w[story[8 + column]]
        assert found.writer_loss_free[1, column] == pytest.approx(loss, abs=1e-4)
        text.step(Settings())


def test_both_ways_start_from_the_same_and_a_writer_judges_itself_without_a_gap() -> None:
    run = ExposureRun(tiny("gpt2"), tiny("gpt2"), STORIES, n_prompt=8, n_tokens=4)
    while not run.is_done:
        run.advance()
    found = run.exposure()
    assert found.forced[:, 0] == pytest.approx(found.free[:, 0], abs=1e-4)
    assert np.all(found.kl_forced == 0)


def test_stories_that_are_too_short_are_refused() -> None:
    with pytest.raises(ValueError, match="choose a shorter stretch"):
        ExposureRun(tiny("gpt2"), tiny("gpt2"), STORIES, n_prompt=30, n_tokens=10)


# Loss against context


def test_a_loss_is_of_the_same_token_from_its_last_tokens_only() -> None:
    lm, other = tiny("llama"), tiny("gpt2")
    run = ContextRun([lm, other], STORIES, (1, 4, 16), n_targets=5)
    while not run.is_done:
        run.advance()
    found = run.loss()
    assert found.contexts == (1, 4, 16)
    assert found.losses[lm.name].shape == (5, 3)
    row, end = run.targets[2]
    for column, n_seen in enumerate(found.contexts):
        expected = log_softmax(fresh_logits(lm, STORIES[row][end - n_seen : end]))
        wanted = -expected[STORIES[row][end]]
        assert found.losses[lm.name][2, column] == pytest.approx(wanted, abs=1e-4)
    assert run.done == 1


def test_contexts_beyond_the_model_are_left_out_and_texts_must_reach() -> None:
    assert ContextRun([tiny("gpt2")], [[1] * 120], (1, 64, 128)).contexts == (1, 64)
    with pytest.raises(ValueError, match="No text has more than"):
        ContextRun([tiny("gpt2")], STORIES, (1, 64))


# Long texts


def test_a_repeat_is_a_run_of_four_that_stood_before() -> None:
    assert repeats([1, 2, 3, 4, 1, 2, 3, 4]).tolist() == [False] * 7 + [True]
    assert repeats([7, 7, 7, 7, 7, 7]).tolist() == [False] * 4 + [True] * 2
    assert repeats([1, 2, 3]).tolist() == [False] * 3


def test_a_long_text_reaches_the_end_of_the_context_without_an_end() -> None:
    lm = tiny("llama")
    kinds = (Kind("greedy", Settings(temperature=0), 1), Kind("warm", Settings(), 2))
    run = LongRun(lm, PROMPT, kinds, 96, [STORIES[0]], "people")
    while not run.is_done:
        run.advance()
    found = run.texts()
    assert (found.names, found.kinds) == (("greedy", "warm", "people"), (0, 1, 1, 2))
    assert np.isnan(found.surprise[:3, :6]).all()
    assert (found.surprise[:3, 6:] >= 0).all()
    assert np.isfinite(found.surprise[3, 1:30]).all()
    assert np.isnan(found.surprise[3, 30:]).all()
    alone = Generation(lm, PROMPT)
    for _ in range(5):
        alone.step(Settings(temperature=0))
    expected = [-step.logprob for step in alone.steps]
    assert found.surprise[0, 6:11] == pytest.approx(expected, abs=1e-4)
    assert len(found.endings) == 3


def test_a_length_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 96"):
        LongRun(tiny("llama"), PROMPT, (Kind("greedy", WARM, 1),), 97)


# A constraint first, or late


def written(n_before: int = 4) -> ConstraintRun:
    run = ConstraintRun(
        tiny("llama"), "the cat", "the end", ["the"], WARM, n_before=n_before, n_tokens=8, n_texts=3
    )
    while not run.is_done:
        run.advance()
    return run


def test_a_late_constraint_leaves_every_token_before_it_as_it_was() -> None:
    run = written()
    found = run.constraint()
    assert (found.n_same, found.n_first) == (12, 12)
    assert run.written[LATE][0][:4] == run.written[NEVER][0][:4]
    assert run.written[LATE] != run.written[NEVER]
    given = Generation(run.lm, [*run.beginning, *run.put_in], seed=1)
    for _ in range(8):
        if given.finished is None:
            given.step(WARM)
    ids = given.ids[given.n_prompt :]
    assert run.written[FIRST][1][: len(ids)] == ids


def test_a_text_has_met_a_constraint_from_its_first_word_on() -> None:
    run = written()
    the = run.lm.tokenizer(" the", add_special_tokens=False)["input_ids"]
    run.written[NEVER] = [[70, *the, 71, 72, 73, 74, 75, 76][:8], [70] * 8, [*the * 8][:8]]
    shares = run.constraint().reached[NEVER]
    assert shares[0] == pytest.approx(1 / 3)
    assert shares[-1] == pytest.approx(2 / 3)


def test_an_empty_constraint_is_refused() -> None:
    with pytest.raises(ValueError, match="Write a constraint"):
        ConstraintRun(tiny("llama"), "the cat", "the end", [" "], WARM)
    with pytest.raises(ValueError, match="between 1 and 7"):
        written(n_before=8)


# Stop, go back, choose again


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "mamba"])
def test_going_back_costs_what_came_after_and_gives_the_text_as_it_would_have_been(
    architecture: str,
) -> None:
    start = Generation(tiny(architecture), PROMPT, seed=5)
    start.step(WARM)
    drawn = start.fork().step(WARM).token_id
    run = RewindRun(start, 77 if drawn != 77 else 78, WARM, 10, (1, 4, 10))
    while not run.is_done:
        run.advance()
        assert 0 <= run.done <= 1
    left, *gone_back = run.choices
    assert (left.n_thrown, left.n_passes, left.is_restored) == (0, 10, False)
    assert [choice.n_thrown for choice in gone_back] == [1, 4, 10]
    assert [choice.n_passes for choice in gone_back] == [12, 15, 21]
    assert all(choice.is_restored for choice in gone_back)
    assert len({choice.text for choice in gone_back}) == 1
    assert left.surprise != gone_back[0].surprise
    assert start.ids[:6] == PROMPT
    assert len(start.ids) == 7


def test_a_bad_token_right_after_the_prompt_can_be_taken_back_too() -> None:
    run = RewindRun(Generation(tiny("llama"), PROMPT, seed=5), 77, WARM, 5, (2,))
    while not run.is_done:
        run.advance()
    assert run.choices[1].is_restored


def test_a_stop_beyond_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="after 1 to 5 tokens"):
        RewindRun(Generation(tiny("llama"), PROMPT), 77, WARM, 5, (6,))


# The held-out texts


def test_held_out_texts_are_many_long_and_credited() -> None:
    assert len(held_out("stories")) == 24
    assert min(map(len, held_out("stories"))) > 500
    assert min(map(len, held_out("books"))) > 6_000
    credit = (FOLDER / "README.md").read_text("utf-8")
    assert all(path.name in credit for path in FOLDER.glob("*.txt"))

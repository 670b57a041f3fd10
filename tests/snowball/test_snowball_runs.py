"""The lesson's other experiments on tiny models, held against single passes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from model.generation import Generation
from model.held_out import FOLDER, held_out
from model.job import Job, Work, finish
from model.loading import LanguageModel
from model.masks import divergence, log_softmax
from model.sampling import Settings
from model.snowball.context_loss import measure_context_loss
from model.snowball.exposure import expected_surprise, measure_exposure
from model.snowball.instruction_position import FIRST, LATE, NEVER, place_instruction, share_with
from model.snowball.long_generation import Kind, generate_long, repeats
from model.snowball.rewind_strategies import compare_rewinds
from tests.jobs import run_until
from tests.tiny_models import fresh_logits, tiny

PROMPT = [5, 6, 7, 8, 9, 10]
WARM = Settings(temperature=0.9)
STORIES = [list(range(10 + i, 40 + i)) for i in range(3)]


# Teacher forcing and free running


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
    seen = finish(measure_exposure(writer, judge, STORIES, n_prompt=8, n_tokens=6, seed=2))
    story = STORIES[1]
    text = Generation(writer, story[:8], seed=3)
    for column in range(6):
        true_id = story[8 + column]
        w, j = (log_softmax(fresh_logits(lm, story[: 8 + column])) for lm in (writer, judge))
        wf, jf = (log_softmax(fresh_logits(lm, text.ids)) for lm in (writer, judge))
        for measured, expected in (
            (seen.true_text, -j[true_id]),
            (seen.writer_loss, -w[true_id]),
            (seen.forced, expected_surprise(w, j)),
            (seen.kl_forced, divergence(j, w)),
            (seen.free, expected_surprise(wf, jf)),
            (seen.kl_free, divergence(jf, wf)),
            (seen.writer_loss_free, -wf[true_id]),
        ):
            assert measured[1, column] == pytest.approx(float(expected), abs=1e-4)
        text.step(Settings())


# Loss by context length


def test_a_loss_is_of_the_same_token_from_its_last_tokens_only() -> None:
    lm, other = tiny("llama"), tiny("gpt2")
    loss = finish(measure_context_loss([lm, other], STORIES, (1, 4, 16), n_targets=5))
    assert loss.contexts == (1, 4, 16)
    assert loss.losses[lm.name].shape == (5, 3)
    # of the 3 × 14 tokens with 16 before them, the third of five evenly spread
    row, end = divmod(20, 14)[0], 16 + 20 % 14
    for column, n_context in enumerate(loss.contexts):
        expected = log_softmax(fresh_logits(lm, STORIES[row][end - n_context : end]))
        wanted = -expected[STORIES[row][end]]
        assert loss.losses[lm.name][2, column] == pytest.approx(wanted, abs=1e-4)
    short = finish(measure_context_loss([other], [[1] * 120], (1, 64, 128), n_targets=2))
    assert short.contexts == (1, 64), "those beyond the model are left out"


# Long generation


def test_a_repeat_is_a_run_of_four_that_stood_before() -> None:
    assert repeats([1, 2, 3, 4, 1, 2, 3, 4]).tolist() == [False] * 7 + [True]
    assert repeats([7, 7, 7, 7, 7, 7]).tolist() == [False] * 4 + [True] * 2
    assert repeats([1, 2, 3]).tolist() == [False] * 3


def test_a_long_text_reaches_the_end_of_the_context_without_an_end() -> None:
    lm = tiny("llama")
    kinds = (Kind("greedy", Settings(temperature=0), 1), Kind("warm", Settings(), 2))
    texts = finish(generate_long(lm, PROMPT, kinds, 96, [STORIES[0]], "people"))
    assert (texts.names, texts.kinds) == (("greedy", "warm", "people"), (0, 1, 1, 2))
    assert np.isnan(texts.surprise[:3, :6]).all()
    assert (texts.surprise[:3, 6:] >= 0).all()
    assert np.isfinite(texts.surprise[3, 1:30]).all()
    assert np.isnan(texts.surprise[3, 30:]).all()
    alone = Generation(lm, PROMPT)
    for _ in range(5):
        alone.step(Settings(temperature=0))
    expected = [-step.logprob for step in alone.steps]
    assert texts.surprise[0, 6:11] == pytest.approx(expected, abs=1e-4)
    assert len(texts.endings) == 3


# Instruction position


def test_a_late_instruction_leaves_every_token_before_it_as_it_was() -> None:
    lm, texts = tiny("llama"), ("the cat", "the end", ["the"], WARM)
    job = Job(place_instruction(lm, *texts, n_before=4, n_tokens=8, n_texts=3))
    run_until(job, 4)
    halfway = job.progress.look() if job.progress.look else None
    assert halfway is not None
    assert halfway.examples[LATE].put_in == ""
    run_until(job, 8)
    last = job.found
    assert last is not None
    assert (halfway.n_same, halfway.n_first) == (last.n_same, last.n_first) == (12, 12)
    late, never, first = (last.examples[name] for name in (LATE, NEVER, FIRST))
    assert late.put_in.strip() == "the end"
    assert never.before.startswith(late.before)
    assert first.given.endswith(late.put_in)
    alone = Generation(lm, first.given, seed=0)
    while alone.finished is None and len(alone.steps) < 8:
        alone.step(WARM)
    assert alone.text == first.given + first.before


def test_a_text_has_followed_an_instruction_from_its_first_word_on() -> None:
    lm = tiny("llama")
    the = lm.tokenizer(" the", add_special_tokens=False)["input_ids"]
    rows = [[70, *the, 71, 72, 73, 74, 75, 76][:8], [70] * 8, [*the * 8][:8]]
    shares = share_with(lm, rows, ["the"])
    assert shares[0] == pytest.approx(1 / 3)
    assert shares[-1] == pytest.approx(2 / 3)


# Rewind strategies


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "mamba"])
def test_going_back_costs_what_came_after_and_gives_the_text_as_it_would_have_been(
    architecture: str,
) -> None:
    start = Generation(tiny(architecture), PROMPT, seed=5)
    start.step(WARM)
    drawn = start.fork().step(WARM).token_id
    bad_id = 77 if drawn != 77 else 78
    left, *gone_back = finish(compare_rewinds(start, bad_id, WARM, 10, (1, 4, 10)))
    assert (left.n_discarded, left.n_passes, left.is_restored) == (0, 10, False)
    assert [strategy.n_discarded for strategy in gone_back] == [1, 4, 10]
    assert [strategy.n_passes for strategy in gone_back] == [12, 15, 21]
    assert all(strategy.is_restored for strategy in gone_back)
    assert len({strategy.text for strategy in gone_back}) == 1
    assert left.surprise != gone_back[0].surprise
    assert len(start.ids) == len(PROMPT) + 1, "the text itself stays"
    untouched = Generation(tiny(architecture), PROMPT, seed=5)
    assert finish(compare_rewinds(untouched, 77, WARM, 5, (2,)))[1].is_restored


# Bad input, before any pass


@pytest.mark.parametrize(
    ("remedy", "work"),
    [
        ("choose fewer positions", lambda lm: measure_exposure(lm, lm, STORIES, n_prompt=30)),
        ("No text has more than", lambda lm: measure_context_loss([lm], STORIES, (1, 64))),
        ("at most 96", lambda lm: generate_long(lm, PROMPT, (Kind("greedy", WARM, 1),), 97)),
        ("Write an instruction", lambda lm: place_instruction(lm, "a", "b", [" "], WARM)),
        (
            "between 1 and 7",
            lambda lm: place_instruction(lm, "a", "b", ["c"], WARM, n_before=8, n_tokens=8),
        ),
        (
            "after 1 to 5 tokens",
            lambda lm: compare_rewinds(Generation(lm, PROMPT), 77, WARM, 5, (6,)),
        ),
    ],
)
def test_what_cannot_be_measured_is_refused_with_the_remedy(
    remedy: str, work: Callable[[LanguageModel], Work[object]]
) -> None:
    with pytest.raises(ValueError, match=remedy):
        Job(work(tiny("llama")))


# The held-out texts


def test_held_out_texts_are_many_long_and_credited() -> None:
    assert len(held_out("stories")) == 24
    assert min(map(len, held_out("stories"))) > 500
    assert min(map(len, held_out("books"))) > 6_000
    credit = (FOLDER / "README.md").read_text("utf-8")
    assert all(path.name in credit for path in FOLDER.glob("*.txt"))

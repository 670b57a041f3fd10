"""The lesson's other experiments on tiny models, held against single passes."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from model.generation import Generation
from model.held_out import FOLDER, held_out
from model.job import Job, Work, finish
from model.loading import LanguageModel, load_model
from model.masks import divergence, log_softmax
from model.sampling import Settings
from model.snowball.context_loss import measure_context_loss
from model.snowball.exposure import expected_surprise, measure_exposure
from model.snowball.fork import options
from model.snowball.instruction_position import FIRST, LATE, NEVER, place_instruction, share_with
from model.snowball.long_generation import TextKind, generate_long, repeats
from model.snowball.records import BIAS, paired_gap
from model.snowball.rewind_strategies import compare_rewinds
from model.snowball.thread import N_PARTS, PART, returning
from model.tokenizing import encode, encode_bare
from tests.jobs import run_until
from tests.tiny_models import fresh_logits, tiny, tokenizer

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
    seen = finish(measure_exposure(writer, judge, STORIES, n_prompt=8, n_tokens=6))
    story = STORIES[1]
    text = Generation(writer, story[:8], seed=1)
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
        for best, logprobs in ((seen.expected_forced, (w, j)), (seen.expected_free, (wf, jf))):
            assert best[:, 1, column].tolist() == [one.argmax() for one in logprobs]
        assert seen.other_free[1, column] == float(wf.argmax() != jf.argmax())
        text.step(Settings())


def test_c36_a_writer_errs_more_after_text_that_is_unlike_what_it_learned_from(
    storyteller: LanguageModel,
) -> None:
    scribbler = load_model("scribbler", device="cpu", dtype="float32")
    stories = [encode(scribbler, story) for story in held_out("stories")]
    work = measure_exposure(scribbler, storyteller, stories, n_tokens=24, temperature=1.5)
    seen = finish(work)
    assert seen.excess.mean - BIAS > seen.excess.half_width > 0
    by_story = paired_gap(seen.writer_loss_free, seen.writer_loss)
    assert by_story.mean > by_story.half_width > 0, "against the story itself it loses always"


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
    kinds = (TextKind("greedy", Settings(temperature=0), 1), TextKind("warm", Settings(), 2))
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


def test_c43_a_text_that_may_not_end_repeats_itself_as_books_do_not(
    storyteller: LanguageModel,
) -> None:
    books = [encode(storyteller, book) for book in held_out("books")]
    prompt = encode(storyteller, "Once upon a time")
    greedy = (TextKind("greedy", Settings(temperature=0), 1),)
    texts = finish(generate_long(storyteller, prompt, greedy, 256, books, "books"))
    repeated, surprise = (
        values[:, 176:].mean(axis=1) for values in (texts.repeated, texts.surprise)
    )
    assert repeated[0] > repeated[1:].mean()
    assert surprise[0] < surprise[1:].min()


def test_what_comes_back_counts_as_far_as_it_does_more_often_than_by_chance(
    storyteller: LanguageModel,
) -> None:
    # four openings with a name of their own; two of the texts say it again, all say "the"
    def text(name: str, *later: str) -> list[int]:
        parts = [encode_bare(storyteller, f" {word} the" * PART)[:PART] for word in (name, *later)]
        return [token_id for part in parts for token_id in part]

    names = (" cat", " dog", " bird", " fish")
    others = ("sun", "sun", "sun")
    texts = [text(names[0], names[0], "sun", "sun"), *(text(name, *others) for name in names[1:])]
    back = returning(storyteller, texts, range(4))
    assert back.shape == (4, N_PARTS)
    assert back[0].tolist() == [1.0, 0.0, 0.0]
    assert back[1:].tolist() == [[0.0] * N_PARTS] * 3
    # by chance: what another text's opening names comes back as well
    swapped = returning(storyteller, [text(" cat", " dog", *others[1:]), *texts[1:]], range(4))
    assert swapped[1].tolist() == [pytest.approx(-1 / 3), 0.0, 0.0]
    # texts of one source have their names in common, and are not held against each other
    assert returning(storyteller, [texts[0]] * 2, [0, 0])[0].tolist() == [0.0, 0.0, 0.0]


# Instruction position


def test_a_late_instruction_leaves_every_token_before_it_as_it_was() -> None:
    lm, texts = tiny("llama"), ("the cat", "the end", ["the"], WARM)
    job = Job(place_instruction(lm, *texts, n_before=4, n_tokens=8, n_texts=3))
    run_until(job, 4)
    assert job.progress.look().examples[LATE].put_in == "", "not yet"
    run_until(job, 8)
    found = job.result
    assert found.n_same == found.n_first == 12
    late, never, first = (found.examples[name] for name in (LATE, NEVER, FIRST))
    assert late.put_in.strip() == "the end"
    assert never.before.startswith(late.before)
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


@pytest.mark.parametrize("architecture", ["llama", "mamba"])
def test_going_back_costs_what_came_after_and_gives_the_text_as_it_would_have_been(
    architecture: str,
) -> None:
    start = Generation(tiny(architecture), PROMPT, seed=5)
    start.step(WARM)
    far_id = options(start)[-1].token_id
    ways = finish(compare_rewinds(start, far_id, WARM, 10, (1, 4, 10)))
    found = [(way.n_discarded, way.n_passes, way.is_restored) for way in ways]
    assert found == [(0, 10, False), (1, 12, True), (4, 15, True), (10, 21, True)]
    assert ways[0].surprise != ways[1].surprise
    assert len(start.ids) == len(PROMPT) + 1, "the text itself stays"


# Bad input, before any pass


def stranger() -> LanguageModel:
    """A model with a token more than the others."""
    words = tokenizer()
    words.add_tokens(["more"])
    return replace(tiny("gpt2"), tokenizer=words)


@pytest.mark.parametrize(
    ("remedy", "work"),
    [
        ("choose a judge of its family", lambda lm: measure_exposure(lm, stranger(), STORIES)),
        ("choose fewer positions", lambda lm: measure_exposure(lm, lm, STORIES, n_prompt=30)),
        ("No text has more than", lambda lm: measure_context_loss([lm], STORIES, (1, 64))),
        (
            "at most 96",
            lambda lm: generate_long(lm, PROMPT, (TextKind("a", WARM, 1),), 97, (), "b"),
        ),
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

"""The guessing game by hand: what was typed, as confidence and as tokens, and what it costs."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from model.generation import Generation
from model.guess.game import N_OFFERED, GuessingGame, prob_of, score
from model.guess.parsing import read_line, spell_out, tokens_of_guess
from model.guess.records import GuessRead
from model.guess.shannon import entropy_bounds, isotonic_fit, lower_bound, upper_bound
from model.loading import LanguageModel
from model.masks import log_softmax
from pages.lessons.guess.settings import PASSAGES
from tests.tiny_models import tiny

STORY = "The cat sat on the grass. It was a very warm day, and the cat was happy."


def guess(token_id: int, share: float) -> GuessRead:
    return GuessRead("word", "␣word", token_id, 1, share)


@pytest.mark.parametrize(
    ("line", "shares"),
    [
        ("mat 60 floor 20", {"mat": 0.6, "floor": 0.2}),
        ("mat 60 %, floor 20%", {"mat": 0.6, "floor": 0.2}),
        (", 30 . 20", {",": 0.3, ".": 0.2}),
        ("% 30 7", {"%": 0.3, "7": 0.35}),
        ("mat 60 floor sofa", {"mat": 0.6, "floor": 0.1, "sofa": 0.1}),
        ("mat 10 mat 20", {"mat": 0.3}),
        ("mat 100", {"mat": 0.99}),
        ("mat 0", {}),
        ("", {}),
    ],
)
def test_a_line_is_read_as_guesses_and_confidence(line: str, shares: dict[str, float]) -> None:
    assert read_line(line) == pytest.approx(shares)


def test_hands_get_one_more_for_all_other_tokens_and_too_much_is_refused() -> None:
    assert read_line("mat 12 floor 7", "hands") == pytest.approx({"mat": 0.6, "floor": 0.35})
    assert read_line("mat floor", "hands") == pytest.approx({"mat": 1 / 3, "floor": 1 / 3})
    assert read_line("mat 900", "hands")["mat"] < 1
    with pytest.raises(ValueError, match="130"):
        read_line("mat 80 floor 50")
    with pytest.raises(ValueError, match="fewer"):
        read_line("word " * 100)


@pytest.mark.parametrize(
    ("before", "typed", "form"),
    [
        ("on the", "mat", " mat"),
        ("he walk", "-ing", "ing"),
        ("twice", "-", "-"),
        ("she said", '"', ' "'),
        ('she said "', "No", "No"),
        ('"No', '"', '"'),
        ("a line ", "word", "word"),
        ("see (", "it", "it"),
        ("Tom", "'s", "'s"),
    ],
)
def test_a_guess_is_spelt_as_it_would_follow_the_text(before: str, typed: str, form: str) -> None:
    assert spell_out(before, typed) == form


def test_the_score_is_in_bits_and_the_rank_counts_from_one() -> None:
    hit = score("Ada", (guess(2, 0.5), guess(4, 0.25)), 4, 10)
    assert (hit.bits, hit.rank) == (2, 2)
    miss = score("Ben", (guess(2, 0.5),), 0, 10)
    assert miss.rank is None
    assert miss.bits == pytest.approx(math.log2(18))  # half, spread over nine
    assert math.isfinite(score("Cleo", (guess(2, 0.99),), 0, 150_000).bits)


def test_a_round_opens_one_token_and_scores_all(storyteller: LanguageModel) -> None:
    game = GuessingGame(storyteller, STORY, n_revealed=5)
    log_probs = log_softmax(Generation(storyteller, "The cat sat on the").logits)
    hidden = game.hidden_text
    assert "".join(hidden.shown) == "The cat sat on the"
    done = game.play({"Ada": "grass 60 hippopotamus 20", "Ben": ""})
    assert done.label == "␣grass"
    assert done.n_vocab == 4096
    assert done.model_bits == pytest.approx(-log_probs[done.token_id] / math.log(2), abs=1e-4)
    assert done.model_rank == 1 + int((log_probs > log_probs[done.token_id]).sum())
    assert [p.bits for p in done.players] == pytest.approx([-math.log2(0.6), 12])
    assert done.costs["uniform"] == 12
    grass, hippo = done.players[0].guesses
    assert (grass.label, grass.n_tokens, grass.typed) == ("␣grass", 1, "grass")
    assert hippo.n_tokens > 1
    assert "␣hippopotamus".startswith(hippo.label)
    assert {grass.label, hippo.label} <= {row.label for row in done.rows}
    for player in done.players:
        given = [prob_of(player.shares, i, done.n_vocab) for i in range(done.n_vocab)]
        assert math.fsum(given) == pytest.approx(1)
        assert min(given) > 0
    probs = [row.model_prob for row in done.rows]
    assert probs == sorted(probs, reverse=True)
    assert "".join(game.hidden_text.shown) == "The cat sat on the grass"
    assert game.hidden_text.n_hidden == hidden.n_hidden - 1
    assert game.hidden_text.bits[-1] == done.model_bits


def test_the_model_beats_a_uniform_guesser_on_every_text_that_is_offered(
    storyteller: LanguageModel,
) -> None:
    for passage in PASSAGES.values():
        game = GuessingGame(storyteller, passage.text)
        bits = [game.play({"You": "the"}).model_bits for _ in range(12)]
        assert sum(bits) < 0.8 * 12 * len(bits)


def test_what_nobody_can_type_opens_by_itself(storyteller: LanguageModel) -> None:
    game = GuessingGame(storyteller, "She drew a 😀 and a\n\n 7 on it.", n_revealed=3)
    assert "".join(game.hidden_text.shown).startswith("She drew a 😀")
    asked = []
    while not game.is_over:
        asked.append(game.play({"You": "and 50"}).label)
    assert all(one.strip("␣") and not one.startswith("<0x") for one in asked)
    assert "".join(game.hidden_text.shown) == "She drew a 😀 and a 7 on it."
    with pytest.raises(ValueError, match="another game"):
        game.play({"You": "The 50"})


def test_a_text_that_cannot_be_played_says_why(storyteller: LanguageModel) -> None:
    for text, remedy in (
        ("The cat", "longer"),
        ("", "longer"),
        ("word " * 2000, "shorten it"),
        ("The cat sat on the mat <|endoftext|> and slept well.", "take it out"),
    ):
        with pytest.raises(ValueError, match=remedy):
            GuessingGame(storyteller, text, n_revealed=5)


@pytest.mark.parametrize("architecture", ["gpt2", "openai_gpt"])
def test_any_causal_model_plays(architecture: str) -> None:
    lm = tiny(architecture)
    game = GuessingGame(lm, "the then, 😀 the", n_revealed=2)
    assert game.hidden_text.shown == ("t", "he")  # no token begins the text: two of its own do
    done = game.play({"You": "-he 50 the 20"})
    # "he" goes on with the word; " the" begins a new one
    assert [one.label for one in done.players[0].guesses] == ["he", "␣the"]
    assert done.label == "␣the"
    while not game.is_over:
        game.reveal()
    assert "".join(game.hidden_text.shown) == "the then, 😀 the"


def test_a_tokenizer_that_writes_its_own_space_reads_guesses_too() -> None:
    vocab = {"▁": 0, "▁cat": 1, "▁sat": 2, "ing": 3, "(": 4, "▁(": 5, "▁sing": 6, "<unk>": 7}
    backend = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend)
    lm = SimpleNamespace(tokenizer=tokenizer, vocab_size=8, context_length=None)
    assert tokens_of_guess(lm, [1], "sat") == [2]  # type: ignore[arg-type]  # all that it needs


@pytest.mark.parametrize(
    ("ranks", "n_guesses", "n_vocab", "expected"),
    [
        # 1(1/2-1/4)log 1 + 2(1/4-1/8)log 2 + 3(1/8-1/8)log 3 + 4(1/8)log 4
        ([1, 1, 1, 1, 2, 2, 3, 4], [4] * 8, 4096, (0.25 + 1, 1.75)),
        # a miss is the next guess below, and any other token above
        ([1, None], [1, 1], 9, (1, 1 + 0.5 * math.log2(8))),
    ],
)
def test_the_bounds_are_shannon_s_two_sums(
    ranks: list[int | None], n_guesses: list[int], n_vocab: int, expected: tuple[float, float]
) -> None:
    assert entropy_bounds(ranks, n_guesses, n_vocab) == pytest.approx(expected)


# What holds for every game

N_VOCAB = 60
ROUNDS = st.lists(
    st.tuples(st.integers(1, 8), st.integers(1, 12)).map(
        # the rank among n guesses, or a miss where it is beyond them
        lambda pair: (pair[1] if pair[1] <= pair[0] else None, pair[0])
    ),
    min_size=1,
    max_size=30,
)


@given(ROUNDS)
def test_the_lower_bound_never_exceeds_the_upper(rounds: list[tuple[int | None, int]]) -> None:
    lower, upper = entropy_bounds([r for r, _ in rounds], [n for _, n in rounds], N_VOCAB)
    assert -1e-9 <= lower <= upper + 1e-9
    assert upper <= math.log2(N_VOCAB) + 1e-9


@given(st.lists(st.integers(1, N_VOCAB), min_size=1, max_size=30))
def test_evened_counts_sum_to_one_and_never_rise(ranks: list[int]) -> None:
    assert isotonic_fit([(1, 1), (3, 3)]) == [(1, 0.5), (3, 0.25)]
    blocks = isotonic_fit([(rank, rank) for rank in ranks])
    starts = [0, *(last for last, _ in blocks[:-1])]
    assert sum(
        (last - start) * prob for start, (last, prob) in zip(starts, blocks, strict=True)
    ) == pytest.approx(1)
    probs = [prob for _, prob in blocks]
    assert probs == sorted(probs, reverse=True)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=20))
def test_the_bounds_are_the_plain_sums_where_nothing_has_to_be_evened(weights: list[float]) -> None:
    q = np.sort(np.array(weights) / sum(weights))[::-1]
    blocks = [(i, float(prob)) for i, prob in enumerate(q, start=1)]
    places = np.arange(1, len(q) + 1)
    plain_lower = float((places * (q - np.append(q[1:], 0)) * np.log2(places)).sum())
    assert upper_bound(blocks) == pytest.approx(float(-(q * np.log2(q)).sum()), abs=1e-9)
    assert lower_bound(blocks) == pytest.approx(plain_lower, abs=1e-9)


@given(
    st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(0, 100)), max_size=6),
    st.sampled_from(["percent", "hands"]),
)
def test_a_line_that_is_read_leaves_something_for_the_other_tokens(
    pairs: list[tuple[str, int]], unit: str
) -> None:
    line = " ".join(f"{word} {number}" for word, number in pairs)
    try:
        shares = read_line(line, unit)  # type: ignore[arg-type]  # a unit's name
    except ValueError:
        assert unit == "percent"
        assert sum(number for _, number in pairs) > 100
        return
    assert sum(shares.values()) < 1
    assert all(share > 0 for share in shares.values())


@given(st.lists(st.floats(0.02, 1), min_size=2, max_size=6), st.integers(0, 5))
def test_nobody_pays_less_than_by_writing_what_they_believe(
    weights: list[float], moved: int
) -> None:
    belief = np.array(weights) / sum(weights) * 0.9
    honest = _mean_bits(belief, belief)
    other = belief.copy()
    other[moved % len(other)] *= 0.5
    assert honest < _mean_bits(belief, other)


def _mean_bits(belief: np.ndarray, written: np.ndarray) -> float:
    shares = dict(enumerate(written))
    true = [*belief, *[(1 - belief.sum()) / (N_VOCAB - len(belief))] * (N_VOCAB - len(belief))]
    return -sum(p * math.log2(prob_of(shares, i, N_VOCAB)) for i, p in enumerate(true))


@pytest.mark.parametrize("name", PASSAGES)
def test_one_of_four_words_to_guess_from_comes(storyteller: LanguageModel, name: str) -> None:
    game = GuessingGame(storyteller, PASSAGES[name].text)
    n_whole = 0
    n_asked = 15
    for _ in range(n_asked):
        words, before = game.offered(), game.ids[: game.position]
        read = [tokens_of_guess(storyteller, before, word)[0] for word in words]
        assert read.count(game.ids[game.position]) == 1
        assert len(set(read)) == len(read)
        assert list(words) == sorted(words, key=str.casefold), "their order tells nothing"
        n_whole += len(words) == N_OFFERED
        game.reveal()
    assert n_whole >= 0.9 * n_asked

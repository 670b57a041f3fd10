"""The claims of the guessing game, on the shipped model, by the functions that the page shows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from model.generation import Generation
from model.guess.game import GuessingGame, prob_of
from model.loading import LanguageModel
from model.masks import log_softmax
from pages.lessons.guess.settings import PASSAGES

TEXT = "Mia made a snowman in the garden. She gave him two stones for eyes."


def test_c04_every_step_gives_each_entry_of_the_vocabulary_a_probability_and_all_sum_to_one(
    storyteller: LanguageModel,
) -> None:
    game = GuessingGame(storyteller, TEXT, n_revealed=8)
    while not game.is_over:
        logits = Generation(storyteller, game.ids[: game.position]).logits
        assert logits.shape == (storyteller.vocab_size,)
        assert np.exp(log_softmax(logits)).sum() == pytest.approx(1)
        done = game.play({"You": "She 40 and 20", "Ben": ""})
        for player in done.players:
            given = [prob_of(player.guesses, i, done.n_vocab) for i in range(done.n_vocab)]
            assert math.fsum(given) == pytest.approx(1)
            assert min(given) > 0
        assert done.costs["uniform"] == 12


def test_c41_a_word_costs_one_token_or_several_and_the_first_one_is_compared(
    storyteller: LanguageModel,
) -> None:
    game = GuessingGame(storyteller, TEXT, n_revealed=8)
    read = game.play({"You": "She 40 hippopotamus 20"}).players[0].guesses
    assert [guess.n_tokens > 1 for guess in read] == [False, True]


def test_the_model_beats_a_uniform_guesser_on_every_text_that_is_offered(
    storyteller: LanguageModel,
) -> None:
    for passage in PASSAGES.values():
        game = GuessingGame(storyteller, passage.text)
        for _ in range(12):
            game.play({"You": "the"})
        model = sum(done.model_bits for done in game.rounds)
        assert model < 0.8 * 12 * len(game.rounds)

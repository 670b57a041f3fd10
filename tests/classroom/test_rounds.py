"""The votes of a class beside the model's distribution."""

import numpy as np
import pytest

from model.classroom.records import Answer
from model.classroom.rounds import Votes
from model.generation import Generation
from model.language_model import LanguageModel
from model.masks import log_softmax

PROMPT = "The cat sat on the"


def test_votes_are_counted_however_sure_they_are(storyteller: LanguageModel) -> None:
    text = Generation(storyteller, PROMPT)
    offered = [300, 400]
    answers = [Answer(0, "", 0.8), Answer(0, "", 0.5), Answer(1, "", 0.2), Answer(None, "mat", 0.5)]
    votes = Votes(storyteller, text.ids, offered, [("", answer) for answer in answers])
    found = votes.beside(text.logits, offered)
    rows = {row.token_id: row for row in found.rows}
    assert (rows[300].n_votes, rows[400].n_votes) == (2, 1)
    assert sum(row.n_votes for row in found.rows) == len(answers)
    model = np.exp(log_softmax(text.logits))
    assert all(row.model_prob == pytest.approx(model[row.token_id]) for row in found.rows)
    assert sum(row.n_votes == 0 for row in found.rows) >= 3, "the model's best, without a vote"
    assert votes.favourite_id(text.logits) == 300


def test_the_class_s_favourite_is_of_equals_the_one_that_the_model_likes_best(
    storyteller: LanguageModel,
) -> None:
    text = Generation(storyteller, PROMPT)
    better, worse = sorted((300, 400), key=lambda i: -text.logits[i])
    votes = Votes(storyteller, text.ids, [worse, better], [("", Answer(0)), ("", Answer(1))])
    assert votes.favourite_id(text.logits) == better
    assert Votes(storyteller, text.ids, [worse], []).favourite_id(text.logits) is None


def test_what_came_was_given_so_much_by_class_model_and_the_best_phone(
    storyteller: LanguageModel,
) -> None:
    text = Generation(storyteller, PROMPT)
    answers = [("Ada", Answer(0, "", 0.8)), ("", Answer(0, "", 0.99)), ("Ben", Answer(1, "", 0.5))]
    votes = Votes(storyteller, text.ids, [300, 400], answers)
    score = votes.score(text.logits, 300)
    assert (score.best_name, score.n_votes) == ("Ada", 2), "of the surest, one with a name"
    assert votes.score(text.logits, 500).best_name is None, "nobody voted for it"
    assert score.model_prob == pytest.approx(np.exp(log_softmax(text.logits)[300]))

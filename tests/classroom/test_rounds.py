"""The class as one predictor: a distribution, scored as the model is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from model.classroom.records import Answer
from model.classroom.room import RoomError
from model.classroom.rounds import Votes
from model.generation import Generation
from model.loading import LanguageModel
from model.masks import log_softmax
from pages.lessons.classroom.state import Classroom
from tests.charts.drawn_charts import checked
from viz.classroom.charts import class_figure, draws_figure, numbers_figure, votes_figure

PROMPT = "The cat sat on the"


@pytest.fixture
def lesson(storyteller: LanguageModel) -> Classroom:
    lesson = Classroom(storyteller, Generation(storyteller, PROMPT), PROMPT)
    lesson.open()
    assert lesson.room is not None
    return lesson


def vote(lesson: Classroom, options: list[int], confidence: float = 0.5) -> None:
    room = lesson.room
    assert room is not None
    assert room.question is not None
    for i, option in enumerate(options):
        room.answer(room.join(f"p{i}"), room.question.number, Answer(option, "", confidence))


def test_the_class_is_the_mean_of_its_phones(storyteller: LanguageModel) -> None:
    text = Generation(storyteller, PROMPT)
    offered, n = [300, 400], storyteller.vocab_size
    answers = [Answer(0, "", 0.8), Answer(0, "", 0.5), Answer(1, "", 0.2), Answer(None, "mat", 0.5)]
    votes = Votes(storyteller, text.ids, offered, [("", answer) for answer in answers])
    assert math.fsum(map(votes.prob_of, range(n))) == pytest.approx(1)
    found = votes.beside(text.logits, offered)
    rows = {row.token_id: row for row in found.rows}
    expected = (0.8 + 0.5 + 0.8 / (n - 1) + 0.5 / (n - 1)) / 4
    assert rows[300].class_prob == pytest.approx(expected)
    assert (rows[300].n_votes, rows[400].n_votes) == (2, 1)
    assert sum(row.n_votes for row in found.rows) == len(answers)
    model = np.exp(log_softmax(text.logits))
    assert all(row.model_prob == pytest.approx(model[row.token_id]) for row in found.rows)


def test_bits_are_minus_the_log_of_what_was_given(storyteller: LanguageModel) -> None:
    text = Generation(storyteller, PROMPT)
    answers = [("Ada", Answer(0, "", 0.8)), ("", Answer(1, "", 0.99)), ("Ben", Answer(1, "", 0.5))]
    score = Votes(storyteller, text.ids, [300, 400], answers).score(text.logits, 300)
    assert (score.best_name, score.best_bits) == ("Ada", pytest.approx(-math.log2(0.8)))
    assert score.model_bits == pytest.approx(-log_softmax(text.logits)[300] / math.log(2))
    assert score.class_bits < score.uniform_bits == math.log2(storyteller.vocab_size)


def test_the_true_token_is_offered_as_long_as_the_text_is_the_true_one(
    storyteller: LanguageModel,
) -> None:
    lesson = Classroom(storyteller, Generation(storyteller, PROMPT), PROMPT)
    lesson.open()
    lesson.start(PROMPT, " zebra and sang.")
    true_id = lesson.true_id
    assert true_id is not None
    lesson.ask_next(may_write=False, seconds=None)
    assert true_id in lesson.offered
    lesson.append(true_id)
    assert lesson.true_id is not None
    lesson.append(next(i for i in range(300, 400) if i != lesson.true_id))
    assert lesson.true_id is None


def test_at_the_end_of_a_text_nothing_is_asked_until_a_token_is_taken_back(
    storyteller: LanguageModel,
) -> None:
    lesson = Classroom(storyteller, Generation(storyteller, PROMPT, max_new_tokens=1), PROMPT)
    lesson.open()
    assert lesson.room is not None
    lesson.append()
    for press in (lesson.append, lambda: lesson.ask_draws(seconds=None)):
        press()
        assert lesson.problem is not None
        assert (len(lesson.generation.steps), lesson.room.question) == (1, None)
    lesson.back()
    assert lesson.problem is None
    lesson.ask_draws(seconds=None)
    assert lesson.room.question is not None


def test_numbers_are_asked_for_twice_and_drawn_beside_the_true_one(lesson: Classroom) -> None:
    room = lesson.room
    assert room is not None
    lesson.ask_own("How many bytes?", "", "many", seconds=None)
    assert (lesson.problem is None, room.question) == (False, None)
    lesson.ask_own("How many bytes?", "", "8192", seconds=None)
    for written in ("100", "100", "1e6"):
        assert room.question is not None
        room.answer(room.join(), room.question.number, Answer(None, written))
    for written in ("nan", "1e300", "ten"):
        with pytest.raises(RoomError):
            room.answer(room.join(), room.question.number, Answer(None, written))
    lesson.close()
    lesson.ask_again()
    room.answer(room.join(), room.question.number, Answer(None, "8000.5"))
    lesson.close()
    assert lesson.tally is not None
    assert lesson.earlier is not None
    assert room.revealed == ""
    lesson.tell()
    assert "8" in room.revealed
    assert (lesson.truth, lesson.is_told) == (8192, True)
    chart = checked(numbers_figure(lesson.tally.words, lesson.earlier.words, lesson.truth))
    assert [list(trace.x) for trace in chart.data] == [
        [8000.5],
        [100, 100, 1e6],
        [8000.5] * 2,
        [8192] * 2,
    ]
    assert list(chart.data[1].y) == [-1, -2, -1], "equal numbers are stacked"
    assert chart.layout.xaxis.type == "log"
    assert ",number,How many bytes?,1e6,1," in lesson.to_csv()


def test_a_spreadsheet_takes_nothing_for_a_formula_and_names_nobody(lesson: Classroom) -> None:
    lesson.ask_own("Which?", "=SUM(A1)\nplain", seconds=None)
    vote(lesson, [0, 1])
    lesson.close()
    table = lesson.to_csv()
    assert ",'=SUM(A1),1," in table
    assert "p0" not in table


def test_figures_show_the_counts(lesson: Classroom) -> None:
    lesson.ask_next(may_write=False, seconds=None)
    vote(lesson, [0, 0, 1])
    lesson.close()
    assert lesson.found is not None
    chart = class_figure(lesson.found, lesson.offered[0])
    assert [trace.name for trace in checked(chart).data] == ["the class", "the model"]
    drawn = draws_figure(["a", "b"], [0.25, 0.75], [1, 3])
    assert list(checked(drawn).data[0].x) == [0.25, 0.75]
    votes = votes_figure(["a", "b"], [1, 3], (2, 2))
    assert [list(trace.x) for trace in checked(votes).data] == [[1.0, 3.0], [2.0, 2.0]]

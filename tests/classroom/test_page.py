"""The teacher's page as Streamlit runs it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from model.classroom.records import Answer
from model.classroom.room import Room
from pages.lessons.classroom.state import Classroom
from tests.frame.driving import kept, open_lesson, press


@pytest.fixture
def app() -> AppTest:
    app = open_lesson("pages/classroom.py")
    press(app, "classroom_open")
    return app


def lesson(app: AppTest) -> Classroom:
    return kept(app, "classroom_lesson", Classroom)


def room_of(app: AppTest) -> Room:
    room = lesson(app).room
    assert room is not None
    return room


def answer(app: AppTest, *options: int) -> None:
    room = room_of(app)
    assert room.question is not None
    for option in options:
        room.answer(room.join(), room.question.number, Answer(option))


def test_ask_close_append_and_ask_again(app: AppTest) -> None:
    press(app, "classroom_next")
    answer(app, 0, 0, 1)
    press(app, "classroom_close")
    assert lesson(app).found is not None
    press(app, "classroom_append_favourite")
    assert lesson(app).generation.steps[-1].token_id == lesson(app).offered[0]
    assert lesson(app).score is None, "the class does not score on its own choice"
    press(app, "classroom_back")
    press(app, "classroom_sampler")
    answer(app, 0, 1)
    press(app, "classroom_close")
    assert sum(lesson(app).landed) == 5
    press(app, "classroom_append_draw")
    assert sum(lesson(app).landed) == 5, "the draws stay on the projector"
    press(app, "classroom_choice")
    answer(app, 2)
    press(app, "classroom_close")
    press(app, "classroom_append_draw")
    press(app, "classroom_again")
    answer(app, 1)
    press(app, "classroom_close")
    earlier = lesson(app).earlier
    assert earlier is not None
    assert earlier.counts == (0, 0, 1)
    assert not app.error


def test_the_true_number_is_shown_when_the_teacher_says_so(app: AppTest) -> None:
    app.text_area(key="classroom_options").set_value("").run()
    app.text_input(key="classroom_truth").set_value("12").run()
    press(app, "classroom_choice")
    room = room_of(app)
    assert room.question is not None
    room.answer(room.join(), room.question.number, Answer(None, "10"))
    press(app, "classroom_close")
    assert room.revealed == ""
    press(app, "classroom_tell")
    assert "12" in room.revealed
    assert "classroom_tell" not in {button.key for button in app.button}


def test_a_question_of_one_answer_and_a_text_too_long_get_one_sentence(app: AppTest) -> None:
    app.text_area(key="classroom_options").set_value("only one").run()
    press(app, "classroom_choice")
    assert len(app.error) == 1
    app.text_area(key="classroom_prompt").set_value("word " * 3_900).run()
    press(app, "classroom_start")
    assert len(app.error) == 1
    assert room_of(app).text == "The cat sat on the"


def test_a_nickname_is_text_and_no_markdown(app: AppTest) -> None:
    press(app, "classroom_next")
    room = room_of(app)
    assert room.question is not None
    room.answer(room.join("**[x](/y)**"), room.question.number, Answer(0))
    press(app, "classroom_close")
    press(app, "classroom_append_draw")
    assert any(metric.label == r"\*\*\[x\](/y)\*\*" for metric in app.metric)


def test_a_room_that_ended_is_gone(app: AppTest) -> None:
    press(app, "classroom_end")
    assert lesson(app).room is None
    assert not app.error

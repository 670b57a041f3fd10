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


def ask(app: AppTest, key: str, *answers: Answer) -> None:
    """Ask a question that phones answer, and close it; the first of them goes by a name."""
    press(app, f"classroom_{key}")
    room = room_of(app)
    assert room.question is not None
    for answer in answers:
        name = "" if room.answers() else f"**[x](/y)** {room.question.number}"
        room.answer(room.join(name), room.question.number, answer)
    press(app, "classroom_close")


def test_ask_close_append_and_ask_again(app: AppTest) -> None:
    ask(app, "next", Answer(0), Answer(0), Answer(1))
    n_before = len(lesson(app).generation.ids)
    press(app, "classroom_append_favourite")
    assert lesson(app).generation.steps[-1].token_id == lesson(app).offered[0]
    assert lesson(app).score is None, "the class does not score on its own choice"
    press(app, "classroom_back")
    assert len(lesson(app).generation.ids) == n_before

    ask(app, "next", Answer(0))
    press(app, "classroom_append_draw")
    score, found = lesson(app).score, lesson(app).found
    assert score is not None
    assert found is not None
    assert score.token_id in {row.token_id for row in found.rows}
    assert any(r"\*\*\[x\](/y)\*\*" in metric.label for metric in app.metric), "no Markdown"

    ask(app, "sampler", Answer(0), Answer(1))
    assert sum(lesson(app).landed) == 6
    press(app, "classroom_append_draw")
    assert sum(lesson(app).landed) == 6, "the draws stay on the projector"

    ask(app, "choice", Answer(2))
    press(app, "classroom_append_draw")
    ask(app, "again", Answer(1))
    earlier = lesson(app).earlier
    assert earlier is not None
    assert earlier.counts == (0, 0, 1)
    assert not app.error
    press(app, "classroom_end")
    assert lesson(app).room is None


def test_the_true_number_is_shown_when_the_teacher_says_so(app: AppTest) -> None:
    app.text_area(key="classroom_options").set_value("").run()
    app.text_input(key="classroom_truth").set_value("12").run()
    ask(app, "choice", Answer(None, "10"))
    assert room_of(app).revealed == ""
    press(app, "classroom_tell")
    assert "12" in room_of(app).revealed
    assert "classroom_tell" not in {button.key for button in app.button}


def test_a_question_of_one_answer_and_a_text_too_long_get_one_sentence(app: AppTest) -> None:
    app.text_area(key="classroom_options").set_value("only one").run()
    press(app, "classroom_choice")
    assert len(app.error) == 1
    app.text_area(key="classroom_prompt").set_value("word " * 3_900).run()
    press(app, "classroom_start")
    assert len(app.error) == 1
    assert room_of(app).text == lesson(app).prompt == "The cat sat on the"

"""The page from which a room is opened, as Streamlit runs it."""

import re

import pytest
from playwright.sync_api import Page
from streamlit.testing.v1 import AppTest

from model.classroom.room import Room
from model.classroom.rooms import end_rooms, find_desk
from model.loading import LanguageModel
from pages.frame.offers import DEFAULT_PROMPT
from pages.lessons.classroom import lesson
from pages.lessons.classroom.state import Classroom
from pages.lessons.classroom.text import ClassText
from tests.frame.driving import errors, open_lesson, press


def opened_room(app: AppTest) -> Room:
    code, key = app.session_state["classroom_room"]
    return find_desk(code, key)


def test_a_room_is_opened_once_and_its_desk_has_a_link_of_its_own() -> None:
    app = open_lesson("pages/classroom.py")
    press(app, "classroom_open")
    room = opened_room(app)
    assert isinstance(room.teacher, Classroom)
    assert room.text == room.teacher.text.prompt
    assert f"/room/{room.code}/desk#{room.key}" in str(
        [html.proto.body for html in app.get("html")]
    )
    end_rooms([room])
    app.run()
    assert len(app.info) == 1, "it was lost"
    assert room.key not in str([html.proto.body for html in app.get("html")])


def test_a_room_that_was_closed_is_no_loss_and_another_can_be_opened() -> None:
    app = open_lesson("pages/classroom.py")
    press(app, "classroom_open")
    room = opened_room(app)
    assert isinstance(room.teacher, Classroom)
    room.teacher.end()
    app.run()
    assert len(app.info) == 0
    assert room.key not in str([html.proto.body for html in app.get("html")])
    press(app, "classroom_open")
    assert opened_room(app) is not room


def test_the_small_screens_have_the_model_s_words_and_shares(
    storyteller: LanguageModel,
) -> None:
    text = ClassText(storyteller, DEFAULT_PROMPT)
    drawn = lesson.screens_of(text)
    shares = [float(one) for one in re.findall(r"flex:([\d.]+)", drawn)]
    bar = text.segments()
    assert shares == pytest.approx(bar.shares * 2, abs=1e-4), "on the projector and on a phone"
    assert [drawn.count(f"<s>{word}</s>") for word in bar.options[:2]] == [2, 1]
    assert drawn.count("<u style") == lesson.N_PUPILS + 1
    assert drawn.count("<figure>") == len(lesson.SCREENS) == 3


def test_what_pointers_fall_on_is_drawn_once_it_was_asked_for(storyteller: LanguageModel) -> None:
    app = open_lesson("pages/classroom.py")
    assert app.session_state[lesson.MODEL].picture is None
    press(app, "classroom_draw")
    assert app.session_state[lesson.MODEL].picture is not None
    expected, drawn = lesson.draws_of_a_class(storyteller).figure.data
    assert sum(drawn["y"]) == lesson.N_PUPILS
    assert sum(expected["y"]) == pytest.approx(lesson.N_PUPILS)
    assert list(drawn["y"]) != [round(times) for times in expected["y"]]


def test_where_no_room_can_be_opened_one_sentence_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("The model cannot begin: choose another.")

    monkeypatch.setattr(lesson, "open_class", refuse)
    app = open_lesson("pages/classroom.py")
    press(app, "classroom_open")
    assert "choose another" in errors(app)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("is_open", "n_answers", "n_people", "numbers"),
    [
        (True, 0, 0, ["0"]),  # an empty room has nobody to count
        (False, 0, 0, ["0"]),
        (True, 0, 3, ["0", "3"]),
        (True, 4, 3, ["4", "4"]),  # hands, or a phone that has left
        (True, 2, 0, ["2", "2"]),
        (False, 2, 3, ["3"]),
    ],
)
def test_who_has_answered_is_counted_where_somebody_is_there(
    scripts: Page, is_open: bool, n_answers: int, n_people: int, numbers: list[str]
) -> None:
    state = {"question": {"is_open": is_open}, "n_answers": n_answers, "n_people": n_people}
    said = scripts.evaluate(
        """async (state) => {
          const room = await import("/pages/lessons/classroom/room.js");
          return room.answeredInWords(state);
        }""",
        state,
    )
    assert re.findall(r"\d+", said) == numbers

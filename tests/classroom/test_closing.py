"""The end of a room, and what its screens are told beside questions."""

import json
import re

from model.sampling import Settings
from pages.lessons.classroom.script import PLAN
from pages.lessons.classroom.state import Classroom
from pages.lessons.classroom.text import DRAWING, ClassText
from tests.classroom.test_desk import PROMPT, desk, sent, vote

__all__ = ["desk"]


def test_a_closed_room_tells_its_screens_how_it_ended_and_keeps_the_table(desk: Classroom) -> None:
    room, base = desk.room, f"{desk.room.code}/desk"
    desk.ask_item(1)
    (phone,) = vote(desk, [0])
    desk.close()
    assert sent(f"{base}/press", room.key, {"do": "end", "n_presses": 0}).status == 200
    found = json.loads(sent(f"{base}/state", room.key).text)
    assert found["closing"] == {"n_questions": 1, "n_phones": 1, "lesson": PLAN}
    assert found["scene"]["is_end"]
    assert [one["bar"]["texts"][0] for one in found["scene"]["remembered"]] == ["1 of 1"]
    assert json.loads(sent(f"{room.code}/projector/state").text)["closing"] == found["closing"]
    assert room.closing is not None
    assert room.view(phone)["scene"] == room.screen()["scene"]
    assert "the widest" in sent(f"{base}/room.csv", room.key).text
    for path, body in ((f"{base}/state", None), (f"{base}/room.csv", None)):
        assert sent(path, "x" * 22, body).status == 409, "to whoever has its key"
    assert sent(f"{base}/press", room.key, {"do": "draw", "n_presses": 1}).status == 409


def test_without_a_script_a_room_ends_on_its_text(desk: Classroom) -> None:
    desk.open_script("")
    desk.append()
    desk.end()
    scene = desk.room.screen()["scene"]
    assert (scene["is_end"], scene["remembered"]) == (True, ())
    assert [role for line in scene["picture"]["lines"] for _, role in line] == ["", "drawn"]


def test_a_bar_says_what_shaped_it_if_that_is_not_the_model_alone(desk: Classroom) -> None:
    desk.ask_draws()
    assert desk.room.question is not None
    numbers = re.findall(r"[\d.]+", desk.room.question.setting)
    assert numbers == [str(DRAWING.temperature), str(DRAWING.top_p)]
    asked = desk.room.question.setting
    desk.close()
    desk.ask_again()
    assert desk.room.question.setting == asked
    assert ClassText(desk.text.lm, PROMPT).segments(Settings()).setting == ""


def test_a_projector_is_told_the_language_of_the_desk(desk: Classroom) -> None:
    base = f"{desk.room.code}/desk"
    assert desk.room.screen()["desk"] is None
    sent(f"{base}/state", desk.room.key, accept_language="ar")
    assert desk.room.screen()["desk"] == {"lang": "ar", "dir": "rtl"}

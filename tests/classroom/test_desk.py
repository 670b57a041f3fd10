"""What the desk presses: a text, a script, questions, and what class and projector see of them."""

import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs

import pytest
from starlette.applications import Starlette

from model.classroom.members import RoomError
from model.classroom.records import Answer
from model.classroom.rooms import end_rooms
from model.generation import Generation
from model.language_model import LanguageModel
from pages.frame.assets import source
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.words import Language, in_language, languages, speaking
from pages.home.controls import Controls
from pages.lessons.classroom import desk as desk_routes
from pages.lessons.classroom import phone, projector
from pages.lessons.classroom.desk import PRESSES, to_csv, view
from pages.lessons.classroom.script import PLAN, items_of, prompt_of
from pages.lessons.classroom.state import Classroom, open_class
from pages.lessons.classroom.text import DRAWING, ClassText
from pages.lessons.tour.said import plain
from pages.lessons.tour.scenes import read_lesson
from tests.frame.asgi import Answered, ask

PROMPT = DEFAULT_PROMPT
MAX_STORY = 200  # tokens


@pytest.fixture
def desk(storyteller: LanguageModel) -> Iterator[Classroom]:
    desk = open_class(storyteller)
    yield desk
    end_rooms([desk.room])


def vote(desk: Classroom, answers: Sequence[Answer | int]) -> list[str]:
    """Let a phone answer each; returns their tokens."""
    phones = [desk.room.join(f"p{desk.room.n_people}") for _ in answers]
    assert desk.room.question is not None
    for token, given in zip(phones, answers, strict=True):
        answer = Answer(given, "", 0.5) if isinstance(given, int) else given
        desk.room.answer(token, desk.room.question.number, answer)
    return phones


def texts(desk: Classroom) -> list[str]:
    assert desk.room.outcome is not None
    return [bar.texts[0] for bar in desk.room.outcome.bars]


def test_votes_are_counts_first_then_a_predictor_beside_the_model(desk: Classroom) -> None:
    desk.ask_next()
    assert view(desk)["can_close"]
    assert not view(desk)["can_append"], "an open question is about this token"
    vote(desk, [0, 0, 1, Answer(None, "", 0.5)][:3])
    desk.close()
    assert texts(desk)[:2] == ["2 of 3", "1 of 3"]
    assert "model" not in str(desk.room.screen()["outcome"]), "not before it is revealed"
    desk.reveal()
    assert desk.room.outcome is not None
    assert [name for name, _ in desk.room.outcome.series] == ["the class", "the model"]
    assert desk.room.outcome.bars[-1].is_rest
    with pytest.raises(RoomError):
        desk.reveal()


def test_the_class_s_favourite_is_appended_and_taken_back(desk: Classroom) -> None:
    desk.ask_next()
    vote(desk, [0, 0, 1])
    offered = list(desk.offered)
    desk.close()
    desk.append("favourite")
    assert desk.text.ids[-1] == offered[0]
    assert "%" not in desk.room.revealed, "the class is not scored on its own choice"
    desk.back()
    assert desk.room.text == PROMPT
    with pytest.raises(RoomError):
        desk.append("favourite")
    desk.ask_next()
    phones = vote(desk, [0, 1])
    desk.close()
    desk.append()
    assert {"0 of 2", "1 of 2"} & set(re.findall(r"\d of \d", desk.room.revealed))
    assert desk.room.revealed.count("%") == 1, "of the model alone: votes are counts"
    assert desk.room.outcome is not None
    assert [bar.is_drawn for bar in desk.room.outcome.bars].count(True) == 1
    assert desk.room.view(phones[0])["outcome"] is not None, "it stays until the next question"
    desk.append()
    assert desk.room.outcome is None, "it was about another token"


def test_what_is_drawn_is_drawn_on_the_first_page_too_and_a_choice_is_a_choice(
    desk: Classroom,
) -> None:
    """A phone that takes the text over is told of no token as forced that the model drew."""
    assert Controls().settings() == DRAWING
    desk.append()
    desk.ask_next()
    vote(desk, [0])
    desk.close()
    desk.append("favourite")
    desk.append()
    link = {name: values[0] for name, values in parse_qs(desk.room.link[1:]).items()}
    assert link["run"] == "3"
    assert link["forced"] == f"1:{desk.text.ids[-2]}"
    again = Generation(desk.text.lm, link["prompt"], seed=0)
    for token_id in (None, desk.text.ids[-2], None):
        again.step(Controls().settings(), token_id)
    assert again.ids == desk.text.ids


@pytest.mark.parametrize("prompt", [PROMPT, "One day, a little girl named Lily found a"])
def test_what_a_class_is_offered_is_whole_words(storyteller: LanguageModel, prompt: str) -> None:
    text = ClassText(storyteller, prompt)
    for _ in range(3):
        words = [*text.segments().options, *text.words(text.offer())]
        assert not [word for word in words if word.startswith("…")]
        text.append(None)


def test_the_text_to_begin_with_becomes_a_story_that_ends(desk: Classroom) -> None:
    text = desk.text
    while not text.generation.finished and len(text.generation.steps) < MAX_STORY:
        text.append(None)
    assert text.generation.finished == "eos"
    with pytest.raises(ValueError, match="ended"):
        text.append(None)


def test_the_true_token_is_offered_as_long_as_the_text_is_the_true_one(desk: Classroom) -> None:
    desk.begin(PROMPT, " zebra and sang.")
    true_id = desk.text.true_id
    desk.ask_next()
    assert true_id in desk.offered
    assert "zebra" not in str({**desk.room.screen(), "question": None})
    desk.append("true")
    assert desk.text.ids[-1] == true_id
    assert desk.text.true_id is not None
    desk.text.append(next(i for i in range(300, 400) if i != desk.text.true_id))
    assert desk.text.true_id is None


def test_phones_find_the_segment_on_which_their_pointer_falls(desk: Classroom) -> None:
    phones = [desk.room.join() for _ in range(20)]
    desk.ask_draws()
    question = desk.room.question
    assert question is not None
    assert 2 <= len(question.options) <= 5
    assert sum(question.shares) == pytest.approx(1)
    for token in phones:
        desk.room.answer(token, question.number, Answer(0))
    assert desk.room.screen()["pointers"] == []
    desk.close()
    assert len(desk.room.screen()["pointers"]) == 20
    n_right = sum(p < question.shares[0] for p in desk.room.screen()["pointers"])
    assert re.findall(r"\d+", desk.room.revealed) == [str(n_right), "20"]
    assert sum(int(text.split()[0]) for text in texts(desk)) == 20
    desk.append()
    assert len(texts(desk)) == len(question.options), "the draws stay while the text goes on"


def test_a_second_vote_stands_beside_the_first_and_only_then_is_the_truth_told(
    desk: Classroom,
) -> None:
    for bad in ("many", "1e300"):
        with pytest.raises(RoomError):
            desk.ask_own("How many bytes?", "", bad)
    with pytest.raises(RoomError):
        desk.ask_own("Which?", "a\nb", "c")
    desk.ask_own("How many bytes?", "", "8192")
    vote(desk, [Answer(None, text) for text in ("100", "100", "1e6")])
    for written in ("nan", "1e300", "ten"):
        with pytest.raises(RoomError):
            vote(desk, [Answer(None, written)])
    desk.close()
    desk.ask_again()
    (token,) = vote(desk, [Answer(None, "8192.0")])
    desk.close()
    assert desk.room.outcome is not None
    assert len(desk.room.outcome.series) == 2
    assert "8\u202f192" not in str(desk.room.screen()["outcome"]["dots"]["marks"][1:])
    assert desk.room.revealed == ""
    desk.reveal()
    assert "192" in desk.room.revealed
    assert desk.room.view(token)["question"]["is_right"] is True
    assert ",number,How many bytes?,1e6,1," in to_csv(desk.room.tallies)


def test_a_spreadsheet_takes_nothing_for_a_formula_and_names_nobody(desk: Classroom) -> None:
    desk.ask_own("Which?", "=SUM(A1)\nplain")
    vote(desk, [0, 1])
    desk.close()
    table = to_csv(desk.room.tallies)
    assert ",'=SUM(A1),1," in table
    assert "p0" not in table


def test_what_cannot_be_leaves_all_as_it_was(desk: Classroom) -> None:
    for press in (
        lambda: desk.ask_own("Which?", "only one"),
        lambda: desk.begin("word " * 3_900),
        desk.ask_again,
        desk.reveal,
        lambda: desk.show_page(True),
        lambda: desk.ask_item(99),
        lambda: desk.open_script("../README"),
    ):
        with pytest.raises(ValueError, match=r"\.$"):
            press()
    assert (desk.room.text, desk.room.question) == (PROMPT, None)
    assert desk.script.lesson is not None
    assert desk.script.lesson.name == PLAN, "what a desk opens with"
    desk.end()
    with pytest.raises(RoomError, match="ended"):
        desk.append()


# the script


def test_a_whole_lesson_is_put_to_a_class_by_one_press_a_question(desk: Classroom) -> None:
    items = list(items_of(read_lesson(PLAN)))
    assert [item.kind for item in items].count("own") == 11
    assert {"next", "sampler"} < {item.kind for item in items}
    for place, item in enumerate(items):
        desk.ask_item(place)
        assert desk.room.question is not None
        assert desk.room.scene is not None
        assert (desk.place, desk.room.question.words) == (place, item.question)
        screen = str(desk.room.screen())
        if item.kind != "own":  # about its own text, whatever was appended before
            assert (desk.text.prompt, desk.text.generation.steps) == (prompt_of(item.scene), [])
            assert not desk.room.question.shares or desk.room.question.shares[-1] < 0.5
        assert item.scene.answer not in screen
        assert not item.scene.note or item.scene.note not in screen
        is_number = desk.room.question.kind == "number"
        (token,) = vote(desk, [Answer(None, item.scene.right) if is_number else 0])
        desk.close()
        assert desk.room.view(token)["outcome"] is not None
        if item.kind != "own":
            desk.append()
            continue
        desk.reveal()
        is_right = is_number or item.scene.choices[0] == item.scene.right
        assert desk.room.view(token)["question"]["is_right"] is is_right
        assert not {"*", "`"} & set(desk.room.revealed + desk.room.scene.words)


def test_a_room_speaks_the_language_of_its_desk_and_a_phone_its_own(desk: Classroom) -> None:
    place = next(i for i, item in enumerate(items_of(read_lesson(PLAN))) if item.kind == "own")
    phone_of = desk.room.join()

    def seen_in(tag: str) -> dict[str, Any]:
        with speaking(languages()[tag]):
            return dict(in_language(desk.room.view(phone_of)))

    with speaking(Language("de")):
        german = items_of(read_lesson(PLAN))
        script = view(desk)["script"]
        desk.ask_item(place)
    asked = [item.question for item in german][place]
    assert script["items"][place]["question"] == asked
    for tag in ("fr", "ar", "en"):
        shown = seen_in(tag)
        assert shown["question"]["words"] == asked
        assert shown["question"]["spoken"] == {"lang": "de", "dir": "ltr"} == script["spoken"]
        assert shown["scene"]["spoken"] == shown["question"]["spoken"]
    desk.close()
    desk.ask_again()
    assert seen_in("ar")["question"]["spoken"]["lang"] == "de"

    desk.ask_item(place)  # from another desk, in English
    assert seen_in("de")["question"]["spoken"]["lang"] == "en"
    desk.ask_next()  # what the app asks, each phone says itself
    assert seen_in("de")["question"]["spoken"] is None
    assert seen_in("de")["question"]["words"] != seen_in("en")["question"]["words"]
    with speaking(Language("ar")):
        desk.ask_own("أي؟", "a\nb")
    assert seen_in("en")["question"]["spoken"] == {"lang": "ar", "dir": "rtl"}


def test_words_of_a_scene_are_shown_without_their_markdown() -> None:
    told = plain("How many **tokens** does *un a* [cost](/here)?")
    assert told == "How many tokens does “un a” cost?"


def test_a_scene_is_shown_before_its_question_and_next_is_that_question(desk: Classroom) -> None:
    desk.open_script("sampling")
    desk.show_scene(4)
    assert desk.room.question is None
    assert desk.room.scene is not None
    assert view(desk)["place"] == 3, "so that the next question is the scene's own"
    desk.show_page(True)
    assert desk.room.screen()["scene"]["is_page_shown"]
    desk.open_script("")
    assert desk.room.scene is None


# over the wire


def sent(
    room_path: str,
    key: str = "",
    body: dict[str, Any] | None = None,
    client: str = "127.0.0.1",
    **headers: str,
) -> Answered:
    routes = (route for part in (phone, projector, desk_routes) for route in part.routes(""))
    app = Starlette(routes=list(routes))
    method = "GET" if body is None else "POST"
    told = {"x-desk": key} | {name.replace("_", "-"): text for name, text in headers.items()}
    return ask(app, f"/room/{room_path}", told, method, json.dumps(body).encode(), client)


def test_numbers_are_read_as_the_language_of_each_desk_and_phone_writes_them(
    desk: Classroom,
) -> None:
    room, base = desk.room, desk.room.code
    phones = {tag: room.join() for tag in ("de", "ar", "en", "fr")}
    own = {"do": "own", "words": "How sure?", "options": "", "right": "1.234,5", "n_presses": 0}
    assert sent(f"{base}/desk/press", room.key, own, accept_language="de").status == 200
    assert desk.right == "1234.5"
    question = room.question
    assert question is not None
    for tag, typed, status in (
        ("de", "0,5", 200),
        ("ar", "١٬٢٣٤٫٥", 200),
        ("en", "1,234", 200),
        ("fr", "1.234", 409),  # two numbers can be read
        ("fr", "1,234", 200),
    ):
        answer = {"number": question.number, "word": typed}
        path, phone = f"{base}/answer", phones[tag]
        answered = sent(path, "", answer, x_phone=phone, accept_language=tag)
        assert answered.status == status, answered.text
    by_hand = {"do": "hands", "counts": [], "words": "0,5; 1,5", "n_presses": 1}
    assert sent(f"{base}/desk/press", room.key, by_hand, accept_language="de").status == 200
    assert desk.tally is not None
    assert dict(desk.tally.words) == {"0.5": 2, "1234.5": 1, "1234": 1, "1.234": 1, "1.5": 1}


def test_words_by_hand_have_the_commas_of_any_keyboard(desk: Classroom) -> None:
    desk.ask_next(may_write=True)
    desk.count_hands([], "mat، rug、sofa，mat,")
    assert desk.tally is not None
    assert dict(desk.tally.words) == {"mat": 2, "rug": 1, "sofa": 1}


def test_the_desk_answers_to_its_key_and_the_projector_tells_no_secret(desk: Classroom) -> None:
    room, base = desk.room, f"{desk.room.code}/desk"
    desk.ask_own("Which?", "a\nb", "b")
    pressed = sent(f"{base}/press", room.key, {"do": "close", "n_presses": 0})
    assert pressed.status == 200
    assert json.loads(pressed.text)["right"] == "b"
    for path, body in ((f"{base}/state", None), (f"{base}/press", {"do": "end"}),
                       (f"{base}/room.csv", None)):  # fmt: skip
        for key in ("", "x" * 22, room.code):
            assert sent(path, key, body).status == 409
    assert not room.has_ended
    shown = sent(f"{room.code}/projector/state").text
    assert room.key not in shown
    assert json.loads(shown).keys().isdisjoint({"right", "about", "thinking", "script"})
    assert sent(f"{room.code}/projector/qr.svg").status == 409, "no address to draw"


def test_a_question_whose_time_is_over_shows_its_votes_without_a_press(desk: Classroom) -> None:
    now = [0.0]
    desk.room.clock = lambda: now[0]
    desk.ask_own("Which?", "a\nb", seconds=10)
    vote(desk, [1])
    now[0] = 11.0
    assert json.loads(sent(f"{desk.room.code}/projector/state").text)["outcome"] is not None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"do": "explode"},
        {"do": ["end"]},
        {"do": "next", "n_presses": None},
        {"do": "next", "n_presses": -1},
        {"do": "next", "n_presses": 0.0},
        {"do": "next", "n_presses": False},
        {"do": "next", "n_presses": "0"},
        {"do": "append", "how": "by magic"},
        {"do": "item", "place": "first"},
        {"do": "item", "place": 10**30},
        {"do": "begin", "prompt": "\ud800"},
        {"do": "script", "name": "../../secret"},
        {"do": "own", "words": 5, "options": {"a": 1}, "right": "many"},
        {"do": "own", "words": "x" * 200_000},
        {"do": "hands", "counts": "many"},
        {"do": "hands", "counts": [True, 1.5]},
        {"do": "remove", "word": 5},
    ],
)
def test_what_no_desk_sends_gets_one_sentence(desk: Classroom, body: dict[str, Any]) -> None:
    answered = sent(f"{desk.room.code}/desk/press", desk.room.key, {"n_presses": 0} | body)
    said = json.loads(answered.text)
    assert answered.status == 409 or body.get("do") == "begin"
    assert len(said.get("error", "")) < 300
    assert desk.room.question is None


def presses(desk: Classroom, numbers: Sequence[int], **body: Any) -> list[dict[str, Any]]:
    """Presses at once, each with its number of presses that were seen; returns the answers."""
    path = f"{desk.room.code}/desk/press"

    def press(number: int) -> dict[str, Any]:
        answer = sent(
            path, desk.room.key, {"do": "append", "how": "draw", "n_presses": number} | body
        )
        return dict(json.loads(answer.text))

    with ThreadPoolExecutor(len(numbers)) as pool:
        return list(pool.map(press, numbers))


def test_six_presses_of_one_number_are_one_token_and_six_of_six_are_six(desk: Classroom) -> None:
    n_tokens = len(desk.text.ids)
    answers = presses(desk, [0] * 6)
    assert len(desk.text.ids) == n_tokens + 1
    assert sorted(answer["is_late"] for answer in answers) == [False] + [True] * 5
    assert {(answer["n_presses"], answer["text"]) for answer in answers} == {(1, desk.room.text)}
    for number in range(1, 7):
        presses(desk, [number])
    assert len(desk.text.ids) == n_tokens + 7
    assert presses(desk, [0, 5, 6, 8, 10**30])[0]["is_late"]  # sent again, late, or made up
    assert len(desk.text.ids) == n_tokens + 7


def test_a_press_that_another_desk_s_came_before_is_not_done_and_one_that_failed_is_free(
    desk: Classroom,
) -> None:
    first, second = (presses(desk, [0], do=do)[0] for do in ("next", "sampler"))
    assert (first["is_late"], second["is_late"]) == (False, True)
    assert desk.room.question is not None
    assert desk.room.question.kind == "next"
    assert second["question"] == first["question"], "the other desk sees what was asked"
    for _ in range(2):
        assert "error" in presses(desk, [1], do="reveal")[0]
    assert presses(desk, [1], do="close")[0]["is_late"] is False


def test_a_desk_is_told_of_every_press_of_another_one(desk: Classroom) -> None:
    before = view(desk)["version"]
    presses(desk, [0], do="back")  # which changes nothing else
    assert view(desk)["version"] != before


def test_every_press_of_the_desk_is_one_of_its_script_s() -> None:
    script = source("lessons/classroom/desk.js")
    assert [name for name in PRESSES if f'"{name}"' not in script] == []

"""What the desk does for a teacher: a picture at each Show, advice, hands, and words removed."""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette

from model.classroom.members import RoomError
from model.classroom.records import Answer
from model.classroom.rooms import end_rooms
from model.language_model import LanguageModel
from pages.frame.assets import source
from pages.frame.words import languages, speaking
from pages.home import page_model
from pages.lessons.classroom import script
from pages.lessons.classroom.advice import advise, recommended
from pages.lessons.classroom.desk import PRESSES, view
from pages.lessons.classroom.picture import N_PRESSES
from pages.lessons.classroom.script import PLAN, items_of, prompt_of, sentences_of
from pages.lessons.classroom.state import Classroom, open_class
from pages.lessons.classroom.text import ClassText
from pages.lessons.tour.said import plain
from pages.lessons.tour.scenes import read_lesson
from tests.classroom.test_desk import texts, vote
from tests.frame.asgi import ask


@pytest.fixture
def desk(storyteller: LanguageModel) -> Iterator[Classroom]:
    desk = open_class(storyteller)
    yield desk
    end_rooms([desk.room])


def test_hands_are_votes_and_a_new_count_takes_the_place_of_the_old(desk: Classroom) -> None:
    with pytest.raises(RoomError):
        desk.count_hands([1, 2])
    desk.ask_own("Which?", "a\nb", "b")
    vote(desk, [0])
    for bad in ([1, 2, 3], [-1, 0], [10**6, 0]):
        with pytest.raises(RoomError):
            desk.count_hands(bad)
    assert desk.room.is_open, "a wrong count changes nothing"
    desk.count_hands([2, 7])
    assert texts(desk) == ["3 of 10", "7 of 10"]
    desk.count_hands([2, 8])
    assert texts(desk) == ["3 of 11", "8 of 11"]
    assert [tally.counts for tally in desk.room.tallies] == [(3, 8)]
    desk.reveal()
    with pytest.raises(RoomError):
        desk.count_hands([0, 0])
    desk.ask_own("Which?", "a\nb")
    desk.close()
    assert texts(desk) == ["", ""], "hands of the question before are gone"
    desk.ask_own("How many?", "")
    for bad_words in ("many", "1, 2, three"):
        with pytest.raises(ValueError, match="number"):
            desk.count_hands([], bad_words)
    desk.count_hands([], "3, 3, 5")
    assert desk.room.tallies[-1].words == (("3", 2), ("5", 1))
    desk.ask_draws()
    with pytest.raises(RoomError):
        desk.count_hands([1])


def test_hands_for_the_next_token_stand_beside_the_model(desk: Classroom) -> None:
    desk.ask_next()
    desk.count_hands([0, 4])
    desk.reveal()
    assert desk.room.outcome is not None
    shown = {bar.label: bar.texts[0] for bar in desk.room.outcome.bars}
    assert shown.pop(desk.text.words([desk.offered[1]])[0]) == "4 of 4"
    assert set(shown.values()) == {""}, "a token without a vote has no bar of the class"


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_removed_word_leaves_every_screen_and_does_not_come_back(
    desk: Classroom, is_closed: bool
) -> None:
    PRESSES["item"](desk, {"place": 2, "may_write": True})  # the script's own, as it is asked
    question = desk.room.question
    assert question is not None
    assert question.kind == "next"
    phones = vote(desk, [Answer(None, "rubbish"), Answer(None, "RUBB1SH"), 0])
    if is_closed:
        desk.close()
    for nothing in ("", "\u200b"):
        with pytest.raises(RoomError):
            desk.remove_word(nothing)
    desk.remove_word("rubbish")
    assert "rubb" not in json.dumps([desk.room.screen(), view(desk)]).casefold()
    assert "rubb" not in str([desk.room.view(phone) for phone in phones]).casefold()
    assert len(desk.room.answers()) == 1
    if not is_closed:
        desk.room.clock = lambda: 1e9  # long after the last answer
        with pytest.raises(RoomError):
            desk.room.answer(phones[1], question.number, Answer(None, "ruвbish"))
        desk.room.answer(phones[1], question.number, Answer(None, "mat"))
        desk.close()
    assert sum(desk.room.tallies[-1].counts) == 1
    desk.append()
    with pytest.raises(RoomError):
        desk.remove_word("mat")


def test_what_was_asked_is_drawn_with_reveal_alone(desk: Classroom) -> None:
    items = list(items_of(read_lesson(PLAN)))
    found = {}

    def picture() -> Any:
        return desk.room.screen()["scene"]["picture"]

    for place, item in enumerate(items):
        desk.show_scene(place)
        shown = picture()
        desk.ask_item(place)
        assert picture() == shown
        desk.close()
        assert picture() == shown
        assert set("".join(shown["rows"])) <= {"p"}, "an idea shows how it comes out: not its text"
        made = [role for role in roles(shown) if role in ("piece", "again", "generated")]
        assert made == ["generated"] * (item.number == 3), "a step that is asked for once more"
        assert not [bar for bar in shown["bars"] if bar["cut"]]
        if item.kind == "own":
            desk.reveal()
            assert desk.room.screen()["explained"] == item.remember
            assert len(item.remember.split()) <= 25
            found[item.number] = picture()
            desk.ask_again()
            assert picture() == shown, "it is covered again"
    assert all(map(is_drawn, found.values()))
    assert [number for number, one in found.items() if one["rows"]] == [9]
    assert len(found[2]["outcome"]["bars"]) > 4, "rows, as its page has them"
    seeds = [[text for text, role in line if role != "label"] for line in found[3]["lines"]]
    assert seeds[0] == seeds[1] != seeds[2], "the same seed gives the same text"
    runs = [[text for text, role in line if role != "label"] for line in found[5]["lines"]]
    assert len(runs) > 3
    assert all("".join(run) == after[0] for run, after in itertools.pairwise(runs))
    without, kept = zip(*(row.split("|") for row in found[9]["rows"]), strict=True)
    assert len("".join(without)) == 30, "what the question counts"
    assert len(re.findall("[pg]", "".join(kept))) == 9, "what its answer says"
    drawn = [bar["values"] for bar in found[10]["outcome"]["bars"]]
    assert sum(n for n, _ in drawn) == pytest.approx(1)
    assert 0 < max(abs(n - share) for n, share in drawn) < 0.05, "drawn, not copied"
    assert len(re.findall("piece", str(found[4]))) > 6, "the tokens of the word, and around it"
    again = [text for text, role in found[6]["lines"][0] if role == "again"]
    assert len(again) > 1
    assert len(set(again)) == 1, "the phrase that comes again"
    assert len(again[0].split()) > 5
    hot, cold = found[7]["bars"]
    assert cold["shares"][0] > 0.9 > hot["shares"][0]
    assert all(bar["name"] for bar in (hot, cold))
    cut, anew = found[8]["bars"]
    kept = [sum(cut["shares"][:i]) < cut["cut"] for i in range(len(cut["shares"]))]
    assert (cut["cut"], sum(kept), len(kept)) == (0.5, 5, 8), "the answer, two more, and the rest"
    assert len(anew["shares"]) == 5, "what stays fills the bar again"
    assert sum(anew["shares"]) == pytest.approx(1)
    for bar in (cut, anew):  # they are added up
        shown = [float(option) for option in bar["options"][:5]]
        assert shown == pytest.approx([100 * share for share in bar["shares"][:5]], abs=0.05)
    assert [role for role in roles(found[11]) if role] == ["error", "generated"]


def is_drawn(picture: dict[str, Any]) -> bool:
    return any(picture[kind] for kind in ("rows", "bars", "lines", "outcome"))


def roles(picture: dict[str, Any]) -> list[str]:
    return [role for line in picture["lines"] for _, role in line]


def test_a_question_without_votes_keeps_its_answers_and_marks_the_right_one(
    desk: Classroom,
) -> None:
    desk.ask_item(1)
    desk.close()
    closed = desk.room.screen()["outcome"]
    assert [bar["label"] for bar in closed["bars"]] == [*desk.room.screen()["question"]["options"]]
    desk.reveal()
    bars = desk.room.screen()["outcome"]["bars"]
    assert [bar["label"] for bar in bars if bar["is_marked"]] == [desk.right]
    assert "Nobody" not in str(advise(desk))


@pytest.mark.parametrize("tag", languages())
def test_each_question_of_a_scene_has_a_premise_of_the_scenes_own(tag: str) -> None:
    with speaking(languages()[tag]):
        for item in items_of(read_lesson(PLAN)):
            sentences = [plain(one) for one in sentences_of(item.scene.words_alone)]
            assert (item.premise in sentences) == (item.kind == "own")
            assert len(item.premise) < 140
            assert not item.premise.endswith(("?", "؟", "？"))


def test_each_show_brings_a_picture_that_tells_no_answer(desk: Classroom) -> None:
    shown = []
    for place, item in enumerate(items_of(read_lesson(PLAN))):
        desk.show_scene(place)
        scene = desk.room.screen()["scene"]
        shown.append(scene["picture"])
        if item.kind == "next":
            labels = {bar["label"] for bar in scene["picture"]["outcome"]["bars"][:-1]}
            assert labels == {"?"}, "its words are what is asked"
            guesses = desk.text.words(ClassText(desk.text.lm, prompt_of(item.scene)).offer())
            assert not [word for word in guesses if word in str(scene)]
    assert all(map(is_drawn, shown))
    (bar,) = shown[0]["bars"]
    assert bar["of"], "a bar stands after its text"
    assert sum(bar["shares"]) == pytest.approx(1), "the draw bar of the first scene"
    sampler = next(iter(items_of(read_lesson(PLAN))))
    desk.ask_item(0)
    assert desk.room.question is not None
    assert sampler.kind == "sampler"
    assert desk.room.question.shares == pytest.approx(bar["shares"]), "one bar, shown or asked"


def test_what_shapes_a_bar_is_said_only_where_the_scene_speaks_of_it(desk: Classroom) -> None:
    said = {}
    for place, item in enumerate(desk.script.items):
        desk.ask_item(place)
        assert desk.room.question is not None
        bars = desk.room.screen()["scene"]["picture"]["bars"]
        said[place] = desk.room.question.setting or any(bar["setting"] for bar in bars)
        assert bool(said[place]) <= item.says_setting
    assert not said[0]
    assert said[len(said) - 3], "top-p was taught by then"


def test_presses_that_do_not_look_are_the_answer_of_the_first_scene(
    desk: Classroom,
) -> None:
    desk.ask_item(1)
    (asked,) = desk.room.screen()["scene"]["picture"]["bars"]
    assert not asked["pointers"]
    vote(desk, [0])
    desk.close()
    desk.reveal()
    (shown,) = desk.room.screen()["scene"]["picture"]["bars"]
    assert shown["shares"] == asked["shares"]
    fell = [int(name.split("\n")[1]) for name in shown["options"]]
    ends = list(itertools.accumulate(shown["shares"]))
    caught = [
        sum(end - share <= pointer < end for pointer in shown["pointers"])
        for share, end in zip(shown["shares"], ends, strict=True)
    ]
    assert fell == caught
    assert sum(fell) == len(shown["pointers"]) == N_PRESSES
    assert fell[0] == max(fell[:-1]), "the widest"


def test_a_word_on_offer_that_is_typed_is_a_press_on_its_button(desk: Classroom) -> None:
    desk.ask_next(may_write=True)
    word = desk.text.words([desk.offered[1]])[0]
    typed = [Answer(None, f" {word.upper()} "), Answer(None, word), Answer(None, "Pea")]
    phones = vote(desk, [1, 1, *typed, Answer(None, "pea")])
    desk.close()
    (tally,) = desk.room.tallies
    assert (tally.counts[1], tally.words) == (4, (("Pea", 2),)), "the table has each once"
    assert texts(desk)[0] == "4 of 6"
    assert desk.room.view(phones[2])["question"]["mine"]["option"] == 1
    desk.reveal()
    assert desk.room.outcome is not None
    assert "4 of 6" in {bar.texts[0] for bar in desk.room.outcome.bars if bar.label == word}


def test_the_line_and_the_first_button_are_one(desk: Classroom) -> None:
    def pressed() -> tuple[str, str]:
        return recommended(desk), str(advise(desk))

    items = desk.script.items
    tried = [i for i, item in enumerate(items) if item.tries_it and item.scene.choices]
    for place, n_right, first in ((tried[1], 8, "reveal"), (tried[0], 2, "again")):
        desk.ask_item(place)
        assert pressed()[0] == "close"
        right = items[place].scene.choices.index(items[place].scene.right)
        vote(desk, [right] * n_right + [(right + 1) % 3] * (10 - n_right))
        desk.close()
        assert pressed()[0] == first
        assert ("neighbour" in pressed()[1]) == (first == "again")
    desk.ask_again()
    desk.close()
    desk.reveal()
    assert (pressed()[0], "“Show its page”" in pressed()[1]) == ("page", True)
    desk.show_page(True)
    assert (pressed()[0], f"question {place + 2}" in pressed()[1]) == ("", True)


def test_a_page_is_shown_where_it_has_more_than_the_room_and_told_once_it_was(
    desk: Classroom,
) -> None:
    with_page = []
    for place, item in enumerate(desk.script.items):
        desk.ask_item(place)
        with_page.append(desk.has_page)
        if not desk.has_page:
            with pytest.raises(RoomError):
                desk.show_page(True)
            continue
        question = desk.room.question
        assert question is not None
        vote(desk, [Answer(None, "1") if question.may_write else 0])
        desk.close()
        asked = desk.room.screen()["scene"]["address"]
        assert (f"scene={item.number}" in asked, "class=asked" in asked) == (True, True)
        if item.kind == "own":
            desk.reveal()
            assert "class=told" in desk.room.screen()["scene"]["address"]
            desk.ask_again()
            assert desk.room.screen()["scene"]["address"] == asked, "covered again"
    pages = [item.scene.page for item in desk.script.items]
    assert not with_page[pages.index("engines")], "a laboratory is no class's"
    assert with_page.count(True) == 10


@pytest.mark.parametrize("tag", languages())
def test_a_desk_counts_minutes_beside_those_of_the_plan_in_every_language(
    desk: Classroom, monkeypatch: pytest.MonkeyPatch, tag: str
) -> None:
    seconds = itertools.count(1000, 60)
    monkeypatch.setattr(script, "monotonic", lambda: next(seconds))
    with speaking(languages()[tag]):
        assert sum(item.minutes for item in desk.script.items) == 45
        before = view(desk)
        assert (before["seconds"], before["minutes_planned"]) == (0, 0)
        desk.show_scene(0)
        assert (view(desk)["seconds"], view(desk)["minutes_planned"]) == (60, 0)
        for place, planned in ((0, 2.5), (1, 5), (4, 14), (3, 10)):
            desk.ask_item(place)
            assert view(desk)["minutes_planned"] == planned
            assert view(desk)["minutes_before"] < planned <= view(desk)["minutes_in_all"] == 45
        assert view(desk)["seconds"] > 120, "it began once"
        desk.open_script(PLAN)
        assert (view(desk)["seconds"], view(desk)["minutes_planned"]) == (0, 0)
        desk.open_script("")
        assert view(desk)["minutes_planned"] == 0


@pytest.mark.parametrize("tag", languages())
def test_a_lesson_ends_on_what_to_remember_of_what_was_asked(desk: Classroom, tag: str) -> None:
    with speaking(languages()[tag]):
        items = list(items_of(read_lesson(PLAN)))
        own = [plain(item.scene.remember) for item in items if item.kind == "own"]

        def lines() -> list[tuple[str, str]]:
            desk.show_end()
            shown = desk.room.screen()
            assert shown["question"] is None
            assert shown["scene"]["is_end"]
            assert desk.room.view(phone)["scene"] == shown["scene"]
            remembered = shown["scene"]["remembered"]
            return [(one["words"], one["bar"] and one["bar"]["texts"][0]) for one in remembered]

        phone = desk.room.join("")
        assert len(own) == 11
        latest = [(words, None) for words in reversed(own)]
        assert lines() == [latest[-1], *latest[:-1]], "nothing was asked: all of it"
        for place in (4, 1, 0):  # the last is of a kind that has nothing to remember
            desk.ask_item(place)
            desk.close()
        assert lines() == [(own[0], None), (own[2], None)], "the first of the lesson first"
        desk.ask_item(6)
        desk.close()
        for hands in ([4, 0, 0], [1, 3, 0]):  # what was said after the discussion counts
            desk.ask_item(4)
            desk.count_hands(hands)
        first, (second, said), *others = lines()
        assert first == (own[0], None)
        assert (second, *re.findall(r"\d+", said)) == (own[2], "1", "4"), "most were wrong"
        assert others == [(own[4], None)]
        assert desk.room.screen()["scene"]["picture"]["lines"] == ()
        desk.ask_item(2)
        desk.close()
        desk.append()
        desk.ask_item(0)
        lines()
        ((_, _), (word, role)), = desk.room.screen()["scene"]["picture"]["lines"]  # fmt: skip
        assert (bool(word.strip()), role) == (True, "drawn"), "what the class appended"
        desk.open_script("")
        with pytest.raises(RoomError):
            desk.show_end()


def test_no_phone_is_told_what_is_right_before_it_is_revealed(desk: Classroom) -> None:
    desk.ask_item(1)
    (phone,) = vote(desk, [0])
    told = [desk.room.view(phone)["right"]]
    desk.close()
    told.append(desk.room.view(phone)["right"])
    desk.reveal()
    told.append(desk.room.view(phone)["right"])
    assert told == ["", "", "the widest"]


def test_the_desk_says_what_comes_next_in_every_state(desk: Classroom) -> None:
    advice = [view(desk)["advice"]]

    def then(press: Callable[[], object]) -> None:
        press()
        advice.append(view(desk)["advice"])

    then(lambda: desk.show_scene(2))
    then(lambda: desk.ask_item(2))
    then(lambda: vote(desk, [0, 1]))
    then(desk.close)
    then(desk.reveal)
    then(desk.append)
    then(lambda: desk.ask_item(1))
    then(desk.close)  # nobody voted
    then(lambda: desk.count_hands([3, 1, 1]))
    then(desk.ask_again)
    then(lambda: desk.count_hands([5, 0, 0]))
    then(desk.reveal)
    then(desk.show_end)
    assert all(advice)
    assert [before for before, after in itertools.pairwise(advice) if before == after] == []
    assert plain(list(items_of(read_lesson(PLAN)))[1].scene.remember) in advice[-2]
    buttons = {"Close", "Reveal", "Beside the model", "Ask again", "Ask question", "End the room"}
    quoted = re.findall(r"“((?:Close|Reveal|Beside|Ask|End)[^”]*)”", " ".join(advice))
    assert "End the room" in quoted
    assert quoted
    assert {re.sub(r" \d+$", "", name) for name in quoted} <= buttons
    desk_script = source("lessons/classroom/desk.js")
    assert [name for name in buttons - {"End the room"} if name not in desk_script] == []


def test_the_desk_links_to_the_one_file_and_no_browser_opens_it_here() -> None:
    markup = Path(script.__file__).with_name("desk.html").read_text("utf-8")
    (link,) = re.findall(r'<a href="([^"]+)" download>', markup)
    app = Starlette(routes=list(page_model.routes("/base")))
    found = ask(app, urljoin("/base/room/CODE/desk", link))
    assert found.status == 200
    assert found.headers["content-disposition"].startswith("attachment;")
    assert b'id="weights"' in found.body
    assert b'id="lesson-data"' in found.body

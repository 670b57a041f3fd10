"""A room's rules: who joins, what counts, what a phone is shown."""

import math
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.classroom.limits import HERE_SECONDS, JOINING_SECONDS, MAX_PHONES, MIN_SECONDS_BETWEEN
from model.classroom.members import RoomError
from model.classroom.names import as_word
from model.classroom.records import Answer, Bar, Outcome, SceneShown
from model.classroom.room import Room
from model.classroom.rounds import landing


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def room(clock: Clock) -> Room:
    return Room("BCDF", "key", clock)


def asked(room: Room, **more: Any) -> int:
    return room.ask("choice", "Which?", ["one", "two", "three"], **more).number


def test_the_last_answer_of_a_phone_counts_once_and_a_flood_is_slowed_down(
    room: Room, clock: Clock
) -> None:
    phone, number = room.join(), asked(room)
    room.answer(phone, number, Answer(0))
    for _ in range(20):
        with pytest.raises(RoomError):
            room.answer(phone, number, Answer(1))
    clock.now += 2 * MIN_SECONDS_BETWEEN
    room.answer(phone, number, Answer(2))
    assert len(room.answers()) == 1
    assert room.close().counts == (0, 0, 1)


@pytest.mark.parametrize(
    "given_answer",
    [
        *(Answer(3), Answer(-1), Answer(None), Answer(None, "mat")),
        *(Answer(0, "", share) for share in (math.nan, math.inf, 0, 10**400)),
    ],
)
def test_what_was_not_offered_is_refused(room: Room, given_answer: Answer) -> None:
    phone, number = room.join(), asked(room)
    with pytest.raises(RoomError):
        room.answer(phone, number, given_answer)
    assert len(room.answers()) == 0


def test_late_answers_those_of_another_question_and_of_strangers_are_refused(room: Room) -> None:
    phone, number = room.join(), asked(room)
    with pytest.raises(RoomError):
        room.answer("stranger", number, Answer(0))
    with pytest.raises(RoomError):
        room.answer(phone, number + 1, Answer(0))
    room.close()
    with pytest.raises(RoomError):
        room.answer(phone, number, Answer(0))
    assert room.close().counts == (0, 0, 0)


def test_a_question_closes_by_itself_and_the_phone_is_told(room: Room, clock: Clock) -> None:
    phone = room.join()
    number = asked(room, seconds=10.0)
    before = room.view(phone)["version"]
    clock.now += 11
    assert room.view(phone)["version"] != before
    assert room.view(phone)["question"]["is_open"] is False
    with pytest.raises(RoomError):
        room.answer(phone, number, Answer(0))


def knows(room: Room, phone: str) -> bool:
    with suppress(RoomError):
        return bool(room.view(phone))
    return False


def test_names_are_taken_once(room: Room) -> None:
    room.join("Ada")
    with pytest.raises(RoomError, match="taken"):
        room.join("  aDA ")


OF_QUESTION = {"question", "outcome", "revealed", "explained"}
SEEN_BY_ALL = {"version", "text", "scene", "closing", *OF_QUESTION}


def test_nobody_is_shown_what_others_answered_before_the_question_is_closed(room: Room) -> None:
    phones = [room.join(f"p{i}") for i in range(3)]
    number = asked(room)
    for i, phone in enumerate(phones[:2]):
        room.answer(phone, number, Answer(i))
    shown, screen = room.view(phones[2]), room.screen()
    assert shown["question"]["mine"] is None
    assert set(shown) == {*SEEN_BY_ALL, "link", "right"}
    assert shown["right"] == ""
    counts = {"n_answers", "n_people", "pointers", "has_begun", "desk"}
    assert set(screen) == {*SEEN_BY_ALL, *counts}
    assert (screen["n_answers"], screen["outcome"], screen["pointers"]) == (2, None, [])
    assert "p0" not in str(screen), "no names on the projector"
    assert room.thinking() == ["p2"]


def test_a_phone_learns_whether_it_was_right_once_that_is_revealed(room: Room) -> None:
    right, wrong, silent = (room.join() for _ in range(3))
    number = asked(room)
    room.answer(right, number, Answer(1))
    room.answer(wrong, number, Answer(0))
    room.close()
    assert room.view(right)["question"]["is_right"] is None
    room.reveal("It is two.", "two")
    verdicts = [room.view(phone)["question"]["is_right"] for phone in (right, wrong, silent)]
    assert verdicts == [True, False, None]
    assert "two" not in str(room.view(silent)["question"]["mine"])
    asked(room)
    assert (room.right, room.revealed, room.outcome) == ("", "", None), "of the last question"


def test_a_number_is_right_however_it_is_written(room: Room) -> None:
    phone = room.join()
    number = room.ask("number", "How many?", [], may_write=True).number
    room.answer(phone, number, Answer(None, "30.0"))
    room.close()
    room.reveal("", "30")
    assert room.view(phone)["question"]["is_right"] is True


def test_what_is_counted_is_a_whole_number(room: Room) -> None:
    ada = room.join("Ada")
    number = room.ask("number", "How many?", [], may_write=True, is_whole=True).number
    with pytest.raises(RoomError):
        room.answer(ada, number, Answer(None, "3.5"))
    room.answer(ada, number, Answer(None, "3.0"))
    assert room.close().words == (("3.0", 1),)


def test_what_a_question_came_to_stays_while_its_text_goes_on(room: Room) -> None:
    phone = room.join()
    asked(room)
    room.close()
    outcome = Outcome((("the class", "prompt"),), (Bar("one", (1.0,), ("1 of 1",)),))
    room.show_outcome(outcome)
    room.show_text("It goes on", "?")
    assert room.view(phone)["outcome"]["bars"][0]["texts"] == ("1 of 1",)
    asked(room)
    room.show_text("It begins anew", "?")
    assert room.view(phone)["question"] is None, "an open question is about the text before it"


def test_the_page_of_a_scene_gives_way_to_the_next_question(room: Room) -> None:
    room.show_page(True)  # there is no scene yet
    room.show_scene(SceneShown("The draw", "Words.", "./kv_cache"))
    room.show_page(True)
    assert room.screen()["scene"]["is_page_shown"] is True
    asked(room)
    scene = room.screen()["scene"]
    assert (scene["address"], scene["is_page_shown"]) == ("./kv_cache", False)


@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("␣bed", "bed"),
        ("ed", "…ed"),
        (".", "."),
        ("␣", "a space"),
        ("⏎", "new line"),
        ("␣␣5", "5"),
        ("3", "…3"),
    ],
)
def test_a_token_is_written_as_a_person_writes_it(label: str, word: str) -> None:
    assert as_word(label) == word


def test_each_phone_has_a_number_of_its_own_that_a_reload_keeps(room: Room) -> None:
    phones = [room.join() for _ in range(30)]
    room.ask("sampler", "Where?", ["a", "b"], shares=(0.25, 0.75))
    pointers = [room.view(phone)["question"]["pointer"] for phone in phones]
    assert pointers == [room.view(phone)["question"]["pointer"] for phone in phones]
    assert len(set(pointers)) == len(pointers)
    assert [pointer for pointer, _ in room.pointers()] == pointers
    room.ask("sampler", "Where?", ["a", "b"], shares=(0.25, 0.75))
    assert room.view(phones[0])["question"]["pointer"] != pointers[0]


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=8), st.floats(0, 1, exclude_max=True))
def test_a_number_falls_on_the_segment_that_holds_it(weights: list[float], pointer: float) -> None:
    shares = [weight / sum(weights) for weight in weights]
    place = landing(shares, pointer)
    assert sum(shares[:place]) <= pointer + 1e-12
    assert place == len(shares) - 1 or pointer < sum(shares[: place + 1]) + 1e-12


SCHOOL, STRANGER = "203.0.113.7", "198.51.100.9"  # one address each


TICK = 0.1  # seconds


@dataclass
class Siege:
    """A stranger who joins a room again and again, while the class's phones ask every second."""

    room: Room
    clock: Clock
    networks: tuple[str, ...]  # of the stranger
    asks_every: float  # seconds, of each of the stranger's phones
    pupils: list[str] = field(default_factory=list)
    phones: list[str] = field(default_factory=list)
    n_ticks: int = 0

    def go_on(self, seconds: float, joins_per_tick: int) -> None:
        for _ in range(round(seconds / TICK)):
            self.n_ticks += 1
            self.clock.now += TICK
            for _ in range(joins_per_tick):
                network = self.networks[len(self.phones) % len(self.networks)]
                self.phones.append(self.room.join("", network))
            ask(self.room, self.phones[-MAX_PHONES:], self.n_ticks, self.asks_every)
            assert ask(self.room, self.pupils, self.n_ticks, 1.0), "no pupil has lost the place"


def ask(room: Room, phones: list[str], n_ticks: int, every: float) -> bool:
    """Lets those phones ask that do so at this tick; returns whether the room knows them all."""
    n = round(every / TICK)
    return all([knows(room, phone) for phone in phones[n_ticks % n :: n]])  # noqa: C419  each asks


@pytest.mark.parametrize(
    "networks",
    [("",), (STRANGER,), tuple(f"198.51.100.{i}" for i in range(11))],
    ids=["of the class's own", "of another address", "of eleven"],
)
@pytest.mark.parametrize("asks_every", [HERE_SECONDS / 3, 3600.0], ids=["asking", "silent"])
@pytest.mark.parametrize("joins_per_tick", [0, 5])
def test_pupils_get_in_and_stay_whatever_a_stranger_fills_the_room_with(
    room: Room, clock: Clock, networks: tuple[str, ...], asks_every: float, joins_per_tick: int
) -> None:
    home = SCHOOL if networks[0] else ""
    siege = Siege(room, clock, networks, asks_every)
    siege.pupils = [room.join(f"early {i}", home) for i in range(15)]
    assert ask(room, siege.pupils, 0, TICK), "as a phone's page does at once"
    siege.go_on(2.0, MAX_PHONES // 8)
    siege.go_on(5.0, joins_per_tick)
    for i in range(15):
        siege.pupils.append(room.join(f"late {i}", home))
        assert knows(room, siege.pupils[-1])
        siege.go_on(0.2, joins_per_tick)
    siege.go_on(HERE_SECONDS, joins_per_tick)
    assert len(siege.pupils) == 30


@pytest.mark.parametrize("home", ["", SCHOOL])
def test_a_stranger_whose_phones_all_answer_keeps_no_pupil_out(
    room: Room, clock: Clock, home: str
) -> None:
    number = asked(room)
    for _ in range(MAX_PHONES):
        phone = room.join("", home and STRANGER)
        room.answer(phone, number, Answer(0))
        room.view(phone)
    clock.now += 1.5
    pupils = [room.join("", home) for _ in range(30)]
    for phone in pupils:
        room.answer(phone, number, Answer(1))
    assert all(knows(room, phone) for phone in pupils)
    assert room.close().counts[1] == 30


def test_a_class_that_sleeps_makes_way_for_no_stranger_of_another_address(
    room: Room, clock: Clock
) -> None:
    phones = [room.join("", SCHOOL) for _ in range(30)]
    for phone in phones:
        room.view(phone)
    clock.now += 10 * HERE_SECONDS
    Siege(room, clock, (STRANGER,), 1.0).go_on(3.0, MAX_PHONES // 10)
    assert all(knows(room, phone) for phone in phones)


def test_a_vote_outlives_its_phones_sleep(room: Room, clock: Clock) -> None:
    voter, number = room.join("Ada"), asked(room)
    room.answer(voter, number, Answer(1))
    for _ in range(MAX_PHONES - 1):
        room.view(room.join())
    clock.now += 2 * HERE_SECONDS
    for _ in range(MAX_PHONES - 1):  # in the places of those that did not answer
        room.view(room.join())
    assert room.close().counts == (0, 1, 0)
    assert room.view(voter)["question"]["mine"]["option"] == 1


def test_a_name_that_is_taken_costs_nobody_the_place(room: Room, clock: Clock) -> None:
    phones = [room.join("Ada"), *(room.join() for _ in range(MAX_PHONES - 1))]
    clock.now += HERE_SECONDS + JOINING_SECONDS
    with pytest.raises(RoomError, match="taken"):
        room.join("ada")
    assert all(knows(room, phone) for phone in phones)


@pytest.mark.parametrize("name", ["ADA", "\uff21\uff44\uff41", "\u0410da", "A\u200bda", "AdA "])
def test_a_name_that_looks_like_another_is_taken(room: Room, name: str) -> None:
    room.join("Ada")
    with pytest.raises(RoomError, match="taken"):
        room.join(name)
    room.join("Adam")
    room.join("\u0410\u043d\u043d\u0430")  # a name of its own, in its own letters


def test_what_a_teacher_writes_is_cut_to_what_a_phone_shows(room: Room) -> None:
    question = room.ask("choice", "w" * 10**5, ["a" * 10**5, "b"])
    assert len(question.words) + sum(map(len, question.options)) < 500


def test_sixty_phones_at_once_are_counted_once_each() -> None:
    room = Room("BCDF", "key")
    phones = [room.join() for _ in range(60)]
    number = asked(room)
    threads = [
        threading.Thread(target=room.answer, args=(phone, number, Answer(i % 3)))
        for i, phone in enumerate(phones)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert room.close().counts == (20, 20, 20)

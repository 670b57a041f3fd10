"""A room's rules: who joins, what counts, what a phone is shown."""

import math
import threading
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.classroom.members import (
    HERE_SECONDS,
    JOIN_SECONDS,
    JOINING_SECONDS,
    JOINS_AT_ONCE,
    MAX_PEOPLE,
    RoomError,
)
from model.classroom.names import as_word
from model.classroom.records import Answer, Bar, Outcome, SceneShown
from model.classroom.room import MIN_SECONDS_BETWEEN, Room
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


def test_a_room_has_a_limit_and_names_are_taken_once(room: Room, clock: Clock) -> None:
    room.join("Ada")
    with pytest.raises(RoomError):
        room.join("  aDA ")
    phones = [room.join() for _ in range(MAX_PEOPLE - 1)]
    with pytest.raises(RoomError):
        room.join()
    clock.now += HERE_SECONDS
    for phone in phones:
        room.view(phone)
    assert room.join(), "who has not been seen for long makes room"
    with pytest.raises(RoomError):
        room.join()


SEEN_BY_ALL = {"version", "text", "scene", "question", "outcome", "revealed"}


def test_nobody_is_shown_what_others_answered_before_the_question_is_closed(room: Room) -> None:
    phones = [room.join(f"p{i}") for i in range(3)]
    number = asked(room)
    for i, phone in enumerate(phones[:2]):
        room.answer(phone, number, Answer(i))
    shown, screen = room.view(phones[2]), room.screen()
    assert shown["question"]["mine"] is None
    assert set(shown) == {*SEEN_BY_ALL, "link"}
    counts = {"n_answers", "n_people", "pointers", "has_begun"}
    assert set(screen) == {*SEEN_BY_ALL, "explained", *counts}
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
    assert room.screen()["scene"] == {
        "title": "The draw",
        "words": "Words.",
        "address": "./kv_cache",
        "is_page_shown": False,
    }


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
def test_a_number_falls_on_the_segment_that_holds_it(weights: list[float], coin: float) -> None:
    shares = [weight / sum(weights) for weight in weights]
    place = landing(shares, coin)
    assert sum(shares[:place]) <= coin + 1e-12
    assert place == len(shares) - 1 or coin < sum(shares[: place + 1]) + 1e-12


SCHOOL, STRANGER = "203.0.113.7", "198.51.100.9"  # one address each


@pytest.fixture
def school(clock: Clock) -> Room:
    """A room whose teacher and class come from one address."""
    return Room("BCDF", "key", clock, home=SCHOOL)


def fill(room: Room, n: int, address: str, clock: Clock) -> list[str]:
    """Try to join as so many phones, as slowly as one address may; those that did are here."""
    phones: list[str] = []
    for _ in range(n):
        clock.now += JOIN_SECONDS
        with suppress(RoomError):
            phones.append(room.join("", address))
        for phone in filter(room.knows, phones):
            room.view(phone)
    return phones


def test_thirty_phones_of_one_school_join_at_once_and_a_machine_is_slowed_down(
    school: Room,
) -> None:
    assert len([school.join(f"p{i}", SCHOOL) for i in range(30)]) == 30
    for _ in range(JOINS_AT_ONCE):
        school.join("", STRANGER)
    with pytest.raises(RoomError, match="wait"):
        school.join("", STRANGER)
    school.join("late", SCHOOL)


def test_a_stranger_who_fills_a_room_makes_way_for_the_class_and_the_class_for_no_stranger(
    school: Room, clock: Clock
) -> None:
    fill(school, MAX_PEOPLE, STRANGER, clock)
    phones = fill(school, 30, SCHOOL, clock)
    clock.now += 10 * HERE_SECONDS  # the class sleeps
    fill(school, MAX_PEOPLE, STRANGER, clock)
    assert all(school.knows(phone) for phone in phones)
    school.join("", "192.0.2.1")
    assert all(school.knows(phone) for phone in phones)


def test_a_vote_outlives_its_phones_sleep(room: Room, clock: Clock) -> None:
    voter, number = room.join("Ada"), asked(room)
    room.answer(voter, number, Answer(1))
    others = [room.join() for _ in range(MAX_PEOPLE - 1)]
    clock.now += HERE_SECONDS
    newcomers = [room.join() for _ in others]  # in their places
    for phone in newcomers:
        room.view(phone)
    with pytest.raises(RoomError, match="full"):
        room.join()
    assert room.close().counts == (0, 1, 0)
    assert room.view(voter)["question"]["mine"]["option"] == 1


def test_a_name_that_is_taken_costs_nobody_the_place(room: Room, clock: Clock) -> None:
    phones = [room.join("Ada"), *(room.join() for _ in range(MAX_PEOPLE - 1))]
    clock.now += HERE_SECONDS + JOINING_SECONDS
    with pytest.raises(RoomError, match="taken"):
        room.join("ada")
    assert all(room.knows(phone) for phone in phones)


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

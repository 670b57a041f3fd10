"""A room's rules: who joins, what counts, what a phone is shown."""

from __future__ import annotations

import math
import threading
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.classroom.records import Answer
from model.classroom.room import (
    HERE_SECONDS,
    JOIN_SECONDS,
    JOINING_SECONDS,
    JOINS_AT_ONCE,
    MAX_PEOPLE,
    MIN_SECONDS_BETWEEN,
    Room,
    RoomError,
)
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


def test_a_phone_is_never_shown_what_others_answered(room: Room) -> None:
    phones = [room.join(f"p{i}") for i in range(3)]
    number = asked(room)
    for i, phone in enumerate(phones[:2]):
        room.answer(phone, number, Answer(i))
    shown = room.view(phones[2])
    assert shown["question"]["mine"] is None
    assert set(shown) == {"version", "text", "link", "revealed", "question"}


def test_each_phone_has_a_number_of_its_own_that_a_reload_keeps(room: Room) -> None:
    phones = [room.join() for _ in range(30)]
    room.ask("sampler", "Where?", ["a", "b"], shares=(0.25, 0.75))
    coins = [room.view(phone)["question"]["coin"] for phone in phones]
    assert coins == [room.view(phone)["question"]["coin"] for phone in phones]
    assert len(set(coins)) == len(coins)
    assert [coin for coin, _ in room.coins()] == coins
    room.ask("sampler", "Where?", ["a", "b"], shares=(0.25, 0.75))
    assert room.view(phones[0])["question"]["coin"] != coins[0]


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

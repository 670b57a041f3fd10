"""All rooms of a process: who may open one, who finds it, and which end."""

import pytest

from model.classroom import rooms
from model.classroom.limits import Rate, network_of
from model.classroom.members import RoomError
from model.classroom.room import ALONE_SECONDS, AWAY_SECONDS, IDLE_SECONDS
from model.classroom.rooms import (
    MAX_OF_ADDRESS,
    MAX_ROOMS,
    WRONG_AT_ONCE,
    WRONG_SECONDS,
    end_left_rooms,
    end_room,
    find_desk,
    find_room,
    open_room,
)

SCHOOL, STRANGER = "203.0.113.7", "198.51.100.9"  # one address each


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """No rooms yet, nothing tried, and the time."""
    monkeypatch.setattr(rooms, "_rooms", {})
    seconds = [0.0]
    for name, at_once, every in (
        ("_wrong", WRONG_AT_ONCE, WRONG_SECONDS),
        ("_all_wrong", rooms.ALL_WRONG_AT_ONCE, rooms.ALL_WRONG_SECONDS),
    ):
        monkeypatch.setattr(rooms, name, Rate(at_once, every, lambda: seconds[0]))
    return seconds


def test_rooms_are_found_by_code_and_end() -> None:
    room = open_room()
    assert find_room(f" {room.code.lower()} ") is room
    room.touched -= IDLE_SECONDS + 1
    with pytest.raises(RoomError):
        find_room(room.code)
    other = open_room()
    assert room.has_ended
    end_room(other)
    with pytest.raises(RoomError, match="no such room"):
        find_room(other.code)
    with pytest.raises(RoomError, match="is over"):
        find_room(other.code, token="of a phone that was in it")


def test_a_room_that_nobody_joined_ends_when_its_page_is_gone() -> None:
    left, joined = open_room(), open_room()
    joined.join()
    left.teacher = object()
    for room in (left, joined):
        room.page_seen -= ALONE_SECONDS + 1
    end_left_rooms()
    assert (left.has_ended, left.teacher, joined.has_ended) == (True, None, False)
    left = open_room()
    left.page_seen -= ALONE_SECONDS + 1
    left.note_page()
    assert find_room(left.code) is left


@pytest.mark.parametrize("n", [1, 4])
def test_whoever_opens_rooms_and_leaves_closes_them_to_nobody(n: int) -> None:
    for i in range(MAX_ROOMS * n):
        open_room(f"198.51.100.{i % 250}").page_seen -= AWAY_SECONDS + 1
    kept = open_room(SCHOOL)
    assert find_room(kept.code) is kept
    assert len(rooms._rooms) <= MAX_ROOMS


def test_whoever_stays_in_many_rooms_has_those_of_one_school() -> None:
    for _ in range(MAX_OF_ADDRESS):
        open_room(STRANGER).join()
    with pytest.raises(RoomError, match="end one"):
        open_room(STRANGER)
    open_room(SCHOOL)


def test_codes_cannot_be_tried_and_those_who_know_one_get_in(now: list[float]) -> None:
    room = open_room(SCHOOL)
    phone = room.join("Ada", "192.0.2.1")
    for i in range(WRONG_AT_ONCE):
        with pytest.raises(RoomError, match="no such room"):
            find_room(f"A{i}", STRANGER)
    for code in ("A", room.code):
        with pytest.raises(RoomError, match="Too many wrong codes"):
            find_room(code, STRANGER)
    assert find_room(room.code, SCHOOL) is room, "the class at the teacher's own address"
    assert find_room(room.code, STRANGER, phone) is room, "who has joined already"
    now[0] += WRONG_SECONDS
    assert find_room(room.code, STRANGER) is room


def test_a_desk_opens_to_the_room_s_own_key_alone() -> None:
    room, other = open_room(SCHOOL), open_room(SCHOOL)
    assert find_desk(room.code.lower(), room.key, STRANGER) is room
    for code, key in (
        (room.code, other.key),
        (room.code, ""),
        ("ZZZZ", room.key),
        (room.code, "ü"),
    ):
        with pytest.raises(RoomError, match="no desk"):
            find_desk(code, key, SCHOOL)
    end_room(room)
    with pytest.raises(RoomError, match="no desk"):
        find_desk(room.code, room.key, SCHOOL)


def test_keys_cannot_be_tried_and_who_tries_locks_nobody_else_out(now: list[float]) -> None:
    room = open_room(SCHOOL)
    for i in range(WRONG_AT_ONCE):
        with pytest.raises(RoomError, match="no desk"):
            find_desk(room.code, f"key {i}", SCHOOL)  # a pupil, behind the school's own address
    with pytest.raises(RoomError, match="Too many wrong"):
        find_desk(room.code, "another", SCHOOL)
    with pytest.raises(RoomError, match="Too many wrong"):
        find_room("ZZZZ", SCHOOL)  # a desk is no way round the limit of codes
    assert find_desk(room.code, room.key, SCHOOL) is room, "the teacher is never refused"
    now[0] += WRONG_SECONDS
    with pytest.raises(RoomError, match="no desk"):
        find_desk(room.code, "another", SCHOOL)


def test_all_who_try_codes_together_are_slowed_down() -> None:
    room = open_room(SCHOOL)
    for i in range(rooms.ALL_WRONG_AT_ONCE):
        with pytest.raises(RoomError, match="no such room"):
            find_room("A", f"198.51.{i}.9")
    with pytest.raises(RoomError, match="Too many"):
        find_room(room.code, STRANGER)
    assert find_room(room.code, SCHOOL) is room


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", ""),
        ("::1", ""),
        (None, ""),
        ("testclient", ""),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
    ],
)
def test_an_address_stands_for_a_network(host: str | None, network: str) -> None:
    assert network_of(host) == network


def test_the_codes_of_a_copy_begin_with_its_letters() -> None:
    assert open_room(copy="B").code[0] == "B"
    assert len(open_room(copy="B").code) == rooms.N_LETTERS + 1

"""All rooms of a process: who may open one, who finds it, and which end."""

from unittest.mock import Mock

import pytest

from model.classroom import rooms
from model.classroom.limits import (
    ALONE_SECONDS,
    AWAY_SECONDS,
    HERE_SECONDS,
    IDLE_SECONDS,
    IN_USE,
    LETTERS,
    MAX_OF_READER,
    MAX_ROOMS,
    N_LETTERS,
)
from model.classroom.members import RoomError
from model.classroom.records import Answer, Closing
from model.classroom.room import Room
from model.classroom.rooms import close_room, end_rooms, find_desk, find_room, open_room

SCHOOL, STRANGER = "203.0.113.7", "198.51.100.9"  # one address each


@pytest.fixture(autouse=True)
def _no_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_rooms", {})
    monkeypatch.setattr(rooms, "_closed", {})


def test_rooms_are_found_by_code_and_end() -> None:
    room = open_room()
    assert find_room(f" {room.code.lower()} ") is room
    room.touched -= IDLE_SECONDS + 1
    with pytest.raises(RoomError):
        find_room(room.code)
    other = open_room()
    assert room.has_ended
    end_rooms([other])
    with pytest.raises(RoomError, match="no such room"):
        find_room(other.code)
    with pytest.raises(RoomError, match="is over"):
        find_room(other.code, token="of a phone that was in it")


def test_a_room_that_its_teacher_closed_shows_how_it_ended_and_takes_nobody_in() -> None:
    room = open_room()
    phone = room.join()
    room.teacher = Mock()
    for words in ("Which?", "Which?", "Where?"):  # the first was asked again
        room.ask("choice", words, ("a", "b"))
        room.close()
    close_room(room, "a-lesson")
    assert room.closing == Closing(n_questions=2, n_phones=1, lesson="a-lesson")
    assert (room.has_ended, room.teacher, room.question) == (True, None, None)
    assert find_room(room.code, phone) is room
    assert find_desk(room.code, room.key) is room
    with pytest.raises(RoomError, match="over"):
        room.join()
    with pytest.raises(RoomError, match="closed"):
        room.answer(phone, 3, Answer(0))
    assert open_room().code != room.code
    room.touched -= IDLE_SECONDS + 1
    with pytest.raises(RoomError, match="is over"):
        find_room(room.code, phone)


def test_of_many_closed_rooms_the_oldest_goes_and_none_that_is_open() -> None:
    class_ = open_room()
    closed = []
    for _ in range(MAX_ROOMS + 1):
        closed.append(open_room())
        close_room(closed[-1])
    with pytest.raises(RoomError):
        find_room(closed[0].code)
    assert find_room(closed[1].code) is closed[1]
    assert find_room(class_.code) is class_


def test_a_closed_room_without_phones_keeps_its_answers_when_its_desk_is_gone() -> None:
    room = open_room()
    close_room(room)
    room.page_seen -= ALONE_SECONDS + 1
    assert find_desk(room.code, room.key) is room


def test_a_room_that_nobody_joined_ends_when_its_page_is_gone() -> None:
    left, joined = open_room(), open_room()
    joined.join()
    left.teacher = Mock()
    for room in (left, joined):
        room.page_seen -= ALONE_SECONDS + 1
    open_room()
    assert (left.has_ended, left.teacher, joined.has_ended) == (True, None, False)
    left = open_room()
    left.page_seen -= ALONE_SECONDS + 1
    left.note_page()
    assert find_room(left.code) is left


def stays(room: Room) -> bool:
    """Whether a room is found: each time, as its class comes back to it."""
    return rooms._rooms.get(room.code) is room


def crowd(n: int, network: str = "", n_tabs: int = 10**6, n_phones: int = 0) -> list[Room]:
    """Opens rooms as a stranger does who keeps their desks and phones asking."""
    opened = []
    for tab in range(n):
        opened.append(open_room(network, f"{network} {tab % n_tabs}"))
        for _ in range(n_phones):
            opened[-1].view(opened[-1].join("", network))
    return opened


@pytest.mark.parametrize("network", ["", STRANGER], ids=["of one address", "of addresses"])
@pytest.mark.parametrize("n_tabs", [1, 10**6])
@pytest.mark.parametrize("n_phones", [0, 1])
def test_a_teacher_s_new_room_is_always_possible_and_no_class_loses_its_own(
    network: str, n_tabs: int, n_phones: int
) -> None:
    classes = crowd(3, SCHOOL if network else "", n_phones=IN_USE)
    crowd(2 * MAX_ROOMS, network, n_tabs, n_phones)
    new = open_room(SCHOOL if network else "", "a teacher's tab")
    assert all(map(stays, [*classes, new]))
    crowd(MAX_ROOMS // 2, network, n_tabs, n_phones)  # until the first pupils join
    assert all(map(stays, [*classes, new]))
    for _ in range(IN_USE):
        new.view(new.join())
    crowd(2 * MAX_ROOMS, network, n_tabs, n_phones)
    assert all(map(stays, [*classes, new]))
    assert len(rooms._rooms) <= MAX_ROOMS


@pytest.mark.parametrize("page", ["phone", "desk", "projector"])
def test_a_room_is_in_use_as_long_as_one_of_its_pages_asks(page: str) -> None:
    """A class keeps its room also while all its phones sleep."""
    now = [0.0]
    room = open_room()
    room.clock = lambda: now[0]
    phone = room.join()
    for _ in range(100):
        now[0] += HERE_SECONDS / (IN_USE + 1)
        room.view(phone) if page == "phone" else room.screen()
    assert room.is_in_use
    now[0] += HERE_SECONDS
    assert not room.is_in_use
    room.view(phone)
    assert not room.is_in_use, "a single request is nobody's page"


def test_of_eleven_networks_that_open_rooms_none_ends_one_of_a_school() -> None:
    school = crowd(MAX_ROOMS // 12, SCHOOL)
    for i in range(5 * MAX_ROOMS):
        open_room(f"198.51.100.{i % 11}", str(i))
    assert all(map(stays, school))


def test_a_reader_has_so_many_rooms_and_the_oldest_makes_way() -> None:
    own = [open_room("", "a tab") for _ in range(MAX_OF_READER + 1)]
    assert [stays(room) for room in own] == [False] + [True] * MAX_OF_READER


def test_a_room_whose_desk_is_gone_makes_way_first() -> None:
    here, left, *_ = crowd(MAX_ROOMS)
    left.page_seen -= AWAY_SECONDS + 1
    new = open_room()
    assert (stays(left), stays(here), stays(new)) == (False, True, True)


def test_wrong_codes_keep_nobody_out() -> None:
    room = open_room(SCHOOL)
    for i in range(1_000):
        with pytest.raises(RoomError, match="no such room"):
            find_room(f"A{i}")
        with pytest.raises(RoomError, match="no desk"):
            find_desk(room.code, f"key {i}")
    assert find_room(room.code) is room
    assert find_desk(room.code, room.key) is room


def test_a_code_is_not_found_by_trying() -> None:
    """By two hours of 500 tries a second, which take all of a processor: once in 17 times."""
    assert len(set(LETTERS)) ** N_LETTERS > 17 * 500 * 2 * 3600
    codes = {open_room("", str(tab)).code for tab in range(MAX_ROOMS)}
    assert {len(code) for code in codes} == {N_LETTERS}
    for i in range(N_LETTERS):  # no letter of a code says anything of the others
        assert len({code[i] for code in codes}) > len(LETTERS) // 2


def test_a_desk_opens_to_the_room_s_own_key_alone() -> None:
    room, other = open_room(), open_room()
    assert find_desk(room.code.lower(), room.key) is room
    for code, key in (
        (room.code, other.key),
        (room.code, ""),
        ("ZZZZZZ", room.key),
        (room.code, "ü"),
    ):
        with pytest.raises(RoomError, match="no desk"):
            find_desk(code, key)
    end_rooms([room])
    with pytest.raises(RoomError, match="no desk"):
        find_desk(room.code, room.key)


def test_the_codes_of_a_copy_begin_with_its_letters() -> None:
    assert open_room(copy="B").code[0] == "B"
    assert len(open_room(copy="B").code) == N_LETTERS + 1

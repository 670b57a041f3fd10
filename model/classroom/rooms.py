"""All rooms of this process, by the short codes that phones come by.

A code is short enough to be read from a projector, and too long to be guessed in a lesson. Wrong
ones lock nobody out: a school may have one address, and whoever tries codes there would keep its
classes out. This module knows no page.
"""

import secrets
import threading
from collections import Counter
from collections.abc import Collection, Iterable

from model.classroom.limits import (
    AWAY_SECONDS,
    LETTERS,
    MAX_CODE,
    MAX_KEY,
    MAX_OF_READER,
    MAX_ROOMS,
    N_LETTERS,
)
from model.classroom.members import RoomError
from model.classroom.room import Room
from model.sentences import Sentence

_rooms: dict[str, Room] = {}  # in the order in which they were opened
_closed: dict[str, Room] = {}  # in the order in which their teachers closed them
_lock = threading.Lock()


def open_room(network: str = "", reader: str = "", copy: str = "") -> Room:
    """Opens a room with a code of its own; if there are too many, another one ends.

    Args:
        network: Where the teacher comes from; "" if that is not known.
        reader: The browser tab in which the room is opened; "" if that is not known.
        copy: The letters of this copy of the app, with which its codes begin.
    """
    with _lock:
        end_rooms(room for room in _rooms.values() if room.is_over())
        own = [room for room in _rooms.values() if reader and room.reader == reader]
        if len(own) >= MAX_OF_READER:
            end_rooms([_least_used(own)])
        elif len(_rooms) >= MAX_ROOMS:
            end_rooms([_least_used(_rooms.values())])
        taken = {*_rooms, *_closed}
        code = next(code for code in iter(lambda: copy + _new_code(), "") if code not in taken)
        key = secrets.token_urlsafe(16)
        _rooms[code] = Room(code, key, network=network, reader=reader)
        return _rooms[code]


def _least_used(rooms: Collection[Room]) -> Room:
    """Returns the room that makes way: none that is in use, if there is another.

    It is one of the network with the most rooms, then of the reader with the most; then one whose
    desk is gone; then the oldest. So no room ends before all those that were there when it was
    opened, unless its own network or reader has more rooms than any other.
    """
    unused = [room for room in rooms if not room.is_in_use] or rooms
    of_network = Counter(room.network for room in unused)
    of_reader = Counter(room.reader for room in unused)
    return max(
        unused,
        key=lambda room: (
            of_network[room.network],
            of_reader[room.reader],
            room.is_left(AWAY_SECONDS),
        ),
    )


class NoRoomError(RoomError):
    """There is no room of this code."""


def find_room(code: str, token: str = "") -> Room:
    """Returns the room of a code; one that its teacher closed shows how the lesson ended.

    Args:
        code: As somebody wrote it.
        token: Of a phone or a projector that has been in a room, which decides what it is told.

    Raises:
        NoRoomError: There is none.
    """
    room = _room_of(code)
    if room is None:
        raise NoRoomError(
            Sentence(
                "The room is over: it was ended, or the server was started again. "
                "Ask for a new code."
            )
            if token
            else Sentence("There is no such room: ask for the code again.")
        )
    return room


def find_desk(code: str, key: str) -> Room:
    """Returns the room of a code to whoever has its key, which nobody can guess.

    Raises:
        RoomError: The two do not belong together; which of them is wrong is not said.
    """
    room = _room_of(code)
    is_its_key = secrets.compare_digest(
        key[:MAX_KEY].encode(errors="replace"), (room.key if room else "").encode()
    )
    if room is None or not is_its_key:
        raise RoomError(
            Sentence(
                "This is no desk: the room was ended, the server was started again, or the link is "
                "another’s. Open a new room."
            )
        )
    return room


def _room_of(code: str) -> Room | None:
    code = code[:MAX_CODE].strip().upper()
    room = _rooms.get(code) or _closed.get(code)
    return None if room is None or room.is_over() else room


def close_room(room: Room, lesson: str = "") -> None:
    """Closes a room at the end of a lesson: its pages show that, and its answers can be saved.

    It is kept as long as a room that nobody touches, without its model; of many the oldest goes.
    """
    with _lock:
        end_rooms([room])
        room.show_closing(lesson)
        _closed[room.code] = room
        over = [code for code, one in _closed.items() if one.is_over()]
        for code in {*over, *list(_closed)[:-MAX_ROOMS]}:
            del _closed[code]


def end_rooms(rooms: Iterable[Room]) -> None:
    """Ends rooms, each with its model; their phones are told that there is none."""
    for room in list(rooms):
        _rooms.pop(room.code, None)
        room.has_ended, room.teacher = True, None


def _new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(N_LETTERS))

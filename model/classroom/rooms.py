"""All rooms of this process, by the short codes that phones come by.

A code is short enough to be read from a projector, so it could be guessed: wrong ones are counted,
by address and over all. This module knows no page.
"""

import secrets
import threading
from collections.abc import Iterable

from model.classroom.limits import Rate
from model.classroom.members import RoomError
from model.classroom.room import AWAY_SECONDS, Room

MAX_ROOMS, MAX_OF_ADDRESS = 200, 20  # a school is behind one address
MAX_CODE, MAX_KEY = 16, 64  # characters of a code and of a key that are looked up
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels: no words; nothing that is read as a digit
N_LETTERS = 4
WRONG_AT_ONCE, WRONG_SECONDS = 60, 2.0  # of one address: two slips of each phone of a class
ALL_WRONG_AT_ONCE, ALL_WRONG_SECONDS = 600, 0.1  # of all together

_rooms: dict[str, Room] = {}
_lock = threading.Lock()
_wrong = Rate(WRONG_AT_ONCE, WRONG_SECONDS)
_all_wrong = Rate(ALL_WRONG_AT_ONCE, ALL_WRONG_SECONDS)


def open_room(address: str = "", copy: str = "") -> Room:
    """Opens a room with a code of its own; one that was left makes way where there are too many.

    Args:
        address: where the teacher comes from; "" where that is not known.
        copy: the letters of this copy of the app, with which its codes begin.

    Raises:
        RoomError: where there are too many.
    """
    with _lock:
        _end_those(room for room in _rooms.values() if room.is_over())
        own = [room for room in _rooms.values() if address and room.home == address]
        crowd = own if len(own) >= MAX_OF_ADDRESS else list(_rooms.values())
        limit = MAX_OF_ADDRESS if crowd is own else MAX_ROOMS
        if len(crowd) >= limit:
            left = [room for room in crowd if room.is_left(AWAY_SECONDS)]
            if not left:
                raise RoomError(f"{limit} rooms are open here: end one first.")
            _end_those([min(left, key=lambda room: room.page_seen)])
        code = next(code for code in iter(lambda: copy + _new_code(), "") if code not in _rooms)
        _rooms[code] = Room(code, secrets.token_urlsafe(16), home=address)
        return _rooms[code]


def find_room(code: str, address: str = "", token: str = "") -> Room:
    """Returns the room of a code.

    Args:
        code: as somebody wrote it.
        address: where it comes from; "" where that is not known.
        token: of who has been in it; a room knows its phones by theirs.

    Raises:
        RoomError: where there is none, or too many wrong ones were tried.
    """
    room = _rooms.get(code[:MAX_CODE].strip().upper())
    if room is not None and room.is_over():
        room = None
    if room is not None and (address == room.home or room.knows(token)):
        return room
    if address and (_wrong.is_spent(address) or _all_wrong.is_spent("")):
        raise RoomError("Too many wrong codes were tried: wait a minute and try again.")
    if room is None:
        _wrong.take(address)
        _all_wrong.take("")
        raise RoomError(
            "The room is over: it was ended, or the server was started again. Ask for a new code."
            if token
            else "There is no such room: ask for the code again."
        )
    return room


def find_desk(code: str, key: str, address: str = "") -> Room:
    """Returns the room of a code to whoever has its key; wrong keys are counted as wrong codes are.

    Which of the two was wrong is not said, and the right key is never refused: others at the
    teacher's address must not be able to lock the teacher out.

    Raises:
        RoomError: where the two do not belong together, or too many wrong ones were tried.
    """
    room = _rooms.get(code[:MAX_CODE].strip().upper())
    is_its_key = secrets.compare_digest(
        key[:MAX_KEY].encode(errors="replace"), (room.key if room else "").encode()
    )
    if room is not None and is_its_key and not room.is_over():
        return room
    is_spent = address and (_wrong.is_spent(address) or _all_wrong.is_spent(""))
    _wrong.take(address)
    _all_wrong.take("")
    if is_spent:
        raise RoomError("Too many wrong codes were tried: wait a minute and try again.")
    raise RoomError(
        "This is no desk: the room was ended, the server was started again, or the link is "
        "another’s. Open a new room."
    )


def end_room(room: Room) -> None:
    """Ends a room; its phones are told that there is none."""
    with _lock:
        _end_those([room])


def end_left_rooms() -> None:
    """Ends the rooms that nobody is in any more, and lets go of what their teachers had there."""
    with _lock:
        _end_those(room for room in _rooms.values() if room.is_over())


def _end_those(rooms: Iterable[Room]) -> None:
    for room in list(rooms):
        _rooms.pop(room.code, None)
        room.has_ended, room.teacher = True, None


def _new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(N_LETTERS))

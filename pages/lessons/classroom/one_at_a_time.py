"""What a desk presses, one at a time: a teacher may have two desks of one room."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from model.classroom.members import RoomError
from model.sentences import Sentence

if TYPE_CHECKING:
    from pages.lessons.classroom.state import Classroom

P = ParamSpec("P")
T = TypeVar("T")
ENDED = Sentence("The room was ended: open a new one.")


def one_at_a_time(
    press: Callable[Concatenate[Classroom, P], T],
) -> Callable[Concatenate[Classroom, P], T]:
    """Begins a press once another one is done: a teacher may have two desks of one room."""

    @wraps(press)
    def waiting(desk: Classroom, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with desk.lock:
            if desk.room.has_ended:
                raise RoomError(ENDED)
            return press(desk, *args, **kwargs)

    return waiting

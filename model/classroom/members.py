"""The phones of a room: who joins, under which name, and who makes way for whom.

A phone is known by a token that only it holds. Where it comes from is known too: strangers can
neither fill a class's room nor empty it.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from model.classroom.limits import Rate
from model.classroom.names import as_seen, in_line
from model.classroom.records import Answer

MAX_PEOPLE = 100
MAX_NAME = 16  # characters
JOINS_AT_ONCE, JOIN_SECONDS = 60, 2.0  # of one address: a class behind one, then one every 2 s
HERE_SECONDS = 15.0  # a phone that asked within these is counted as here
JOINING_SECONDS = 3.0  # so is one that has joined and never asked, within these


class RoomError(ValueError):
    """Something that a room refuses, in one sentence for whoever asked."""


@dataclass
class Member:
    """One phone."""

    name: str
    address: str
    seed: int  # of its random numbers
    seen: float  # when it asked last
    answer: Answer | None = None
    answered_at: float = -1e9


class Members:
    """The phones of one room, by their tokens."""

    def __init__(self, clock: Callable[[], float], home: str) -> None:
        """Takes the room's clock, and the address that its teacher came from."""
        self._clock, self._home = clock, home
        self._by_token: dict[str, Member] = {}
        self._joins = Rate(JOINS_AT_ONCE, JOIN_SECONDS, clock)

    def __iter__(self) -> Iterator[Member]:
        """Gives every phone, in the order in which they joined."""
        return iter(self._by_token.values())

    def __len__(self) -> int:
        """Counts them."""
        return len(self._by_token)

    def __contains__(self, token: str) -> bool:
        """Tells whether a phone has joined."""
        return token in self._by_token

    def find(self, token: str) -> Member:
        """Returns the phone of a token.

        Raises:
            RoomError: where there is none.
        """
        member = self._by_token.get(token)
        if member is None:
            raise RoomError("This phone has not joined the room yet.")
        return member

    def is_here(self, member: Member) -> bool:
        """Tells whether a phone has asked within the last seconds."""
        return self._clock() - member.seen < HERE_SECONDS

    def join(self, name: str, address: str) -> str:
        """Takes a phone in; returns its token.

        Raises:
            RoomError: where the room is full, the name is taken, or too many come at once.
        """
        name = in_line(name)[:MAX_NAME]
        if name and as_seen(name) in {as_seen(member.name) for member in self}:
            raise RoomError("That name is taken: choose another, or none.")
        if address and not self._joins.take(address):
            raise RoomError("Many join at once: wait a few seconds and press again.")
        self._evict_for(address)
        token = secrets.token_urlsafe(12)
        seen = self._clock() - HERE_SECONDS + JOINING_SECONDS
        self._by_token[token] = Member(name, address, secrets.randbits(31), seen)
        return token

    def _evict_for(self, address: str) -> None:
        """Where the room is full, lets a phone go that has no answer to lose.

        It sleeps, or comes from where more phones than these come from; one of the teacher's own
        address makes way for none but its like.
        """
        if len(self) < MAX_PEOPLE:
            return
        n_from = Counter(member.address for member in self)

        def order(token: str) -> tuple[bool, int, float]:
            member = self._by_token[token]
            return not self.is_here(member), n_from[member.address], -member.seen

        def may_go(token: str) -> bool:
            member = self._by_token[token]
            if member.answer is not None or (member.address == self._home != address):
                return False
            is_crowd = member.address != self._home and n_from[member.address] > n_from[address] + 1
            return is_crowd or not self.is_here(member)

        leaving = max(filter(may_go, self._by_token), key=order, default=None)
        if leaving is None:
            raise RoomError(f"The room is full: {MAX_PEOPLE} people are in it.")
        del self._by_token[leaving]

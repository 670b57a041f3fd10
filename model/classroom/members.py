"""The phones of a room: who joins, under which name, and who makes way for whom.

A phone is known by a token that only it holds. A newcomer is never refused: in a room that is full
the phone that was silent longest makes way. A pupil's page asks every second; a stranger would have
to ask as often for each of the phones that fill a room.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from model.classroom.limits import HERE_SECONDS, JOINING_SECONDS, MAX_NAME, MAX_PHONES
from model.classroom.names import as_seen, in_line
from model.classroom.records import Answer
from model.sentences import Sentence


class RoomError(ValueError):
    """Something that a room refuses, in one sentence for whoever asked."""


@dataclass
class Member:
    """One phone."""

    name: str
    looks: str  # what all names that look like this one have in common
    network: str
    seed: int  # of its random numbers
    seen: float  # when it asked last, or joined
    has_asked: bool = False  # since it joined: a page does so at once
    answer: Answer | None = None
    answered_at: float = -1e9


class Members:
    """The phones of one room, by their tokens."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Takes the room's clock."""
        self._clock = clock
        self._by_token: dict[str, Member] = {}

    def __iter__(self) -> Iterator[Member]:
        """Gives every phone, in the order in which they joined."""
        return iter(self._by_token.values())

    def __len__(self) -> int:
        """Counts them."""
        return len(self._by_token)

    def find(self, token: str) -> Member:
        """Returns the phone of a token.

        Raises:
            RoomError: where there is none.
        """
        member = self._by_token.get(token)
        if member is None:
            raise RoomError(Sentence("This phone has not joined the room yet."))
        return member

    def ask(self, token: str) -> Member:
        """Returns the phone of a token, which has asked now.

        Raises:
            RoomError: where there is none.
        """
        member = self.find(token)
        member.seen, member.has_asked = self._clock(), True
        return member

    def is_here(self, member: Member) -> bool:
        """Returns whether a phone has asked, or else joined, within the last seconds."""
        within = HERE_SECONDS if member.has_asked else JOINING_SECONDS
        return self._clock() - member.seen < within

    def join(self, name: str, network: str) -> str:
        """Takes a phone in; returns its token.

        Raises:
            RoomError: The name is taken.
        """
        name = in_line(name)[:MAX_NAME]
        looks = as_seen(name)
        if name and any(member.looks == looks for member in self):
            raise RoomError(Sentence("That name is taken: choose another, or none."))
        if len(self) >= MAX_PHONES:
            self._evict_one()
        token = secrets.token_urlsafe(12)
        seed, seen = secrets.randbits(31), self._clock()
        self._by_token[token] = Member(name, looks, network, seed, seen)
        return token

    def _evict_one(self) -> None:
        """Removes a phone: of a script that never asked, else of a network with half of all phones.

        Of these, one that is away and did not answer goes first, then the one silent longest. Of
        those that are here an answer protects none: a stranger's phones could all have one.
        """
        half = len(self) // 2
        n_from = Counter(member.network for member in self)
        are_many_new = sum(not member.has_asked for member in self) > half

        def order(token: str) -> tuple[bool, bool, bool, bool, float]:
            member = self._by_token[token]
            is_here = self.is_here(member)
            is_silent = not member.has_asked and (are_many_new or not is_here)
            is_vote = member.answer is not None and not is_here
            return not is_silent, n_from[member.network] <= half, is_here, is_vote, member.seen

        del self._by_token[min(self._by_token, key=order)]

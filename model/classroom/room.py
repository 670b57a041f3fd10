"""Rooms: people who joined by phone, one question at a time, one answer each that counts last.

A room lives in this process and nowhere else: nothing is written to disk. A phone is known by a
token that only it holds, the teacher by the room's key. Where it comes from is known too: strangers
can neither fill a class's room nor empty it. This module knows no model and no page; every method
may be called from any thread.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from model.classroom.limits import Rate
from model.classroom.names import as_seen, in_line
from model.classroom.records import Answer, Kind, Question, Tally
from model.draw import uniform_at

MAX_PEOPLE = 100
MAX_NAME, MAX_WORD, MAX_OPTIONS = 16, 40, 8  # characters, characters, buttons
MAX_WORDS, MAX_OPTION = 300, 80  # characters of a question, and of an answer on offer
MAX_NUMBER = 1e15
IDLE_SECONDS = 2 * 3600.0  # after which a room that nobody touched is gone
ALONE_SECONDS = (
    300.0  # so is one that nobody joined, without its page: a hidden tab asks by minutes
)
AWAY_SECONDS = 15.0  # without its page, after which such a room makes way for another
JOINS_AT_ONCE, JOIN_SECONDS = 60, 2.0  # of one address: a class behind one, then one every 2 s
MIN_SECONDS_BETWEEN = 0.3  # answers of one phone
HERE_SECONDS = 15.0  # a phone that asked within these is counted as here
JOINING_SECONDS = 3.0  # so is one that has joined and never asked, within these


class RoomError(ValueError):
    """Something that a room refuses, in one sentence for whoever asked."""


@dataclass
class _Member:
    name: str
    address: str
    seed: int
    seen: float
    answer: Answer | None = None
    answered_at: float = -1e9


@dataclass(eq=False)
class Room:
    """One class."""

    code: str
    key: str  # the teacher's
    clock: Callable[[], float] = time.monotonic
    home: str = ""  # the address that the teacher came from
    version: int = 0  # rises with whatever a phone has to show anew
    text: str = ""
    link: str = ""  # of the home page, where the text can be taken over
    question: Question | None = None
    revealed: str = ""  # what a phone shows of the outcome, one sentence
    tallies: list[Tally] = field(default_factory=list)
    has_ended: bool = False
    teacher: object = None  # what the teacher's page keeps with the room
    _n_asked: int = 0
    _members: dict[str, _Member] = field(default_factory=dict)
    _is_closed: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.touched = self.page_seen = self.clock()
        self._joins = Rate(JOINS_AT_ONCE, JOIN_SECONDS, self.clock)

    # What a phone does

    def join(self, name: str = "", address: str = "") -> str:
        """Takes a person in; returns the token by which the phone is known.

        Args:
            name: what it goes by; may be empty.
            address: where it comes from; "" where that is not known.

        Raises:
            RoomError: where the room is full, the name is taken, or too many come at once.
        """
        name = in_line(name)[:MAX_NAME]
        with self._lock:
            if name and as_seen(name) in {as_seen(member.name) for member in self._everyone}:
                raise RoomError("That name is taken: choose another, or none.")
            if address and not self._joins.take(address):
                raise RoomError("Many join at once: wait a few seconds and press again.")
            self._evict_for(address)
            token = secrets.token_urlsafe(12)
            seen = self._touch() - HERE_SECONDS + JOINING_SECONDS
            self._members[token] = _Member(name, address, secrets.randbits(31), seen)
            return token

    def knows(self, token: str) -> bool:
        """Tells whether a phone has joined."""
        return token in self._members

    def answer(self, token: str, number: int, given: Answer) -> None:
        """Takes a phone's answer; the last one before the question closes counts.

        Raises:
            RoomError: where the phone is not known, the question is over or the answer is none.
        """
        with self._lock:
            member, question = self._member(token), self.question
            if question is None or question.number != number or not self.is_open:
                raise RoomError("This question is closed.")
            if self._touch() - member.answered_at < MIN_SECONDS_BETWEEN:
                raise RoomError("That was quick: wait a moment and press again.")
            member.answer = _checked(given, question)
            member.answered_at = self.touched

    def view(self, token: str) -> dict[str, Any]:
        """Returns all that a phone shows, as plain values.

        Raises:
            RoomError: where the phone is not known.
        """
        with self._lock:
            member, question = self._member(token), self.question
            member.seen = self.clock()
            shown: dict[str, Any] = {
                "version": f"{self.version}.{int(self.is_open)}",  # it also closes by itself
                "text": self.text,
                "link": self.link,
                "revealed": self.revealed,
                "question": None,
            }
            if question is not None:
                shown["question"] = vars(question) | {
                    "is_open": self.is_open,
                    "seconds_left": self.seconds_left,
                    "coin": self._coin(member) if question.kind == "sampler" else None,
                    "mine": member.answer and vars(member.answer),
                }
            return shown

    # What the teacher does

    def show_text(self, text: str, link: str) -> None:
        """Puts the text on the phones; what was asked before is over."""
        with self._lock:
            self.text, self.link, self.question, self.revealed = text, link, None, ""
            self._change()

    def ask(
        self,
        kind: Kind,
        words: str,
        options: Sequence[str],
        *,
        shares: Sequence[float] = (),
        may_write: bool = False,
        seconds: float | None = None,
    ) -> Question:
        """Asks the class; an earlier question ends.

        Raises:
            RoomError: where there are too few options to choose from, or too many.
        """
        if not may_write and not 2 <= len(options) <= MAX_OPTIONS:
            raise RoomError(f"A question needs 2 to {MAX_OPTIONS} answers to choose from.")
        with self._lock:
            self._n_asked += 1
            words, options = words[:MAX_WORDS], [option[:MAX_OPTION] for option in options]
            closes_at = None if seconds is None else self.clock() + seconds
            self.question = Question(
                self._n_asked, kind, words, tuple(options), tuple(shares), may_write, closes_at
            )
            self.revealed, self._is_closed = "", False
            for member in self._members.values():
                member.answer, member.answered_at = None, -1e9
            self._change()
            return self.question

    def close(self) -> Tally:
        """Ends the question; returns how it was answered.

        Raises:
            RoomError: where nothing has been asked.
        """
        with self._lock:
            question = self.question
            if question is None:
                raise RoomError("Nothing has been asked yet.")
            if self.tallies and self.tallies[-1].question.number == question.number:
                return self.tallies[-1]
            self._is_closed = True
            given = [answer for _, answer in self.answers()]
            chosen = Counter(answer.option for answer in given if answer.option is not None)
            words = Counter(answer.word for answer in given if answer.option is None)
            tally = Tally(
                replace(question, closes_at=None),
                tuple(chosen[i] for i in range(len(question.options))),
                tuple(words.most_common()),
            )
            self.tallies.append(tally)
            self._change()
            return tally

    def reveal(self, sentence: str) -> None:
        """Shows the phones how it came out."""
        with self._lock:
            self.revealed = sentence
            self._change()

    @property
    def is_open(self) -> bool:
        """Whether answers to the question count."""
        with self._lock:
            left = self.seconds_left
            return self.question is not None and not self._is_closed and (left is None or left > 0)

    @property
    def seconds_left(self) -> float | None:
        """Until the question closes by itself; None where it does not."""
        question = self.question  # read once: the teacher may end it at any time
        if question is None or question.closes_at is None:
            return None
        return max(0.0, question.closes_at - self.clock())

    @property
    def n_people(self) -> int:
        """How many phones are here now."""
        with self._lock:
            now = self.clock()
            return sum(now - member.seen < HERE_SECONDS for member in self._members.values())

    def answers(self) -> list[tuple[str, Answer]]:
        """Returns each answer with the name that its phone goes by, which may be empty."""
        with self._lock:
            members = self._members.values()
            return [(member.name, member.answer) for member in members if member.answer]

    def coins(self) -> list[tuple[float, Answer | None]]:
        """Returns the random number of every phone for this question, and what it answered."""
        with self._lock:
            return [(self._coin(member), member.answer) for member in self._members.values()]

    def note_page(self) -> None:
        """Notes that the teacher's page is there."""
        self.page_seen = self.clock()

    def is_left(self, seconds: float) -> bool:
        """Whether nobody ever joined, and the teacher's page has been gone for so long."""
        return not self._members and self.clock() - self.page_seen > seconds

    def is_over(self) -> bool:
        """Whether nobody has touched the room for too long."""
        return self.clock() - self.touched > IDLE_SECONDS or self.is_left(ALONE_SECONDS)

    def _coin(self, member: _Member) -> float:
        return uniform_at(member.seed, self.question.number if self.question else 0)

    @property
    def _everyone(self) -> Collection[_Member]:
        return self._members.values()

    def _evict_for(self, address: str) -> None:
        """Where the room is full, lets a phone go that has no answer to lose.

        It sleeps, or comes from where more phones than these come from; one of the teacher's own
        address makes way for none but its like.
        """
        if len(self._members) < MAX_PEOPLE:
            return
        n_from, now = Counter(member.address for member in self._everyone), self.clock()

        def order(token: str) -> tuple[bool, int, float]:
            member = self._members[token]
            is_asleep = now - member.seen >= HERE_SECONDS
            return is_asleep, n_from[member.address], -member.seen

        def may_go(token: str) -> bool:
            member = self._members[token]
            if member.answer is not None or (member.address == self.home != address):
                return False
            is_crowd = member.address != self.home and n_from[member.address] > n_from[address] + 1
            return is_crowd or now - member.seen >= HERE_SECONDS

        leaving = max(filter(may_go, self._members), key=order, default=None)
        if leaving is None:
            raise RoomError(f"The room is full: {MAX_PEOPLE} people are in it.")
        del self._members[leaving]

    def _member(self, token: str) -> _Member:
        member = self._members.get(token)
        if member is None:
            raise RoomError("This phone has not joined the room yet.")
        return member

    def _change(self) -> None:
        self.version += 1
        self._touch()

    def _touch(self) -> float:
        self.touched = self.clock()
        return self.touched


def _checked(given: Answer, question: Question) -> Answer:
    """Returns an answer as this question takes it; refuses one that it cannot take."""
    confidence = given.confidence
    if not 0 < confidence <= 1:  # what is no number at all is refused here, too
        raise RoomError("A confidence lies between 0 and 1: choose one that is offered.")
    if given.option is not None:
        if not 0 <= given.option < len(question.options):
            raise RoomError("That is none of the answers on offer.")
        return Answer(given.option, "", confidence)
    word = in_line(given.word)[:MAX_WORD]
    if not question.may_write or not word:
        raise RoomError("Choose one of the answers on offer.")
    if question.kind == "number":
        read_number(word)
    return Answer(None, word, confidence)


def read_number(written: str) -> float:
    """Returns the number that somebody wrote.

    Raises:
        RoomError: where it is none, or too large to be drawn.
    """
    try:
        number = float(written)
    except ValueError:
        number = math.nan
    if not abs(number) <= MAX_NUMBER:
        raise RoomError("Write a number, such as 12 or 0.5.")
    return number

"""Rooms: people who joined by phone, one question at a time, one answer each that counts last.

A room lives in this process and nowhere else: nothing is written to disk. Phones come by a short
code; a phone is known by a token that only it holds, the teacher by the room's key. This module
knows no model and no page; every method may be called from any thread.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from model.classroom.records import Answer, Kind, Question, Tally
from model.draw import uniform_at

MAX_PEOPLE = 100
MAX_ROOMS = 50
MAX_NAME, MAX_WORD, MAX_OPTIONS = 16, 40, 8  # characters, characters, buttons
MAX_MARKS = 2  # on top of one letter
MAX_NUMBER = 1e15
IDLE_SECONDS = 2 * 3600.0  # after which a room that nobody touched is gone
MIN_SECONDS_BETWEEN = 0.3  # answers of one phone
HERE_SECONDS = 15.0  # a phone that asked within these is counted as here
JOINING_SECONDS = 3.0  # so is one that has joined and never asked, within these
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels: no words; nothing that is read as a digit


class RoomError(ValueError):
    """Something that a room refuses, in one sentence for whoever asked."""


@dataclass
class _Member:
    name: str
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
    version: int = 0  # rises with whatever a phone has to show anew
    text: str = ""
    link: str = ""  # of the home page, where the text can be taken over
    question: Question | None = None
    revealed: str = ""  # what a phone shows of the outcome, one sentence
    tallies: list[Tally] = field(default_factory=list)
    desk: object = None  # what the teacher's page keeps with the room
    _n_asked: int = 0
    _members: dict[str, _Member] = field(default_factory=dict)
    _is_closed: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.touched = self.clock()

    # What a phone does

    def join(self, name: str = "") -> str:
        """Takes a person in; returns the token by which the phone is known.

        Raises:
            RoomError: where the room is full or the name is taken.
        """
        name = _in_line(name)[:MAX_NAME]
        with self._lock:
            self._make_room()
            taken = {member.name.lower() for member in self._members.values() if member.name}
            if name.lower() in taken:
                raise RoomError("That name is taken: choose another, or none.")
            token = secrets.token_urlsafe(12)
            seen = self._touch() - HERE_SECONDS + JOINING_SECONDS
            self._members[token] = _Member(name, secrets.randbits(31), seen)
            return token

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
        left = self.seconds_left
        return self.question is not None and not self._is_closed and (left is None or left > 0)

    @property
    def seconds_left(self) -> float | None:
        """Until the question closes by itself; None where it does not."""
        if self.question is None or self.question.closes_at is None:
            return None
        return max(0.0, self.question.closes_at - self.clock())

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

    def is_idle(self) -> bool:
        """Whether nobody has touched the room for too long."""
        return self.clock() - self.touched > IDLE_SECONDS

    def _coin(self, member: _Member) -> float:
        return uniform_at(member.seed, self.question.number if self.question else 0)

    def _make_room(self) -> None:
        """Lets the phone go that was not seen for longest where the room is full, if it may go."""
        if len(self._members) < MAX_PEOPLE:
            return
        token, oldest = min(self._members.items(), key=lambda item: item[1].seen)
        if self.clock() - oldest.seen < HERE_SECONDS:
            raise RoomError(f"The room is full: {MAX_PEOPLE} people are in it.")
        del self._members[token]

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
    word = _in_line(given.word)[:MAX_WORD]
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


def _in_line(text: str) -> str:
    """Returns a text in one line, without what is invisible, turns it round or piles marks up."""
    kept: list[str] = []
    for letter in unicodedata.normalize("NFC", text):
        kind = unicodedata.category(letter)
        is_piled = kind == "Mn" and all(unicodedata.combining(mark) for mark in kept[-MAX_MARKS:])
        if letter.isspace() or not (kind.startswith("C") or is_piled):
            kept.append(letter)
    return " ".join("".join(kept).split())


# All rooms of this process

_rooms: dict[str, Room] = {}
_lock = threading.Lock()


def open_room() -> Room:
    """Opens a room with a code of its own; rooms that nobody touched for long make way.

    Raises:
        RoomError: where there are too many.
    """
    with _lock:
        for code in [code for code, room in _rooms.items() if room.is_idle()]:
            del _rooms[code]
        if len(_rooms) >= MAX_ROOMS:
            raise RoomError(f"{MAX_ROOMS} rooms are open here: end one first.")
        code = next(code for code in iter(_new_code, "") if code not in _rooms)
        _rooms[code] = Room(code, secrets.token_urlsafe(16))
        return _rooms[code]


def find_room(code: str) -> Room:
    """Returns the room of a code.

    Raises:
        RoomError: where there is none.
    """
    room = _rooms.get(code.strip().upper())
    if room is None or room.is_idle():
        raise RoomError("There is no such room: ask for the code again.")
    return room


def end_room(room: Room) -> None:
    """Ends a room; its phones are told that there is none."""
    with _lock:
        _rooms.pop(room.code, None)


def _new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(4))

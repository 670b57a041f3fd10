"""Rooms: people who joined by phone, one question at a time, one answer each that counts last.

A room has one state, and three views of it: each phone's, the projector's, and the desk's, which is
the teacher's. It lives in this process and nowhere else: nothing is written to disk. The desk is
known by the room's key. This module knows no model and no page; any thread may call any method.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from model.classroom.answers import checked, read_number
from model.classroom.limits import (
    ALONE_SECONDS,
    HERE_SECONDS,
    IDLE_SECONDS,
    IN_USE,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_WORDS,
    MIN_SECONDS_BETWEEN,
)
from model.classroom.members import Member, Members, RoomError
from model.classroom.names import as_seen, in_line
from model.classroom.records import (
    Answer,
    Closing,
    Desk,
    Outcome,
    Question,
    QuestionKind,
    SceneShown,
    Spoken,
    Tally,
)
from model.draw import uniform_at
from model.sentences import Sentence


@dataclass(eq=False)
class Room:
    """One class."""

    code: str
    key: str  # the teacher's
    clock: Callable[[], float] = time.monotonic
    network: str = ""  # where the teacher comes from
    reader: str = ""  # the browser tab in which it was opened
    version: int = 0  # rises with whatever a phone has to show anew
    text: str = ""
    link: str = ""  # of the home page, where the text can be taken over
    question: Question | None = None
    scene: SceneShown | None = None
    outcome: Outcome | None = None  # of the question that was closed
    revealed: str = ""  # how it came out, one sentence
    explained: str = ""  # what to remember of it
    right: str = ""  # the right answer, once it was revealed; empty where there is none
    tallies: list[Tally] = field(default_factory=list)
    has_ended: bool = False
    closing: Closing | None = None  # once its teacher has closed it
    spoken: Spoken | None = None  # the desk's language
    teacher: Desk | None = None
    _n_asked: int = 0
    _is_closed: bool = False
    _hands: list[Answer] = field(default_factory=list)  # answers that the teacher counted
    _removed: set[str] = field(default_factory=set)  # words of this question, as eyes see them
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.touched = self.page_seen = self.clock()
        self._members = Members(self.clock)
        self._asked_at: deque[float] = deque(maxlen=IN_USE)  # when a page of it asked

    # What a phone does

    def join(self, name: str = "", network: str = "") -> str:
        """Takes a person in; returns the token by which the phone is known.

        Args:
            name: what it goes by; may be empty.
            network: where it comes from; "" where that is not known.

        Raises:
            RoomError: where the name is taken.
        """
        with self._lock:
            if self.closing is not None:
                raise RoomError(Sentence("This lesson is over: its room is closed."))
            token = self._members.join(name, network)
            self._touch()
            return token

    def check_phone(self, token: str) -> None:
        """Raises RoomError if a phone has not joined."""
        self._members.find(token)

    def answer(self, token: str, number: int, given: Answer) -> None:
        """Takes a phone's answer; the last one before the question closes counts.

        Raises:
            RoomError: where the phone is not known, the question is over or the answer is none.
        """
        with self._lock:
            member, question = self._members.ask(token), self.question
            if question is None or question.number != number or not self.is_open:
                raise RoomError(Sentence("This question is closed."))
            if self._touch() - member.answered_at < MIN_SECONDS_BETWEEN:
                raise RoomError(Sentence("That was quick: wait a moment and press again."))
            answer = checked(given, question)
            if as_seen(answer.word) in self._removed:
                raise RoomError(Sentence("Your teacher took this word away: choose another one."))
            member.answer, member.answered_at = answer, self.touched

    def view(self, token: str) -> dict[str, Any]:
        """Returns all that a phone shows, as plain values.

        Raises:
            RoomError: where the phone is not known.
        """
        with self._lock:
            member, question = self._members.ask(token), self.question
            self._asked_at.append(self.clock())
            # a question also closes by itself
            version = f"{self.version}.{int(self.is_open)}"
            more = {"version": version, "link": self.link, "right": self.right}
            shown = self._seen_by_all() | more
            if question is not None:
                shown["question"] |= {
                    "pointer": self._pointer(member) if question.kind == "sampler" else None,
                    "mine": member.answer and vars(member.answer),
                    "is_right": self._is_right(member.answer),
                }
            return shown

    def screen(self) -> dict[str, Any]:
        """Returns all that the projector shows: nothing but what is for the class."""
        with self._lock:
            self._asked_at.append(self.clock())
            counts = {"n_answers": len(self.answers()), "n_people": self.n_people}
            version = ".".join(map(str, (self.version, int(self.is_open), *counts.values())))
            is_drawn = self.question and self.question.kind == "sampler" and not self.is_open
            fell = [pointer for pointer, _ in self.pointers()] if is_drawn else []
            more = {"version": version, "pointers": fell, "has_begun": self._n_asked > 0}
            more["desk"] = self.spoken and asdict(self.spoken)
            return self._seen_by_all() | counts | more

    def _seen_by_all(self) -> dict[str, Any]:
        time = {"is_open": self.is_open, "seconds_left": self.seconds_left}
        return {
            "text": self.text,
            "scene": self.scene and asdict(self.scene.seen(is_explained=bool(self.explained))),
            "question": self.question and asdict(self.question) | time,
            "outcome": self.outcome and asdict(self.outcome),
            "revealed": self.revealed,
            "explained": self.explained,
            "closing": self.closing and asdict(self.closing),
        }

    def _is_right(self, answer: Answer | None) -> bool | None:
        """Tells whether an answer is right; None where that is not known, or nothing was said."""
        question = self.question
        if answer is None or question is None or not self.right:
            return None
        said = answer.word if answer.option is None else question.options[answer.option]
        if question.kind == "number":
            return read_number(said) == read_number(self.right)
        return said.casefold() == self.right.casefold()

    # What the teacher does

    def show_text(self, text: str, link: str) -> None:
        """Puts the text on the screens; a question that is still open is over."""
        with self._lock:
            self.text, self.link = text, link
            if self.is_open:
                self.clear()
            self._change()

    def show_scene(self, scene: SceneShown | None) -> None:
        """Puts a scene on the screens."""
        with self._lock:
            self.scene = scene
            self._change()

    def show_page(self, is_shown: bool) -> None:
        """Shows the page of the scene on the projector, or takes it away."""
        with self._lock:
            if self.scene is not None:
                self.show_scene(replace(self.scene, is_page_shown=is_shown))

    def show_outcome(self, outcome: Outcome) -> None:
        """Puts how a question was answered on the screens."""
        with self._lock:
            self.outcome = outcome
            self._change()

    def show_closing(self, lesson: str) -> None:
        """Says on every screen that the lesson is over; nothing can be asked or answered then."""
        with self._lock:
            self.clear()
            asked = {(tally.question.words, tally.question.options) for tally in self.tallies}
            self.closing = Closing(len(asked), len(self._members), lesson)
            self._change()

    def clear(self) -> None:
        """Takes the question and its answers from the screens."""
        with self._lock:
            self.question, self.outcome = None, None
            self.revealed, self.explained, self.right = "", "", ""
            self._change()

    def ask(
        self,
        kind: QuestionKind,
        words: str,
        options: Sequence[str],
        *,
        shares: Sequence[float] = (),
        has_rest: bool = False,
        may_write: bool = False,
        seconds: float | None = None,
        spoken: Spoken | None = None,
        setting: str = "",
        is_whole: bool = False,
    ) -> Question:
        """Asks the class; an earlier question ends.

        Raises:
            RoomError: where there are too few options to choose from, or too many.
        """
        if not may_write and not 2 <= len(options) <= MAX_OPTIONS:
            raise RoomError(
                Sentence("A question needs 2 to {most} answers to choose from.", most=MAX_OPTIONS)
            )
        with self._lock:
            self.clear()
            self.show_page(False)
            self._n_asked += 1
            words = _at_most(words, MAX_WORDS)
            options = [_at_most(option, MAX_OPTION) for option in options]
            closes_at = None if seconds is None else self.clock() + seconds
            self.question = Question(
                self._n_asked,
                kind,
                words,
                tuple(options),
                tuple(shares),
                has_rest,
                may_write,
                closes_at,
                spoken,
                setting,
                is_whole,
            )
            self._is_closed, self._hands, self._removed = False, [], set()
            for member in self._members:
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
                raise RoomError(Sentence("Nothing has been asked yet."))
            self._is_closed = True
            if self.tallies and self.tallies[-1].question.number == question.number:
                self.tallies.pop()  # counted anew: hands were added, or a word was removed
            given = [answer for _, answer in self.answers()]
            chosen = Counter(answer.option for answer in given if answer.option is not None)
            counts = tuple(chosen[i] for i in range(len(question.options)))
            tally = Tally(replace(question, closes_at=None), counts, tuple(self.written()))
            self.tallies.append(tally)
            self._change()
            return tally

    def count_hands(self, answers: Sequence[Answer]) -> None:
        """Adds answers without phones, in place of those that were added before.

        Raises:
            RoomError: Nothing was asked, or an answer is none of this question's.
        """
        with self._lock:
            question = self.question
            if question is None:
                raise RoomError(Sentence("Ask a question first: hands answer it."))
            self._hands = [checked(answer, question) for answer in answers]
            self._change()

    def remove_word(self, word: str) -> None:
        """Removes a written answer from this question; no phone can write it again.

        Raises:
            RoomError: It is no word.
        """
        with self._lock:
            seen = as_seen(in_line(word))
            if not seen:
                raise RoomError(Sentence("Choose one of the words that were written."))
            self._removed.add(seen)
            self._hands = [answer for answer in self._hands if as_seen(answer.word) != seen]
            for member in self._members:
                if member.answer and member.answer.word and as_seen(member.answer.word) == seen:
                    member.answer = None
            self._change()

    def reveal(self, sentence: str, right: str = "", explained: str = "") -> None:
        """Shows how it came out, and what is right and why where that is known."""
        with self._lock:
            self.revealed, self.right, self.explained = sentence, right, explained
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
            return sum(map(self._members.is_here, self._members))

    def answers(self) -> list[tuple[str, Answer]]:
        """Returns each answer with the name that its phone goes by, which may be empty."""
        with self._lock:
            of_phones = [(member.name, member.answer) for member in self._members if member.answer]
            return [*of_phones, *(("", answer) for answer in self._hands)]

    def written(self) -> list[tuple[str, int]]:
        """Returns the words that were written, the most frequent first; alike ones are one."""
        words = [answer.word for _, answer in self.answers() if answer.option is None]
        spelled = {as_seen(one): one for one, _ in reversed(Counter(words).most_common())}
        return Counter(spelled[as_seen(word)] for word in words).most_common()

    def pointers(self) -> list[tuple[float, Answer | None]]:
        """Returns the random number of each phone that is here or answered, and what it said."""
        with self._lock:
            those = [one for one in self._members if one.answer or self._members.is_here(one)]
            return [(self._pointer(member), member.answer) for member in those]

    def thinking(self) -> list[str]:
        """Returns the names of the phones that are here and have not answered; some are empty."""
        with self._lock:
            here = filter(self._members.is_here, self._members)
            return sorted(member.name for member in here if member.answer is None)

    def note_page(self) -> None:
        """Notes that the desk is there."""
        self.page_seen = self.clock()

    @property
    def is_in_use(self) -> bool:
        """Whether its phones, its desk and its projector ask often enough."""
        times = tuple(self._asked_at)
        return len(times) == IN_USE and self.clock() - times[0] < HERE_SECONDS

    def is_left(self, seconds: float) -> bool:
        """Whether nobody ever joined, and the desk has been gone for so long."""
        return not len(self._members) and self.clock() - self.page_seen > seconds

    def is_over(self) -> bool:
        """Whether nobody has touched the room for too long."""
        is_left = self.closing is None and self.is_left(ALONE_SECONDS)
        return self.clock() - self.touched > IDLE_SECONDS or is_left

    def _pointer(self, member: Member) -> float:
        return uniform_at(member.seed, self.question.number if self.question else 0)

    def _change(self) -> None:
        self.version += 1
        self._touch()

    def _touch(self) -> float:
        self.touched = self.clock()
        return self.touched


def _at_most(text: str, limit: int) -> str:
    """Returns a text that is not too long as it is: a sentence can still be translated."""
    return text if len(text) <= limit else text[:limit]

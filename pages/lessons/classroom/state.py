"""What a teacher has on the page of the class: the room, the text, and the question that is open.

Knows nothing of Streamlit. A question goes through three states: open, closed with its figure on
the projector, and answered, once a token has been appended.
"""

from __future__ import annotations

import csv
import io
import math
import os
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from itertools import chain
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode

import numpy as np

from model.classroom.limits import network_of
from model.classroom.records import ClassRound, ClassScore, Kind, Tally
from model.classroom.room import MAX_OPTION, MAX_WORDS, Room, read_number
from model.classroom.rooms import end_room, open_room
from model.classroom.rounds import Votes, landing
from model.draw import best_ids
from model.generation import Generation
from model.masks import log_softmax
from model.sampling import Settings
from model.tokenizing import encode, label
from pages.frame.lesson_state import LessonState
from viz.format import guard, in_full, percent
from viz.labels import in_sentence

P = ParamSpec("P")
N_OFFERED = 5  # buttons of a question for the next token
N_SEGMENTS = 5  # tokens of the sampler's bar that have a segment of their own


def copy_letters() -> str:
    """Return with which letters the codes of this copy of the app begin, as its operator says."""
    letters = os.environ.get("ONE_TOKEN_COPY", "").strip().upper()
    return letters if letters.isascii() and letters.isalpha() and len(letters) <= 2 else ""


def one_at_a_time(
    press: Callable[Concatenate[Classroom, P], None],
) -> Callable[Concatenate[Classroom, P], None]:
    """Try a press once another one is done: a teacher may have two pages of one room."""

    @wraps(press)
    def waiting(lesson: Classroom, /, *args: P.args, **kwargs: P.kwargs) -> None:
        with lesson.lock, lesson.attempt():
            press(lesson, *args, **kwargs)

    return waiting


@dataclass
class Classroom(LessonState):
    """All that a teacher has on the page."""

    generation: Generation
    prompt: str
    room: Room | None = None
    script_ids: list[int] = field(default_factory=list)  # the true text, where there is one
    offered: list[int] = field(default_factory=list)  # the token of each button
    tally: Tally | None = None  # of the question that was closed last
    votes: Votes | None = None  # where that was for the next token
    found: ClassRound | None = None
    score: ClassScore | None = None
    landed: list[int] = field(default_factory=list)
    n_right: int = 0  # taps where the phone's number truly fell
    truth: float | None = None  # of the number that was asked for last, where it is known
    is_told: bool = False  # the class has seen it
    lock: threading.RLock = field(default_factory=threading.RLock)

    # The room

    def open(self, room: Room | None = None, *, address: str | None = None) -> None:
        """Open a room for a teacher who comes from an address, or go on with one."""
        with self.attempt():
            self.room = room or open_room(network_of(address), copy_letters())
            self.room.teacher = self
            self._show_text()

    def end(self) -> None:
        """End the room."""
        if self.room is not None:
            end_room(self.room)
        self._forget_answers()
        self.room = None

    @one_at_a_time
    def start(self, prompt: str, script: str = "") -> None:
        """Begin with another text; one that cannot be read leaves the old one."""
        generation = Generation(self.lm, prompt)
        self.script_ids = encode(self.lm, prompt + script) if script.strip() else []
        self.generation, self.prompt = generation, prompt
        self._forget_answers()
        self._show_text()

    # Asking

    @one_at_a_time
    def ask_next(self, *, may_write: bool, seconds: float | None) -> None:
        """Ask for the next token: the model's best ones on buttons, shuffled."""
        self._check_end()
        best = best_ids(self.generation.logits, N_OFFERED).tolist()
        true_id = self.true_id
        if true_id is not None and true_id not in best:
            best[-1] = true_id
        random.Random(len(self.generation.ids)).shuffle(best)
        self.offered = best
        self._ask(
            "next", "What comes next?", self._labels(best), may_write=may_write, seconds=seconds
        )

    @one_at_a_time
    def ask_draws(self, *, seconds: float | None) -> None:
        """Give each phone a random number, and ask on which token it falls."""
        self._check_end()
        probs = np.exp(log_softmax(self.generation.logits))
        self.offered = best_ids(self.generation.logits, N_SEGMENTS).tolist()
        shares = [float(probs[i]) for i in self.offered]
        shares.append(max(0.0, 1 - math.fsum(shares)))
        labels = [*self._labels(self.offered), "any other token"]
        words = "You are the sampler: on which token does your number fall?"
        self._ask("sampler", words, labels, shares=shares, seconds=seconds)

    @one_at_a_time
    def ask_own(self, words: str, options: str, truth: str = "", *, seconds: float | None) -> None:
        """Ask a question of the teacher's own: an answer a line; without any, for a number."""
        lines = [line.strip()[:MAX_OPTION] for line in options.splitlines() if line.strip()]
        words = " ".join(words.split())[:MAX_WORDS]
        if lines:
            self._ask("choice", words or "Which?", list(dict.fromkeys(lines)), seconds=seconds)
            return
        known = read_number(truth) if truth.strip() else None
        self._ask("number", words or "Which number?", [], may_write=True, seconds=seconds)
        self.truth, self.is_told = known, False

    @one_at_a_time
    def ask_again(self) -> None:
        """Ask the question that was closed last again, after a discussion."""
        if self.tally is not None:
            asked = self.tally.question
            self._ask(asked.kind, asked.words, list(asked.options), may_write=asked.may_write)

    # What came of it

    @one_at_a_time
    def close(self) -> None:
        """Close the question, and count."""
        room = self.room
        if room is None or room.question is None or self.tally is not None:
            return
        self.tally = room.close()
        if room.question.kind == "next":
            text, offered = self.generation, self.offered
            self.votes = Votes(self.lm, text.ids, offered, room.answers())
            logits = text.logits_with({*offered, *chain.from_iterable(self.votes.shares)})
            self.found = self.votes.beside(logits, offered)
        elif room.question.kind == "sampler":
            shares = room.question.shares
            falls = [(landing(shares, coin), answer) for coin, answer in room.coins()]
            self.landed = [sum(place == i for place, _ in falls) for i in range(len(shares))]
            self.n_right = sum(answer is not None and answer.option == i for i, answer in falls)

    @one_at_a_time
    def tell(self) -> None:
        """Show the true number: a class that votes again must not know it before."""
        if self.room is not None and self.truth is not None:
            self.is_told = True
            self.room.reveal(f"The true number is {in_full(self.truth)}.")

    @one_at_a_time
    def append(self, token_id: int | None = None, *, is_scored: bool = True) -> None:
        """Append a token: the given one, else the one on which the text's own coin falls."""
        room = self.room
        if room is None:
            return
        self._check_end()
        if self.has_appended:
            self._forget_answers()  # of a position that has had its token
        logits = self.generation.logits_for(Settings(), token_id=token_id)
        step = self.generation.step(token_id=token_id)
        sentence = f"{in_sentence(self._labels([step.token_id])[0])} was appended."
        if self.votes is not None and self.votes.answers and is_scored:
            self.score = score = self.votes.score(logits, step.token_id)
            bits = f"{score.class_bits:.1f} bits, the model {score.model_bits:.1f}"
            sentence += f" It cost the class {bits}."
            # the token that came has its bars as well
            self.found = self.votes.beside(logits, [*self.offered, step.token_id])
        self._show_text()
        room.reveal(sentence)

    @one_at_a_time
    def back(self) -> None:
        """Take the last token back."""
        if self.generation.steps:
            self.generation.rewind()
            self._forget_answers()
            self._show_text()

    @property
    def true_id(self) -> int | None:
        """The token that comes next in the true text; None where there is none."""
        n = len(self.generation.ids)
        is_on_script = self.script_ids[:n] == self.generation.ids
        return self.script_ids[n] if is_on_script and n < len(self.script_ids) else None

    @property
    def favourite_id(self) -> int | None:
        """The token with the most votes; None where nobody voted."""
        rows = [] if self.found is None else [row for row in self.found.rows if row.n_votes]
        return max(rows, key=lambda row: (row.n_votes, row.model_prob)).token_id if rows else None

    @property
    def has_appended(self) -> bool:
        """Whether the question that was closed last has had its token."""
        return self.votes is not None and len(self.generation.ids) != self.votes.position

    @property
    def earlier(self) -> Tally | None:
        """The answers of the first time the same question was asked, where it was asked twice."""
        if self.room is None or self.tally is None:
            return None
        same = [
            tally
            for tally in self.room.tallies
            if tally.question.words == self.tally.question.words
            and tally.question.options == self.tally.question.options
        ]
        return same[0] if len(same) > 1 else None

    def to_csv(self) -> str:
        """Write what was asked and how often each answer was given: nobody's name is in it."""
        if self.room is None:
            return ""
        out = io.StringIO()
        table = csv.writer(out)
        table.writerow(("question", "kind", "words", "answer", "votes", "probability"))
        for tally in self.room.tallies:
            asked = tally.question
            head = (asked.number, asked.kind, guard(asked.words))
            shares = [percent(share) for share in asked.shares] or [""] * len(asked.options)
            for name, n_votes, share in zip(asked.options, tally.counts, shares, strict=True):
                table.writerow((*head, guard(name), n_votes, share))
            for word, n_votes in tally.words:
                table.writerow((*head, guard(word), n_votes, ""))
        return out.getvalue()

    def _ask(self, kind: Kind, words: str, options: list[str], **more: Any) -> None:
        if self.room is not None:
            self.room.ask(kind, words, options, **more)
            self._forget_answers()

    def _forget_answers(self) -> None:
        self.tally = self.votes = self.found = self.score = None
        self.landed, self.n_right = [], 0

    def _labels(self, ids: list[int]) -> list[str]:
        return [label(self.lm.tokenizer, i) for i in ids]

    def _check_end(self) -> None:
        if self.generation.finished:
            raise ValueError("The text has ended: take the last token back, or begin another one.")

    def _show_text(self) -> None:
        """Put the text on the phones; what was answered stays on the projector."""
        if self.room is not None:
            self.room.show_text(self.generation.text, self._link())

    def _link(self) -> str:
        """Return the query of the home page that shows this text, there to be taken over."""
        steps = self.generation.steps
        parts = {"model": self.lm.name, "prompt": self.prompt, "hold": "1"}  # each step stays
        if steps:
            forced = ",".join(f"{i}:{step.token_id}" for i, step in enumerate(steps))
            parts |= {"run": str(len(steps)), "forced": forced}
        return "?" + urlencode(parts)

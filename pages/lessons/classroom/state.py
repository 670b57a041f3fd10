"""What a teacher presses: the text of a room, its script, and the question that is asked.

Knows nothing of Streamlit or of the wire. A question goes through three states: open; closed, with
its votes on the screens; and revealed, with what is right or what the model gave beside them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal, TypeAlias

from model.classroom.answers import read_number
from model.classroom.limits import MAX_OPTION, MAX_PHONES, MAX_WORDS
from model.classroom.members import RoomError
from model.classroom.records import Answer, Question, QuestionKind, SceneShown, Tally, WordsAndRoles
from model.classroom.room import Room
from model.classroom.rooms import close_room, open_room
from model.classroom.rounds import Votes, first_of_two, landed
from model.language_model import LanguageModel
from model.sentences import Numeral, Sentence, joined
from model.typed import parts_typed
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.typed import numbers_typed
from pages.frame.words import N_, _, language
from pages.lessons.classroom.copies import copy_letters
from pages.lessons.classroom.end import end_of
from pages.lessons.classroom.one_at_a_time import one_at_a_time
from pages.lessons.classroom.picture import answered, scene_of
from pages.lessons.classroom.script import WORDS, Item, Script, plan, prompt_of, speech_of
from pages.lessons.classroom.text import OF_CHANCE, ClassText
from pages.lessons.tour.said import plain
from pages.lessons.tour.scenes import read_lesson
from viz.classroom.bars import beside, counted, drawn, given, numbers
from viz.format import in_full

How: TypeAlias = Literal["draw", "favourite", "true"]
SAID: dict[How, str] = {
    "draw": N_("The model drew “{word}”."),
    "favourite": N_("The class chose “{word}”."),
    "true": N_("Then comes “{word}”."),
}


def open_class(lm: LanguageModel, network: str = "", reader: str = "") -> Classroom:
    """Opens a room for a teacher, by their network and their browser tab.

    Raises:
        ValueError: One sentence, if the model cannot begin.
    """
    text = ClassText(lm, DEFAULT_PROMPT)
    room = open_room(network, reader, copy_letters())
    room.teacher = desk = Classroom(room, text, Script(plan()))
    desk.show_text()
    return desk


@dataclass(eq=False)
class Classroom:
    """A room and its text. A press that cannot be raises a ValueError of one sentence."""

    room: Room
    text: ClassText
    script: Script = field(default_factory=Script)
    place: int = -1  # of the script's question that was asked last
    story: WordsAndRoles = ()  # the text that was written last, and what was appended to it
    offered: list[int] = field(default_factory=list)  # the token of each button
    tally: Tally | None = None  # of the question that was closed last
    votes: Votes | None = None  # where that was for the next token
    right: str = ""  # what Reveal shows as right; empty where nothing is, or it is not known
    about: str = ""  # and what the desk says about it
    remember: str = ""  # one sentence of the scene, which Reveal shows to end its question with
    is_revealed: bool = False
    was_page_shown: bool = False  # once that was
    n_presses: int = 0  # that a desk has done
    lock: threading.RLock = field(default_factory=threading.RLock)

    @one_at_a_time
    def press(self, number: int, do: Callable[[], None]) -> bool:
        """Does the press of a number once; returns whether this was the first of that number.

        Args:
            number: How many presses had been done when a person pressed.
            do: What was pressed; if it raises, the number stays free.
        """
        if number != self.n_presses:
            return False
        do()
        self.n_presses += 1
        return True

    # The text

    @one_at_a_time
    def begin(self, prompt: str, continuation: str = "") -> None:
        """Begins with another text; one that cannot be read leaves the old one."""
        self.text = ClassText(self.text.lm, prompt, continuation)
        self._clear()
        self.show_text()

    @one_at_a_time
    def append(self, how: How = "draw") -> None:
        """Appends a token: as the model draws, as the class likes best, or as the text goes on."""
        token_id = {"draw": None, "favourite": self.favourite_id, "true": self.text.true_id}[how]
        if how != "draw" and token_id is None:
            raise RoomError(Sentence("No such token is known: let the model draw one."))
        votes = None if self.has_appended else self.votes
        logits = self.text.logits(token_id)
        came = self.text.append(token_id)
        self.story = self.text.story()
        if votes is None and not self._is_of("sampler"):
            self._clear()  # what was answered is about something else
        word = self.text.words([came])[0]
        said: list[str] = [Sentence(SAID[how], word=word)]
        if votes is not None:
            self.is_revealed = True
            found = votes.beside(logits, [*self.offered, came])
            self.room.show_outcome(beside(found, came, self.offered))
            if how != "favourite":
                said += given(votes.score(logits, came), len(votes.answers))
        self.show_text()
        self.room.reveal(joined(said), word if how == "true" else "")

    @one_at_a_time
    def back(self) -> None:
        """Takes the last token back."""
        if self.text.generation.steps:
            self.text.generation.rewind()
            self.story = self.text.story()
            self._clear()
            self.show_text()

    def show_text(self) -> None:
        """Puts the text on the screens, with the link by which a phone takes it over."""
        self.room.show_text(self.text.generation.text, self.text.link())

    # The script

    @one_at_a_time
    def open_script(self, name: str) -> None:
        """Takes a lesson for the script; an empty name takes none."""
        self.script, self.place = Script(read_lesson(name) if name else None), -1
        self._show(None)

    @one_at_a_time
    def show_scene(self, place: int) -> None:
        """Shows the scene of one of the script's questions, and asks nothing yet."""
        item = self.script.put(place)
        self.place = place - 1
        self._show(scene_of(self.text.lm, item, self.script.spoken))

    @one_at_a_time
    def ask_item(
        self, place: int, *, may_write: bool = False, seconds: float | None = None
    ) -> None:
        """Puts one of the script's questions to the phones; pupils may write a next token."""
        item = self.script.put(place)
        if item.kind == "own":
            self._ask_scene(item, seconds)
        else:
            prompt = prompt_of(item.scene)
            if prompt and (prompt != self.text.prompt or self.text.generation.steps):
                self.begin(prompt)
            if item.kind == "next":
                self.ask_next(may_write=may_write, seconds=seconds)
            else:
                self.ask_draws(seconds=seconds, says_setting=item.says_setting)
        self.place = place
        self.remember = item.remember
        self.room.show_scene(scene_of(self.text.lm, item, self.script.spoken))

    def _ask_scene(self, item: Item, seconds: float | None) -> None:
        scene, choices = item.scene, [plain(choice) for choice in item.scene.choices]
        kind: QuestionKind = "choice" if choices or scene.reply == "a word" else "number"
        more = {"may_write": not choices, "seconds": seconds, "spoken": self.script.spoken}
        more["is_whole"] = kind == "number" and scene.right.isdecimal()
        self._ask(kind, item.question, choices, **more)
        self.right, self.about = plain(scene.right), plain(scene.answer)

    @one_at_a_time
    def show_end(self) -> None:
        """Shows what to remember, and where to go on."""
        if self.script.lesson is None:
            raise RoomError(Sentence("There is no script: choose one first."))
        self._show(end_of(self.script.lesson, self.room.tallies, self.story))

    @one_at_a_time
    def show_page(self, is_shown: bool) -> None:
        """Shows the page of the scene on the projector, or takes it away."""
        if not self.has_page:
            raise RoomError(Sentence("No scene is shown: choose one of the script."))
        self.was_page_shown |= is_shown and self.is_revealed
        self.room.show_page(is_shown)

    @property
    def has_page(self) -> bool:
        """Whether a scene is shown whose page shows more than the room does."""
        return bool(self.room.scene and self.room.scene.address)

    @property
    def n_items(self) -> int:
        """The number of the script's questions; 0 without one."""
        return len(self.script.items)

    def _show(self, scene: SceneShown | None) -> None:
        self._clear()
        self.room.show_scene(scene)

    # Asking

    @one_at_a_time
    def ask_next(self, *, may_write: bool = False, seconds: float | None = None) -> None:
        """Asks for the next token: the model's best ones on buttons."""
        offered = self.text.offer()
        names = self.text.words(offered)
        self._ask("next", WORDS["next"], names, may_write=may_write, seconds=seconds)
        self.offered = offered

    @one_at_a_time
    def ask_draws(self, *, seconds: float | None = None, says_setting: bool = True) -> None:
        """Gives each phone a random number, and asks on which segment of the bar it falls."""
        bar = self.text.segments()
        more = {"shares": bar.shares, "has_rest": bar.has_rest}
        more["setting"] = bar.setting if says_setting else ""
        self._ask("sampler", WORDS["sampler"], bar.options, seconds=seconds, **more)

    @one_at_a_time
    def ask_own(
        self, words: str, options: str, right: str = "", *, seconds: float | None = None
    ) -> None:
        """Asks a question of the teacher's own: an answer a line; without any, for a number."""
        written = [line.strip()[:MAX_OPTION] for line in options.splitlines() if line.strip()]
        lines = list(dict.fromkeys(written))
        words, right = " ".join(words.split())[:MAX_WORDS], right.strip()
        if right and lines and right not in lines:
            raise RoomError(Sentence("What is right has to be one of the answers."))
        if right and not lines:
            read_number(right)
        # a teacher writes in the language of the desk
        spoken = speech_of(language())
        if lines:
            self._ask("choice", words or _("Which?"), lines, seconds=seconds, spoken=spoken)
        else:
            more = {"may_write": True, "seconds": seconds, "spoken": spoken}
            self._ask("number", words or _("Which number?"), [], **more)
        self.right = right
        self.room.show_scene(None)

    @one_at_a_time
    def ask_again(self) -> None:
        """Asks the question that was closed last again, after a discussion."""
        if self.tally is None or self.has_appended:
            raise RoomError(Sentence("Nothing was closed that could be asked again."))
        asked = self.tally.question
        kept = self.offered, self.right, self.about, self.remember
        same = ("shares", "has_rest", "may_write", "spoken", "setting", "is_whole")
        more = {name: getattr(asked, name) for name in same}
        self._ask(asked.kind, asked.words, asked.options, **more)
        self.offered, self.right, self.about, self.remember = kept

    def _ask(self, kind: QuestionKind, words: str, options: Sequence[str], **more: Any) -> None:
        self.room.ask(kind, words, options, **more)
        self._forget()

    # What came of it

    @one_at_a_time
    def close(self) -> None:
        """Closes the question, and shows the votes."""
        if self.room.question is not None and self.tally is None:
            self._count()

    @one_at_a_time
    def count_hands(self, counts: Sequence[int], words: str = "") -> None:
        """Adds votes by a show of hands, and closes the question.

        Args:
            counts: Hands for each answer on offer.
            words: What was said where none is on offer, with commas between.
        """
        question = self._check_countable()
        if question.kind == "sampler":
            raise RoomError(Sentence("A pointer needs a phone: append the model’s draw instead."))
        if len(counts) > len(question.options) or not all(0 <= n <= MAX_PHONES for n in counts):
            raise RoomError(
                Sentence(
                    "Type a number of hands from 0 to {most} for each answer.", most=MAX_PHONES
                )
            )
        hands = [Answer(option) for option, n in enumerate(counts) for _ in range(n)]
        said = (numbers_typed if question.kind == "number" else parts_typed)(words)[:MAX_PHONES]
        self.room.count_hands([*hands, *(Answer(None, word) for word in said)])
        self._count()

    @one_at_a_time
    def remove_word(self, word: str) -> None:
        """Removes what somebody wrote from the question and from the screens."""
        self._check_countable()
        self.room.remove_word(word)
        if self.tally is not None:
            self._count()

    def _check_countable(self) -> Question:
        question = self.room.question
        if question is None or self.is_revealed or self.has_appended:
            raise RoomError(Sentence("The votes of this question are final: ask the next one."))
        return question

    def _count(self) -> None:
        room = self.room
        self.tally = tally = room.close()
        if self._is_of("next"):
            self.votes = Votes(self.text.lm, self.text.ids, self.offered, room.answers())
        if self._is_of("sampler"):
            self._count_pointers(tally)
        else:
            draw = numbers if self._is_of("number") else counted
            room.show_outcome(draw(tally, self.earlier))

    def _count_pointers(self, tally: Tally) -> None:
        asked = tally.question
        fell, n_right = landed(asked.shares, self.room.pointers())
        self.room.show_outcome(drawn(asked, fell))
        if n := sum(tally.counts):
            found = Sentence("{n} of the {all} who answered found the token.", n=n_right, all=n)
            self.room.reveal(found, "", OF_CHANCE)

    @one_at_a_time
    def reveal(self) -> None:
        """Shows what is right, or the class beside the model."""
        tally = self.tally
        if tally is None or not self.can_reveal:
            raise RoomError(Sentence("There is nothing to reveal: close a question first."))
        self.is_revealed = True
        if (votes := self.votes) is not None:
            shown = {*self.offered, *chain.from_iterable(votes.shares)}
            found = votes.beside(self.text.generation.logits_with(shown), self.offered)
            self.room.show_outcome(beside(found, offered=self.offered))
            return
        said = Sentence("Right is “{answer}”.", answer=self.right)
        if self._is_of("number"):
            truth = read_number(self.right)
            self.room.show_outcome(numbers(tally, self.earlier, truth))
            said = Sentence("The true number is {number}.", number=Numeral(in_full(truth)))
        else:
            self.room.show_outcome(counted(tally, self.earlier, self.right))
        if self.room.scene is not None and self.remember:
            item = self.script.items[self.place]
            self.room.show_scene(replace(self.room.scene, answer=answered(self.text.lm, item)))
        self.room.reveal(said, self.right, self.remember)

    @one_at_a_time
    def end(self) -> None:
        """Closes the room: every screen shows what to remember, and where to go on."""
        lesson = self.script.lesson
        self._show(end_of(lesson, self.room.tallies, self.story))
        close_room(self.room, lesson.name if lesson else "")

    @property
    def is_time_over(self) -> bool:
        """Whether a question has closed by itself, and its votes are not counted yet."""
        return self.room.question is not None and not self.room.is_open and self.tally is None

    @property
    def can_reveal(self) -> bool:
        """Whether something about the question that was closed is not shown yet."""
        return self.tally is not None and not self.is_revealed and bool(self.votes or self.right)

    @property
    def favourite_id(self) -> int | None:
        """The token with the most votes; None where nobody voted, or the next has come."""
        if self.votes is None or self.has_appended:
            return None
        return self.votes.favourite_id(self.text.generation.logits)

    @property
    def has_appended(self) -> bool:
        """Whether the question that was closed last has had its token."""
        return self.votes is not None and len(self.text.ids) != self.votes.position

    @property
    def earlier(self) -> Tally | None:
        """The answers of the first time the same question was asked, where it was asked twice."""
        if self.tally is None or self._is_of("sampler"):
            return None
        return first_of_two(self.room.tallies, self.tally.question)

    def _is_of(self, kind: QuestionKind) -> bool:
        return self.tally is not None and self.tally.question.kind == kind

    def _clear(self) -> None:
        self._forget()
        self.room.clear()

    def _forget(self) -> None:
        self.tally = self.votes = None
        self.offered, self.is_revealed, self.was_page_shown = [], False, False
        self.right = self.about = self.remember = ""

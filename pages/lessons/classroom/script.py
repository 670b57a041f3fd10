"""A guided lesson as the script of a room: what its scenes ask a class, in order.

Most questions are those of the scenes. A line `Class:` asks for one that needs a phone in every
hand, before the scene's own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal, TypeAlias

from model.classroom.members import RoomError
from model.classroom.records import Spoken
from model.sentences import Sentence
from pages.frame.contents import COURSE, lesson_at
from pages.frame.words import Language, _, language
from pages.lessons.tour.said import plain
from pages.lessons.tour.scene_fields import PAGES
from pages.lessons.tour.scenes import (
    ASKED,
    OF_CLASS,
    TOLD,
    GuidedLesson,
    LessonError,
    Scene,
    lesson_names,
    read_lesson,
)

ItemKind: TypeAlias = Literal["next", "sampler", "own"]
KINDS: dict[str, ItemKind] = {"next token": "next", "sampler": "sampler", "": "own"}
PLAN = "how-a-model-writes"
WORDS = {
    "next": Sentence("What comes next?"),
    "sampler": Sentence("On which token does your pointer fall?"),
}


_SENTENCES = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])")  # where one ends
_ASKS = ("?", "؟", "？")  # how a question ends


@dataclass(frozen=True)
class Item:
    """One question of a script."""

    number: int  # of the scene, from 1
    scene: Scene
    kind: ItemKind  # "own": the question that the scene asks
    lesson: GuidedLesson

    @property
    def minutes(self) -> float:
        """The minutes that its scene's note plans for it; 0 where it says none."""
        n_minutes = re.match(r"\d+", self.scene.note)
        n_questions = bool(self.scene.of_class) + self.scene.asks
        return int(n_minutes[0]) / n_questions if n_minutes else 0

    @property
    def is_first(self) -> bool:
        """Whether it is the first question of its scene."""
        return self.kind != "own" or not self.scene.of_class

    @property
    def says_setting(self) -> bool:
        """Whether the scene speaks of what shapes its bar: before that was taught, it does not."""
        return bool({"temperature", "top_p"} & dict(self.scene.query).keys())

    @property
    def tries_it(self) -> bool:
        """Whether its page is where the answer is tried: something is pressed there, first."""
        return self.kind == "own" and not self.scene.of_class and bool(self.scene.press)

    def page(self, *, is_told: bool = False) -> str:
        """Returns where the projector shows its page as the scene has it, covered until it is told.

        Empty where the page shows no more than the room does: a laboratory, or a guess, which the
        class has made.
        """
        is_guess = self.scene.cover == ("guess",)
        if is_guess or lesson_at(PAGES[self.scene.page]).part not in COURSE:
            return ""
        return self.lesson.address(self.number, **{OF_CLASS: TOLD if is_told else ASKED})

    @property
    def question(self) -> str:
        """What the class is asked: a scene's question as its lesson says it."""
        if self.kind in WORDS:
            return WORDS[self.kind]
        asked = plain(self.scene.question)
        is_share = self.scene.reply == "a share"
        return _("{question} (from 0 to 100 %)", question=asked) if is_share else asked

    @property
    def remember(self) -> str:
        """One sentence to end its question with: the scene's, or how its answer begins."""
        if self.kind in WORDS:
            return ""
        return plain(self.scene.remember or sentences_of(self.scene.answer)[0])

    @property
    def premise(self) -> str:
        """What a class has to know for a scene's question: the sentence that says its term.

        Without a term in bold it is the scene's first that asks nothing itself; the app's own
        questions need none.
        """
        if self.kind in WORDS:
            return ""
        said = [one for one in sentences_of(self.scene.words_alone) if not one.endswith(_ASKS)]
        return plain(next((one for one in said if "**" in one), next(iter(said), "")))


def items_of(lesson: GuidedLesson) -> Iterator[Item]:
    """Returns the questions of a lesson; a scene that takes no reply asks the class nothing."""
    for number, scene in enumerate(lesson.scenes, start=1):
        if scene.of_class:
            yield Item(number, scene, KINDS[scene.of_class], lesson)
        if scene.asks:
            yield Item(number, scene, "own", lesson)


def sentences_of(text: str) -> list[str]:
    """Returns the sentences of a text, in any language of the app; at least an empty one."""
    return [one for one in _SENTENCES.split(" ".join(text.split())) if one] or [""]


def prompt_of(scene: Scene) -> str:
    """Returns the text that the page of a scene begins with; empty where the room's stays."""
    return dict(scene.query).get("prompt", "")


def lessons() -> list[tuple[str, str]]:
    """Returns the name and title of each lesson of the folder that can be read."""
    found = []
    for name in lesson_names():
        try:
            found.append((name, read_lesson(name).title))
        except LessonError:  # the list of the lessons says why
            continue
    return found


def plan() -> GuidedLesson | None:
    """Returns the lesson that a desk opens with, as long as it is in the folder."""
    try:
        return read_lesson(PLAN)
    except LessonError:
        return None


class Script:
    """The script of a room, in the language of each desk that asks."""

    def __init__(self, opened: GuidedLesson | None = None) -> None:
        """Takes a lesson, in the language of the desk that chose it; None for no script."""
        self._opened = opened
        self._lessons: dict[Language, GuidedLesson] = {}
        self._began: float | None = None  # when its first scene or question was put to the class

    @property
    def lesson(self) -> GuidedLesson | None:
        """The lesson in the language of whoever asks."""
        opened, spoken = self._opened, language()
        if opened is not None and spoken not in self._lessons:
            try:
                self._lessons[spoken] = read_lesson(opened.name)
            except LessonError:  # its file is another by now
                self._lessons[spoken] = opened
        return self._lessons.get(spoken)

    @property
    def items(self) -> list[Item]:
        """The questions; none without a script."""
        lesson = self.lesson
        return list(items_of(lesson)) if lesson else []

    @property
    def spoken(self) -> Spoken | None:
        """The language of the texts, for screens that have another one."""
        lesson = self.lesson
        return speech_of(lesson.language) if lesson else None

    @property
    def seconds(self) -> float:
        """How long the class has been at it."""
        return 0 if self._began is None else monotonic() - self._began

    def minutes(self, n_items: int) -> float:
        """Returns the minutes that are planned for the first questions."""
        return sum(item.minutes for item in self.items[:n_items])

    def put(self, place: int) -> Item:
        """Returns the question of a place, which the class now sees."""
        items = self.items
        if not 0 <= place < len(items):
            raise RoomError(Sentence("The script has no such question: choose one of its list."))
        self._began = monotonic() if self._began is None else self._began
        return items[place]


def speech_of(spoken: Language) -> Spoken:
    """Returns a language as the records of a room name it."""
    return Spoken(spoken.tag, spoken.direction)


def described(lesson: GuidedLesson) -> dict[str, Any]:
    """Returns a script as the desk shows it: to the teacher, with what is right."""
    return {
        "name": lesson.name,
        "title": lesson.title,
        "fault": lesson.fault,
        "spoken": vars(speech_of(lesson.language)),
        "items": [
            {
                "number": item.number,
                "title": plain(item.scene.title),
                "question": item.question,
                "is_own": item.kind == "own",  # and so in the lesson's language
                # of a scene's two questions, the first has its note
                "note": plain(item.scene.note) if item.is_first else "",
                "right": plain(item.scene.right) if item.kind == "own" else "",
            }
            for item in items_of(lesson)
        ],
    }

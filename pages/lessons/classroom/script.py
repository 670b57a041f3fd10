"""A guided lesson as the script of a room: what its scenes ask a class, in order.

Most questions are those of the scenes. A line `Class:` asks for one that needs a phone in every
hand, before the scene's own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from model.sentences import Sentence
from pages.lessons.tour.said import plain
from pages.lessons.tour.scenes import GuidedLesson, LessonError, Scene, lesson_names, read_lesson

ItemKind: TypeAlias = Literal["next", "sampler", "own"]
KINDS: dict[str, ItemKind] = {"next token": "next", "sampler": "sampler", "": "own"}
PLAN = "how-a-model-writes"
WORDS = {
    "next": Sentence("What comes next?"),
    "sampler": Sentence("On which word does your pointer fall?"),
}


@dataclass(frozen=True)
class Item:
    """One question of a script."""

    number: int  # of the scene, from 1
    scene: Scene
    kind: ItemKind  # "own": the question that the scene asks

    @property
    def is_first(self) -> bool:
        """Whether it is the first question of its scene."""
        return self.kind != "own" or not self.scene.of_class

    @property
    def question(self) -> str:
        """What the class is asked."""
        if self.kind in WORDS:
            return WORDS[self.kind]
        asked = plain(self.scene.question)
        is_share = self.scene.reply == "a share"
        return Sentence("{question} (from 0 to 100 %)", question=asked) if is_share else asked


def items_of(lesson: GuidedLesson) -> Iterator[Item]:
    """Returns the questions of a lesson; a scene that takes no reply asks the class nothing."""
    for number, scene in enumerate(lesson.scenes, start=1):
        if scene.of_class:
            yield Item(number, scene, KINDS[scene.of_class])
        if scene.asks:
            yield Item(number, scene, "own")


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


def described(lesson: GuidedLesson) -> dict[str, Any]:
    """Returns a script as the desk shows it: to the teacher, with what is right."""
    return {
        "name": lesson.name,
        "title": lesson.title,
        "items": [
            {
                "number": item.number,
                "title": plain(item.scene.title),
                "question": item.question,
                # of a scene's two questions, the first has its note
                "note": plain(item.scene.note) if item.is_first else "",
                "right": plain(item.scene.right) if item.kind == "own" else "",
            }
            for item in items_of(lesson)
        ],
    }

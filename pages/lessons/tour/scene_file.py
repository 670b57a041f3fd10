"""A lesson's file taken apart: its title and scenes, their words and fields, each with its line.

Knows what a file looks like; not what a page, a task or a reply is, nor Streamlit.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from model.sentences import Sentence

MAX_CHARACTERS = 600  # of a scene's words: the page below has to be seen as well
MAX_TITLE = 80  # of the lesson's title, a scene's, or a choice
MAX_FIELD = 400  # of what stands after the name of a field, a link excepted
MAX_SCENES = 40
STRUCTURE = ("Page", "Light", "Cover", "Reply", "Class", "Reveal")  # the same in every language
TEXTS = ("Here", "Task", "Question", "Choices", "Right", "Answer", "Remember", "Note")
FIELDS = (*STRUCTURE, *TEXTS)

FieldLine: TypeAlias = tuple[int, str]  # its line, and what stands behind the colon
_Paragraphs: TypeAlias = list[FieldLine]  # the line that each begins at, and its text
_HEADING = re.compile(r"##?(?!#)")  # of the lesson, or of a scene


class FaultError(Exception):
    """A line, and what is wrong with it."""


@dataclass(frozen=True)
class SceneFile:
    """A scene as its file has it."""

    line: int  # of its heading
    title: str
    words: str  # Markdown
    fields: Mapping[str, FieldLine]  # by name


@dataclass(frozen=True)
class LessonFile:
    """A lesson as its file has it."""

    line: int  # of its title
    title: str
    about: str  # Markdown
    scenes: tuple[SceneFile, ...]


def take_apart(text: str) -> LessonFile:
    """Returns the parts of a lesson's file.

    Raises:
        FaultError: It has no title, no scene, or a part that is too long or there twice.
    """
    paragraphs = _paragraphs(text)
    if not paragraphs or not re.match(r"# *[^#\s]", paragraphs[0][1]):
        line = paragraphs[0][0] if paragraphs else 1
        raise FaultError(
            line, Sentence("begin with the title of the lesson, as in “# How a model writes”")
        )
    title = paragraphs[0][1][1:].strip()
    check_length(paragraphs[0][0], Sentence("the title"), title, MAX_TITLE)
    starts = [i for i, (_, text) in enumerate(paragraphs) if re.match(r"##(?!#)", text)]
    if not starts:
        line = paragraphs[-1][0]
        raise FaultError(line, Sentence("the lesson has no scene, such as “## The draw”"))
    if len(starts) > MAX_SCENES:
        line = paragraphs[starts[MAX_SCENES]][0]
        raise FaultError(line, Sentence("stop at {most} scenes", most=MAX_SCENES))
    second = next((line for line, text in paragraphs[1:] if re.match(r"#(?!#)", text)), None)
    if second is not None:
        raise FaultError(second, Sentence("a lesson has one title; a scene begins with “## ”"))
    ends = [*starts[1:], len(paragraphs)]
    scenes = tuple(_scene(paragraphs[i:j]) for i, j in zip(starts, ends, strict=True))
    about = "\n\n".join(text for _, text in paragraphs[1 : starts[0]])
    what = Sentence("what the lesson is about")
    check_length(paragraphs[0][0], what, about, MAX_CHARACTERS)
    return LessonFile(paragraphs[0][0], title, about, scenes)


def _paragraphs(text: str) -> _Paragraphs:
    """Takes a text apart: paragraphs end at empty lines, and a heading is one by itself."""
    found: _Paragraphs = []
    is_open = False
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        is_heading = _HEADING.match(line) is not None
        if is_open and line.strip() and not is_heading:
            first, begun = found[-1]
            found[-1] = first, f"{begun}\n{line.strip()}"
        elif line.strip():
            found.append((number, line.strip()))
        is_open = bool(line.strip()) and not is_heading
    return found


def _scene(paragraphs: _Paragraphs) -> SceneFile:
    first, title = paragraphs[0][0], paragraphs[0][1].lstrip("#").strip()
    if not title:
        raise FaultError(first, Sentence("give the scene a title, as in “## The draw”"))
    check_length(first, Sentence("the title"), title, MAX_TITLE)
    words: list[str] = []
    fields: dict[str, FieldLine] = {}
    for line, text in paragraphs[1:]:
        name, colon, rest = text.partition(":")
        if not colon or name not in FIELDS:
            words.append(text)
        elif name in fields:
            raise FaultError(
                line, Sentence("the scene has a second “{field}:”: remove one of them", field=name)
            )
        else:
            check_length(line, f"“{name}:”", rest if name != "Page" else "", MAX_FIELD)
            fields[name] = line, rest.strip()
    if not words:
        raise FaultError(first, Sentence("the scene has no words: write two to four sentences"))
    if sum(map(len, [*words, fields.get("Here", (0, ""))[1]])) > MAX_CHARACTERS:
        raise FaultError(
            first,
            Sentence("the scene has more than {most} characters of words", most=MAX_CHARACTERS),
        )
    return SceneFile(first, title, "\n\n".join(words), fields)


def choices_of(field: FieldLine) -> tuple[str, ...]:
    """Returns the choices that a field lists."""
    return tuple(filter(None, (one.strip() for one in field[1].split("|"))))


def check_length(line: int, what: str, text: str, limit: int) -> None:
    """Raises FaultError if a text of a line is longer than it may be."""
    if len(text) > limit:
        raise FaultError(
            line, Sentence("{what} has more than {most} characters", what=what, most=limit)
        )

"""A guided lesson is a Markdown file, as docs/teaching.md shows; each second heading is a scene.

A page is a link of the app, as "Copy link" gives it; after a # comes the heading of the page that
the scene is about, in small letters with hyphens. A task is optional and ends with one of the
phrases that the app recognises. A question that has choices, or takes a word, a number or a share,
is answered before the answer shows; until then the parts behind *Cover* are covered. A second file
may hold the texts of a lesson in another language, see `translation.py`.
"""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlencode

from model.sentences import Sentence, cut
from pages.frame.fields import echo
from pages.frame.words import ENGLISH, Language, language, languages
from pages.lessons.tour.conditions import Condition
from pages.lessons.tour.scene_fields import (
    read_at_reveal,
    read_of_class,
    read_page,
    read_parts,
    read_reply,
    read_task,
)
from pages.lessons.tour.scene_file import (
    FIELDS,
    FaultError,
    FieldLine,
    LessonFile,
    SceneFile,
    take_apart,
)
from pages.lessons.tour.translation import UNTIL, merged

FOLDER = Path(__file__).parents[3] / "lessons"
MAX_BYTES = 200_000
NEEDED = ("Page", "Question", "Answer")
# of the link by which a room shows a scene's page: without its own question, which the class has
OF_CLASS, ASKED, TOLD = "class", "asked", "told"
_TAG = re.compile(r"[a-zA-Z]{2,3}([-_][a-zA-Z0-9]{2,8})*")


@dataclass(frozen=True)
class Scene:
    """One thing to see, and where."""

    title: str
    words: str  # Markdown, with what is seen and pressed on its page alone
    page: str  # the stem of the page's file; empty is the first page
    query: tuple[tuple[str, str], ...]  # of the link that sets the page up
    heading: str  # of the page, in small letters with hyphens; empty is its top
    question: str
    answer: str
    words_alone: str = ""  # without what its page alone has: for the one file
    task: str = ""  # what must be done to go on; empty where nothing must
    is_done: Condition | None = None  # tells whether it is
    choices: tuple[str, ...] = ()  # what the question may be answered with
    reply: str = ""  # or one of `REPLIES`; with neither, the reader thinks, and then looks
    right: str = ""  # the right one; empty where none is
    light: tuple[str, ...] = ()  # the parts that it speaks of: the others are left out
    cover: tuple[str, ...] = ()  # the parts that are covered until the question is answered
    remember: str = ""  # one sentence, Markdown
    of_class: str = ""  # one of `OF_CLASS`; empty where a class is asked no more than a reader
    at_reveal: tuple[str, float] | None = (
        None  # the control at which a class sees its bar in the end
    )
    note: str = ""  # Markdown; only the teacher of a class sees it

    @property
    def address(self) -> str:
        """Where the app shows it, from any page, outside the lesson."""
        heading = f"#{self.heading}" if self.heading else ""
        return f"./{self.page}?{urlencode(self.query)}{heading}"

    @property
    def press(self) -> tuple[str, ...]:
        """The parts of the first page that its task presses: what was covered, or the bar alone."""
        if not self.task or self.page != "":
            return ()
        on_bar = set(self.light) - {"draws"} == {"text", "draw bar"}  # nothing else takes a press
        return self.cover or (("draw bar",) if on_bar else ())

    @property
    def asks(self) -> bool:
        """Whether the question is to be answered before the answer shows."""
        return bool(self.choices or self.reply)


@dataclass(frozen=True)
class GuidedLesson:
    """A file of scenes."""

    name: str  # of the file, without its ending: what links call it
    title: str
    about: str  # Markdown
    scenes: tuple[Scene, ...]
    language: Language = ENGLISH
    fault: str = ""  # why it is not in the reader's language, though there is a file

    def address(self, number: int, **more: str) -> str:
        """Returns the link to a scene, from any page of the app; scenes count from 1."""
        scene = self.scenes[number - 1]
        query = (*scene.query, ("lesson", self.name), ("scene", str(number)), *more.items())
        return f"./{scene.page}?{urlencode(query)}"


class LessonError(ValueError):
    """A file that is no lesson: one sentence with the line and the remedy."""


def lesson_names() -> list[str]:
    """Returns the names of the lessons in the folder, in order, each once for all languages."""
    stems = {path.stem for path in FOLDER.glob("*.md")}
    return sorted(stem for stem in stems if not _is_translation(stem, stems))


def _is_translation(stem: str, stems: Container[str]) -> bool:
    name, _, tag = stem.rpartition(".")
    return name in stems and _TAG.fullmatch(tag) is not None


def misnamed() -> list[str]:
    """Returns a sentence for each translation of a language that nobody can choose."""
    stems = {path.stem for path in FOLDER.glob("*.md")}
    tags = [_tag(own) for own in languages().values() if own is not ENGLISH]
    lost = [stem for stem in sorted(stems) if _is_translation(stem, stems)]
    return [
        Sentence(
            "{file}.md is in no language of the app: name it by one of {known}.",
            file=cut(stem),
            known=", ".join(tags),
        )
        for stem in lost
        if stem.rpartition(".")[2] not in tags
    ]


def _tag(spoken: Language) -> str:
    """Returns what the files of a language have in their names: that of its catalogue."""
    return spoken.path.stem


def read_lesson(name: str) -> GuidedLesson:
    """Reads a lesson of the folder, in the reader's language if there is a file without fault.

    Raises:
        LessonError: There is none of that name, or its file is faulty.
    """
    if name not in lesson_names():
        raise LessonError(
            Sentence(
                "There is no lesson of the name {name}: choose one of the list.", name=echo(name)
            )
        )
    text = _text_of(name)
    lesson = parse_lesson(name, text, _written_in(name))
    spoken = language()
    own = f"{name}.{_tag(spoken)}"
    if spoken in (ENGLISH, lesson.language) or not (FOLDER / f"{own}.md").is_file():
        return lesson
    try:
        return parse_translation(name, text, _text_of(own), spoken)
    except LessonError as fault:
        return replace(lesson, fault=fault.args[0])


def _written_in(name: str) -> Language:
    """Returns the language of a lesson that has no other file: that of its name, or English."""
    _, dot, tag = name.rpartition(".")
    own = {_tag(one): one for one in languages().values()}
    return own.get(tag, ENGLISH) if dot else ENGLISH


def _text_of(stem: str) -> str:
    """Reads a file of the folder, by its name without the ending."""
    file = f"{stem}.md"
    try:
        data = (FOLDER / file).read_bytes()
        if len(data) > MAX_BYTES:
            why = Sentence(
                "{file} has more than {most} bytes: make it two lessons.",
                file=file,
                most=f"{MAX_BYTES:,}",
            )
            raise LessonError(why)
        return data.decode("utf-8-sig")
    except OSError as error:
        why = Sentence("{file} cannot be read: {reason}.", file=file, reason=error.strerror)
        raise LessonError(why) from None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _error(file, line, Sentence("save the file as UTF-8")) from None


def parse_lesson(name: str, text: str, written_in: Language = ENGLISH) -> GuidedLesson:
    """Returns the lesson that a text describes.

    Raises:
        LessonError: It describes none; the sentence names the first line at fault.
    """
    try:
        return _parsed(name, take_apart(text), written_in)
    except FaultError as fault:
        raise _error(f"{name}.md", *fault.args) from None


def parse_translation(name: str, text: str, own: str, spoken: Language) -> GuidedLesson:
    """Returns a lesson in another language.

    Args:
        name: Of the lesson.
        text: Of its English file, which is known to have no fault.
        own: Of its file in that language.
        spoken: The language.

    Raises:
        LessonError: The file in that language is faulty, or describes another lesson.
    """
    try:
        lesson = merged(take_apart(text), take_apart(own), f"{name}.md")
        return _parsed(name, lesson, spoken)
    except FaultError as fault:
        raise _error(f"{name}.{_tag(spoken)}.md", *fault.args) from None


def _error(file: str, line: int, why: str) -> LessonError:
    return LessonError(Sentence("{file}, line {line}: {why}.", file=file, line=line, why=why))


def _parsed(name: str, lesson: LessonFile, written_in: Language) -> GuidedLesson:
    scenes = tuple(map(_scene, lesson.scenes))
    return GuidedLesson(name, lesson.title, lesson.about, scenes, written_in)


def _scene(scene: SceneFile) -> Scene:
    fields = scene.fields
    for name in FIELDS:
        if not fields.get(name, (0, "." if name not in NEEDED else ""))[1]:
            line = fields.get(name, (scene.line,))[0]
            raise FaultError(line, Sentence("the scene has no “{field}: …”", field=name))
    task, is_done = read_task(fields["Task"], fields.get(UNTIL)) if "Task" in fields else ("", None)
    page = read_page(*fields["Page"])
    choices, reply, right = read_reply(fields)
    if "Cover" in fields and not (choices or reply):
        why = Sentence("what is covered waits for “Choices:” or “Reply:”")
        raise FaultError(fields["Cover"][0], why)
    return Scene(
        scene.title,
        " ".join(filter(None, (scene.words, _text(fields, "Here")))),
        *page,
        question=_text(fields, "Question"),
        answer=fields["Answer"][1],
        words_alone=scene.words,
        task=task,
        is_done=is_done,
        choices=choices,
        reply=reply,
        right=right,
        light=read_parts(page[0], fields.get("Light")),
        cover=read_parts(page[0], fields.get("Cover")),
        remember=_text(fields, "Remember"),
        of_class=read_of_class(fields.get("Class")),
        at_reveal=read_at_reveal(fields.get("Reveal")),
        note=_text(fields, "Note"),
    )


def _text(fields: Mapping[str, FieldLine], name: str) -> str:
    """Returns what stands in a field, in one line; empty if there is none."""
    # a space that keeps a line together, as before a French question mark, stays as it is
    return re.sub(r"[ \t\n]+", " ", fields.get(name, (0, ""))[1]).strip()

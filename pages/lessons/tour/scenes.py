"""A guided lesson is a Markdown file, as docs/teaching.md shows; each second heading is a scene.

A page is a link of the app, as "Copy link" gives it; after a # comes the heading of the page that
the scene is about, in small letters with hyphens. A task is optional and ends with one of the
phrases that the app recognises. A question that has choices, or takes a word, a number or a share,
is answered before the answer shows; until then the parts behind *Cover* are covered. Knows nothing
of Streamlit.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from model.sentences import MAX_SENTENCE, cut
from pages.frame.contents import LESSONS, page_of_section
from pages.frame.fields import echo
from pages.lessons.tour.conditions import PHRASES, Condition, read_condition

FOLDER = Path(__file__).parents[3] / "lessons"
MAX_CHARACTERS = 600  # of a scene's words: the page below has to be seen as well
MAX_TITLE = 80  # of the lesson's title, a scene's, or a choice
MAX_FIELD = 400  # of what stands after the name of a field, a link excepted
MAX_SCENES = 40
MAX_BYTES = 200_000
MAX_CHOICES = 5
FIELDS = (
    *("Page", "Light", "Cover", "Task"),
    *("Question", "Choices", "Reply", "Right", "Answer", "Remember"),
    *("Class", "Note"),
)
NEEDED = ("Page", "Question", "Answer")
REPLIES = ("a word", "a number", "a share")  # what a question may be answered with, besides choices
OF_CLASS = ("next token", "sampler")  # what a class is asked before the scene's own question
# what a scene may light or cover on the first page
PARTS = {
    "prompt": ".prompt",
    "buttons": ".thumb, .seldom",
    "text": ".strip",
    "bars": ".bars-top, .bars-table tbody",
    "sliders": ".settings, .bars-setting",
    "draw bar": ".pointer, .pointer-line",
    "loop": ".loop",
    "numbers": ".below",
}
FIGURES = ("figure", "figures")  # elsewhere: what its part of the page shows; all of the page
PAGES = {"" if page.is_home else Path(page.path).stem: page.path for page in LESSONS}


@dataclass(frozen=True)
class Scene:
    """One thing to see, and where."""

    title: str
    words: str  # Markdown
    page: str  # the stem of the page's file; empty is the first page
    query: tuple[tuple[str, str], ...]  # of the link that sets the page up
    heading: str  # of the page, in small letters with hyphens; empty is its top
    question: str
    answer: str
    task: str = ""  # what must be done to go on; empty where nothing must
    is_done: Condition | None = None  # tells whether it is
    choices: tuple[str, ...] = ()  # what the question may be answered with
    reply: str = ""  # or one of `REPLIES`; with neither, the reader thinks, and then looks
    right: str = ""  # the right one; empty where none is
    light: tuple[str, ...] = ()  # the parts that it speaks of: the others are dimmed
    cover: tuple[str, ...] = ()  # the parts that are covered until the question is answered
    remember: str = ""  # one sentence, Markdown
    of_class: str = ""  # one of `OF_CLASS`; empty where a class is asked no more than a reader
    note: str = ""  # Markdown; only the teacher of a class sees it

    @property
    def address(self) -> str:
        """Where the app shows it, from any page, outside the lesson."""
        heading = f"#{self.heading}" if self.heading else ""
        return f"./{self.page}?{urlencode(self.query)}{heading}"

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

    def address(self, number: int, **more: str) -> str:
        """Returns the link to a scene, from any page of the app; scenes count from 1."""
        scene = self.scenes[number - 1]
        query = (*scene.query, ("lesson", self.name), ("scene", str(number)), *more.items())
        return f"./{scene.page}?{urlencode(query)}"


class LessonError(ValueError):
    """A file that is no lesson: one sentence with the line and the remedy."""


def lesson_names() -> list[str]:
    """Returns the names of the lessons in the folder, in order."""
    return sorted(path.stem for path in FOLDER.glob("*.md"))


def read_lesson(name: str) -> GuidedLesson:
    """Reads a lesson of the folder.

    Raises:
        LessonError: There is none of that name, or its file is faulty.
    """
    if name not in lesson_names():
        raise LessonError(f"There is no lesson of the name {echo(name)}: choose one of the list.")
    try:
        data = (FOLDER / f"{name}.md").read_bytes()
        if len(data) > MAX_BYTES:
            raise LessonError(f"{name}.md has more than {MAX_BYTES:,} bytes: make it two lessons.")
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise LessonError(f"{name}.md cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise LessonError(f"{name}.md, line {line}: save the file as UTF-8.") from None
    return parse_lesson(name, text)


def parse_lesson(name: str, text: str) -> GuidedLesson:
    """Returns the lesson that a text describes.

    Raises:
        LessonError: It describes none; the sentence names the first line at fault.
    """
    try:
        return _parse(name, _paragraphs(text))
    except _FaultError as fault:
        line, why = fault.args
        raise LessonError(f"{name}.md, line {line}: {cut(why, MAX_SENTENCE)}.") from None


class _FaultError(Exception):
    """A line, and what is wrong with it."""


_Paragraphs: TypeAlias = list[tuple[int, str]]  # the line that each begins at, and its text
_HEADING = re.compile(r"##?(?!#)")  # of the lesson, or of a scene


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


def _parse(name: str, paragraphs: _Paragraphs) -> GuidedLesson:
    if not paragraphs or not re.match(r"# *[^#\s]", paragraphs[0][1]):
        line = paragraphs[0][0] if paragraphs else 1
        raise _FaultError(line, "begin with the title of the lesson, as in “# How a model writes”")
    title = paragraphs[0][1][1:].strip()
    _check_length(paragraphs[0][0], "the title", title, MAX_TITLE)
    starts = [i for i, (_, text) in enumerate(paragraphs) if re.match(r"##(?!#)", text)]
    if not starts:
        raise _FaultError(paragraphs[-1][0], "the lesson has no scene, such as “## The draw”")
    if len(starts) > MAX_SCENES:
        raise _FaultError(paragraphs[starts[MAX_SCENES]][0], f"stop at {MAX_SCENES} scenes")
    second = next((line for line, text in paragraphs[1:] if re.match(r"#(?!#)", text)), None)
    if second is not None:
        raise _FaultError(second, "a lesson has one title; a scene begins with “## ”")
    ends = [*starts[1:], len(paragraphs)]
    scenes = tuple(_scene(paragraphs[i:j]) for i, j in zip(starts, ends, strict=True))
    about = "\n\n".join(text for _, text in paragraphs[1 : starts[0]])
    _check_length(paragraphs[0][0], "what the lesson is about", about, MAX_CHARACTERS)
    return GuidedLesson(name, title, about, scenes)


def _check_length(line: int, what: str, text: str, limit: int) -> None:
    if len(text) > limit:
        raise _FaultError(line, f"{what} has more than {limit} characters")


def _scene(paragraphs: _Paragraphs) -> Scene:
    first, title = paragraphs[0][0], paragraphs[0][1].lstrip("#").strip()
    if not title:
        raise _FaultError(first, "give the scene a title, as in “## The draw”")
    _check_length(first, "the title", title, MAX_TITLE)
    words: list[str] = []
    fields: dict[str, tuple[int, str]] = {}
    for line, text in paragraphs[1:]:
        name, colon, rest = text.partition(":")
        if not colon or name not in FIELDS:
            words.append(text)
        elif name in fields:
            raise _FaultError(line, f"the scene has a second “{name}:”: remove one of them")
        else:
            _check_length(line, f"“{name}:”", rest if name != "Page" else "", MAX_FIELD)
            fields[name] = line, rest.strip()
    if not words:
        raise _FaultError(first, "the scene has no words: write two to four sentences")
    if sum(map(len, words)) > MAX_CHARACTERS:
        raise _FaultError(first, f"the scene has more than {MAX_CHARACTERS} characters of words")
    for name in FIELDS:
        if not fields.get(name, (0, "." if name not in NEEDED else ""))[1]:
            raise _FaultError(fields.get(name, (first,))[0], f"the scene has no “{name}: …”")
    task, is_done = _task(*fields["Task"]) if "Task" in fields else ("", None)
    page = _page(*fields["Page"])
    choices, reply, right = _reply(fields)
    if "Cover" in fields and not (choices or reply):
        raise _FaultError(fields["Cover"][0], "what is covered waits for “Choices:” or “Reply:”")
    return Scene(
        title,
        "\n\n".join(words),
        *page,
        question=" ".join(fields["Question"][1].split()),
        answer=fields["Answer"][1],
        task=task,
        is_done=is_done,
        choices=choices,
        reply=reply,
        right=right,
        light=_parts(page[0], fields.get("Light")),
        cover=_parts(page[0], fields.get("Cover")),
        remember=" ".join(fields.get("Remember", (0, ""))[1].split()),
        of_class=_of_class(fields.get("Class")),
        note=" ".join(fields.get("Note", (0, ""))[1].split()),
    )


def _reply(fields: dict[str, tuple[int, str]]) -> tuple[tuple[str, ...], str, str]:
    """Returns what a question is answered with: choices, or a kind of reply; and the right one."""
    line, text = fields.get("Choices", (0, ""))
    choices = tuple(filter(None, (one.strip() for one in text.split("|"))))
    if text and not 2 <= len(set(choices)) == len(choices) <= MAX_CHOICES:
        raise _FaultError(line, f"give 2 to {MAX_CHOICES} different choices, with | between them")
    for choice in choices:
        _check_length(line, "a choice", choice, MAX_TITLE)
    line, reply = fields.get("Reply", (0, ""))
    if reply and choices:
        raise _FaultError(line, "a question has “Choices:” or “Reply:”: remove one of them")
    if reply and reply not in REPLIES:
        raise _FaultError(line, f"the reply is one of: {'; '.join(REPLIES)}")
    line, right = fields.get("Right", (0, ""))
    if right and choices and right not in choices:
        raise _FaultError(line, "what is right must be one of the choices")
    if right and reply in ("a number", "a share") and not re.fullmatch(r"\d+(\.\d+)?", right):
        raise _FaultError(line, "what is right must be a number, such as 12 or 0.5")
    if right and not (choices or reply):
        raise _FaultError(line, "what is right waits for “Choices:” or “Reply:”")
    return choices, reply, right


def _of_class(field: tuple[int, str] | None) -> str:
    """Returns what a class is asked besides the scene's question."""
    if field is None:
        return ""
    line, text = field
    if text not in OF_CLASS:
        raise _FaultError(line, f"a class is asked for one of: {'; '.join(OF_CLASS)}")
    return text


def _parts(page: str, field: tuple[int, str] | None) -> tuple[str, ...]:
    """Returns the names of a list of parts that the page has."""
    if field is None:
        return ()
    line, text = field
    names = tuple(name.strip() for name in text.split(","))
    known = tuple(PARTS) if page == "" else FIGURES
    if unknown := [name for name in names if name not in known]:
        which = "the first page" if page == "" else "that page"
        told = f"{which} has no part {echo(unknown[0])}: choose from {', '.join(known)}"
        raise _FaultError(line, told)
    return names


def _page(line: int, text: str) -> tuple[str, tuple[tuple[str, str], ...], str]:
    """Takes a link of the app apart: its page, its query, its heading."""
    try:
        link = urlsplit("".join(text.split()))
        query = tuple(parse_qsl(link.query, keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise _FaultError(line, "this is no link: copy one by “Copy link”") from None
    page = link.path.strip("/").rpartition("/")[2] if link.netloc else link.path.strip("/")
    page = "" if page == Path(LESSONS[0].path).stem else page
    if page not in PAGES:
        known = ", ".join(name or "/" for name in PAGES)
        raise _FaultError(line, f"the app has no page {echo(page)}: choose one of {known}")
    if taken := {"lesson", "scene"} & dict(query).keys():
        raise _FaultError(line, f"leave “{min(taken)}” out of the link: the app adds it")
    return page_of_section(page, link.fragment), query, link.fragment


def _task(line: int, text: str) -> tuple[str, Condition]:
    found = re.search(r" until (.+?)\.?$", text, re.DOTALL)
    condition = read_condition(" ".join(found[1].split())) if found else None
    if condition is None:
        known = "; ".join(PHRASES)
        raise _FaultError(line, f"end the task with “until …” and one of these: {known}")
    return text, condition

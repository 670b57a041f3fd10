"""What the fields of a scene mean: its page, its parts, its task, and what answers its question."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from model.sentences import Sentence, cut
from pages.frame.contents import LESSONS, page_of_section
from pages.frame.fields import echo
from pages.lessons.tour.conditions import PHRASES, Condition, read_condition
from pages.lessons.tour.scene_file import MAX_TITLE, FaultError, FieldLine, check_length, choices_of

MAX_CHOICES = 5
MAX_KNOWN = 240  # characters of a list of what is known, in a sentence
NUMBERS = ("a number", "a share")
REPLIES = ("a word", *NUMBERS)  # what a question may be answered with, besides choices
OF_CLASS = ("next token", "sampler")  # what a class is asked before the scene's own question
# what a scene may light or cover on the first page; pieces that are covered show as whole words,
# and are counted if they are lit; repeats are a phrase that returns, draws those so far, and the
# cut is top-p's line through the rows, and end the flag of the token that ends a text
PARTS = {
    "prompt": ".prompt",
    "buttons": ".thumb, .seldom, .switches, .foot",
    "next": ".thumb",
    "+20": ".seldom",
    "text": ".strip",
    "earlier": ".earlier",
    "pieces": ".strip .token",
    "repeats": ".strip .token",
    "guess": ".choice .guess",
    "bars": ".bars-top, .bars-table tbody",
    "sliders": ".settings, .bars-setting",
    "temperature": ".setting[data-name='temperature']",
    "top-p": ".setting[data-name='top_p']",
    "top-k": ".setting[data-name='top_k']",
    "draw bar": ".pointer, .pointer-line",
    "draws": ".draws",
    "cut": ".cut-words",
    "end": ".end-flag",
    "loop": ".loop",
    "numbers": ".below, .files",
}
SLIDERS = {"sliders", "temperature", "top-p", "top-k"}
FIGURES = ("figure", "figures")  # elsewhere: what its part of the page shows; all of the page
ANSWER = "answer"  # elsewhere: what the page itself keeps until its own question is answered
PAGES = {"" if page.is_home else Path(page.path).stem: page.path for page in LESSONS}


def read_reply(fields: Mapping[str, FieldLine]) -> tuple[tuple[str, ...], str, str]:
    """Returns what a question is answered with: choices, or a kind of reply; and the right one."""
    line, text = fields.get("Choices", (0, ""))
    choices = choices_of((line, text))
    if text and not 2 <= len(set(choices)) == len(choices) <= MAX_CHOICES:
        why = Sentence("give 2 to {most} different choices, with | between them", most=MAX_CHOICES)
        raise FaultError(line, why)
    for choice in choices:
        check_length(line, Sentence("a choice"), choice, MAX_TITLE)
    line, reply = fields.get("Reply", (0, ""))
    if reply and choices:
        why = Sentence("a question has “Choices:” or “Reply:”: remove one of them")
        raise FaultError(line, why)
    if reply and reply not in REPLIES:
        raise FaultError(line, Sentence("the reply is one of: {known}", known="; ".join(REPLIES)))
    line, right = fields.get("Right", (0, ""))
    if right and choices and right not in choices:
        raise FaultError(line, Sentence("what is right must be one of the choices"))
    if right and reply in NUMBERS and not re.fullmatch(r"\d+(\.\d+)?", right, re.ASCII):
        raise FaultError(line, Sentence("what is right must be a number, such as 12 or 0.5"))
    if right and not (choices or reply):
        raise FaultError(line, Sentence("what is right waits for “Choices:” or “Reply:”"))
    return choices, reply, right


def read_of_class(field: FieldLine | None) -> str:
    """Returns what a class is asked besides the scene's question."""
    if field is None:
        return ""
    line, text = field
    if text not in OF_CLASS:
        known = "; ".join(OF_CLASS)
        raise FaultError(line, Sentence("a class is asked for one of: {known}", known=known))
    return text


def read_at_reveal(field: FieldLine | None) -> tuple[str, float] | None:
    """Returns the control at which a class sees the bar once the answer is known."""
    if field is None:
        return None
    line, text = field
    found = re.fullmatch(r"(temperature|top-p) (\d+(?:\.\d+)?)", text, re.ASCII)
    if found is None:
        why = Sentence(
            "a class sees the bar at one control, as in “{example}”", example="top-p 0.5"
        )
        raise FaultError(line, why)
    return found[1], float(found[2])


def read_parts(page: str, field: FieldLine | None) -> tuple[str, ...]:
    """Returns the names of a list of parts that the page has."""
    if field is None:
        return ()
    line, text = field
    names = tuple(name.strip() for name in text.split(","))
    known = tuple(PARTS) if page == "" else (*FIGURES, ANSWER)
    if unknown := [name for name in names if name not in known]:
        why = Sentence(
            "the page has no part {name}: choose from {known}",
            name=echo(unknown[0]),
            known=", ".join(known),
        )
        raise FaultError(line, why)
    return names


def read_page(line: int, text: str) -> tuple[str, tuple[tuple[str, str], ...], str]:
    """Parses a link of the app into page, query and heading."""
    try:
        link = urlsplit("".join(text.split()))
        query = tuple(parse_qsl(link.query, keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise FaultError(line, Sentence("this is no link: copy one by “Copy link”")) from None
    page = link.path.strip("/").rpartition("/")[2] if link.netloc else link.path.strip("/")
    page = "" if page == Path(LESSONS[0].path).stem else page
    if page not in PAGES:
        known = cut(", ".join(name or "/" for name in PAGES), MAX_KNOWN)
        why = Sentence(
            "the app has no page {name}: choose one of {known}", name=echo(page), known=known
        )
        raise FaultError(line, why)
    if taken := {"lesson", "scene", "class"} & dict(query).keys():
        why = Sentence("leave “{name}” out of the link: the app adds it", name=min(taken))
        raise FaultError(line, why)
    return page_of_section(page, link.fragment), query, link.fragment


def read_task(field: FieldLine, english: FieldLine | None) -> tuple[str, Condition]:
    """Returns a task and what tells whether it is done: a translated one's is in the English."""
    line, text = english or field
    found = re.search(r" until (.+?)\.?$", text, re.DOTALL)
    condition = read_condition(" ".join(found[1].split())) if found else None
    if condition is None:
        known = cut("; ".join(PHRASES), MAX_KNOWN)
        why = Sentence("end the task with “until …” and one of these: {known}", known=known)
        raise FaultError(line, why)
    return field[1], condition

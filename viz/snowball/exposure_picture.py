"""A writer's mistakes on true text and on its own: marked in a text, and counted over all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from viz.palette import colour
from viz.strip import SPACE, element

MARKED = "Red: a mistake. Above in one story, below in every 100 tokens of all"
_COUNT = "margin-left:auto;padding-left:.6rem;font:600 var(--size-lead)/1.4 var(--sans)"
_ROWS = "display:grid;grid-template-columns:1fr auto;align-items:center"
_TEXT = (
    "display:flex;flex-wrap:wrap;gap:.2rem 0;margin-left:-.2em;"
    "font:var(--size-lead)/1.4 var(--read)"
)
_BEGINS = "padding:0 .3em 0 .2em"
_BOX = "border:1.5px {} {};background:{};border-radius:4px;padding:0 .15em"
_TRACK = "position:relative;height:1.9rem"
_TENTHS = (  # the gaps between them
    "position:absolute;inset:0;background:repeating-linear-gradient(90deg,transparent 0 "
    f"calc(10% - 2px),{colour('paper')} calc(10% - 2px) 10%)"
)
_UNKNOWN = (
    f"position:absolute;inset:0;border:1.5px dashed {colour('muted')};border-radius:.3rem;"
    "display:flex;align-items:center;justify-content:center;font-style:normal"
)


@dataclass(frozen=True)
class ReadToken:
    """What a writer expected at one token of a text, and what its judge did."""

    label: str  # of the token, its space visible
    writer: str  # the label of its likeliest token
    judge: str

    @property
    def is_mistake(self) -> bool:
        """Whether the two expected different tokens."""
        return self.writer != self.judge


@dataclass(frozen=True)
class Course:
    """What a writer did on one kind of text."""

    name: str
    role: str  # of the palette
    readings: Sequence[ReadToken]  # of one text
    error: float  # the share of mistakes among all tokens; NaN before any was measured
    begins: str = ""  # what the text goes on from

    @property
    def n_errors(self) -> int:
        """Mistakes in 100 tokens: as long is the red part of the bar."""
        return round(100 * self.error)

    @property
    def count(self) -> str:
        """The mistakes of all in words."""
        return f"{self.n_errors} of 100"

    @property
    def count_here(self) -> str:
        """The mistakes of this text in words: as many boxes are red."""
        return f"{sum(one.is_mistake for one in self.readings)} of {len(self.readings)}"


def exposure_picture(courses: Sequence[Course], *, is_covered: bool = False) -> Markup:
    """Draws a text and a bar of a hundred tokens for each course.

    Args:
        courses: The last is the one that is asked about.
        is_covered: Whether what is known of the last waits until a reader has guessed.
    """
    last = len(courses) - 1
    hidden = [math.isnan(one.error) or (is_covered and i == last) for i, one in enumerate(courses)]
    seen = [one for one, is_hidden in zip(courses, hidden, strict=True) if not is_hidden]
    told = "; ".join(f"{one.name}: {one.count}" for one in seen)
    return element(
        "div",
        *(_row(one, is_hidden=it) for one, it in zip(courses, hidden, strict=True)),
        style=f"display:grid;gap:1rem;color:{colour('ink')};forced-color-adjust:none",
        role="img",
        aria_label=f"{MARKED}; {told}.",
    )


def _row(one: Course, *, is_hidden: bool) -> Markup:
    """Draws a text, and below it how many mistakes there are in a hundred tokens."""
    unseen = "visibility:hidden" if is_hidden else ""  # what is below does not move
    example = element("span", _example(one), style=f"color:{colour('muted')};{unseen}")
    said = ("00 of 00",) * 2 if is_hidden else (one.count_here, one.count)
    here, overall = (element("b", count, style=f"{_COUNT};{unseen}") for count in said)
    begins = element("span", f"{one.begins} ", style=f"color:{colour('muted')};{_BEGINS}")
    boxes = [_word(word, one.role, is_hidden=is_hidden) for word in _words(one.readings)]
    ground = colour(f"{one.role}-tint")
    red = element("i", style=_bar(one.n_errors)) if not is_hidden else ""
    cells = element("div", red, element("i", style=_TENTHS), style=f"{_TRACK};background:{ground}")
    unknown = element("div", element("i", "?", style=_UNKNOWN), style=_TRACK)
    return element(
        "div",
        element("div", element("b", one.name), " ", example, style="line-height:1.5"),
        element("div", begins, *boxes, here, style=_TEXT),
        element("div", unknown if is_hidden else cells, overall, style=_ROWS),
        style="display:grid;gap:.4rem",
    )


def _bar(n: int) -> str:
    return f"position:absolute;top:0;bottom:0;left:0;width:{n}%;background:{colour('error')}"


def _words(readings: Sequence[ReadToken]) -> list[list[ReadToken]]:
    """Returns the tokens of each word, and the sign after it: one line holds all of them."""
    words = list[list[ReadToken]]()
    for one in readings:
        if one.label.startswith(SPACE) or not words:
            words.append([])
        words[-1].append(one)
    return words


def _word(word: Sequence[ReadToken], role: str, *, is_hidden: bool) -> Markup:
    boxes = [_box(it, role, is_hidden=is_hidden) for it in word]
    return element("span", *boxes, style="display:flex;margin-left:.2em")


def _box(one: ReadToken, role: str, *, is_hidden: bool) -> Markup:
    """Draws a token."""
    is_marked = one.is_mistake and not is_hidden
    tone, line = ("error", "dashed") if is_marked else (role, "solid")
    look = _BOX.format(line, colour(tone), colour(f"{tone}-tint"))
    return element("span", _plain(one.label), style=look, translate="no")


def _example(one: Course) -> Markup | str:
    """Tells of one mistake what both expected: the first where the judge was right, if any is."""
    mistakes = [it for it in one.readings if it.is_mistake]
    if not mistakes:
        return ""
    shown = next((it for it in mistakes if it.judge == it.label), mistakes[0])
    said = "at “{}” the small model expected “{}”, the large one “{}”"
    return Markup(said).format(*map(_plain, (shown.label, shown.writer, shown.judge)))


def _plain(label: str) -> str:
    return label.removeprefix(SPACE) or SPACE

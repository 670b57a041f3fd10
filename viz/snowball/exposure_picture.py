"""A writer's errors after true text and after its own: marked in a text, and counted over all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from viz.format import THIN
from viz.palette import colour
from viz.strip import element, prose

MARKED = "marked: the large model expected another token"
_TRACK = f"position:relative;height:1.9rem;border-left:1px solid {colour('muted')}"
_BAR = "position:absolute;top:0;bottom:0;left:0;border-radius:0 .3rem .3rem 0"
_COUNT = "position:absolute;top:.2rem;white-space:nowrap"
_UNKNOWN = (
    f"position:absolute;inset:0;border:1.5px dashed {colour('muted')};border-radius:.3rem;"
    "display:flex;align-items:center;justify-content:center;font-style:normal"
)
_AXIS = f"display:flex;justify-content:space-between;color:{colour('muted')}"


@dataclass(frozen=True)
class Course:
    """What a writer did after one kind of text."""

    name: str
    role: str  # of the palette
    tokens: Sequence[tuple[str, bool]]  # of one text, and whether the two models differed there
    error: float  # the share of all tokens where they differed; NaN before any was measured

    @property
    def n_errors(self) -> int:
        """Errors in 100 tokens: the bar is as long as this number, which stands beside it."""
        return round(100 * self.error)

    @property
    def count(self) -> str:
        """The errors in words."""
        return f"{self.n_errors} of 100 tokens"


def exposure_picture(courses: Sequence[Course], *, is_covered: bool = False) -> Markup:
    """Draws a text and a bar for each course, on one axis.

    Args:
        courses: The last is the one that is asked about.
        is_covered: Whether what is known of the last waits until a reader has guessed.
    """
    last = len(courses) - 1
    hidden = [math.isnan(one.error) or (is_covered and i == last) for i, one in enumerate(courses)]
    seen = [one for one, is_hidden in zip(courses, hidden, strict=True) if not is_hidden]
    end = axis_end(courses)
    told = "; ".join(f"{one.name}: {one.count}" for one in seen)
    return element(
        "div",
        *(_row(one, end, is_hidden=it) for one, it in zip(courses, hidden, strict=True)),
        element(
            "div",
            element("span", "0"),
            element("span", f"{100 * end:.0f} of 100 tokens"),
            style=_AXIS,
        ),
        style=f"display:grid;gap:.4rem;color:{colour('ink')};forced-color-adjust:none",
        role="img",
        aria_label=f"{MARKED}; {told}.",
    )


def axis_end(courses: Sequence[Course]) -> float:
    """Returns the next tenth above the longest bar, and its number."""
    known = [one.error for one in courses if not math.isnan(one.error)]
    return min(1.0, math.ceil(10 * max(known, default=0.0) + 0.5) / 10)


def _row(one: Course, end: float, *, is_hidden: bool) -> Markup:
    parts = [(text, "error" if differs and not is_hidden else "") for text, differs in one.tokens]
    shown = element("i", "?", style=_UNKNOWN) if is_hidden else _bar(one, one.n_errors / end)
    return element(
        "div",
        element("b", one.name),
        prose(("…", ""), *parts, (f"{THIN}…", ""), size="lead"),
        element("div", shown, style=_TRACK),
        style="display:grid;gap:.2rem;margin-bottom:.3rem",
    )


def _bar(one: Course, wide: float) -> Markup:
    bar = element("i", style=f"{_BAR};width:{wide:.2f}%;background:{colour(one.role)}")
    return bar + element("b", one.count, style=f"{_COUNT};{_place(wide)}")


def _place(wide: float) -> str:
    """Puts a count behind its bar, or into the end of a long one."""
    if wide < 60:
        return f"left:calc({wide:.2f}% + .6rem)"
    return f"right:calc({100 - wide:.2f}% + .6rem);color:{colour('paper')}"

"""One part of a finding as a picture: what was measured, on the axis where the claim would hold."""

import math

from markupsafe import Markup

from model.claims.records import Evidence
from viz.claims.report import measured
from viz.palette import colour
from viz.strip import element

PADDING = 0.12  # of the axis, at both ends
APART = 0.14  # of the axis: two numbers that can stand beside each other
_LINE = "position:relative;height:5.2rem;margin:.6rem 0 0;forced-color-adjust:none"
_SMALL = f"font-size:var(--size-small);color:{colour('muted')}"


# where the measured value may lie, until it is shown
_UNKNOWN = element(
    "i",
    element("b", "?", style=f"background:{colour('paper')};padding:0 .5rem"),
    style=f"position:absolute;left:0;right:0;top:1.15rem;height:1.4rem;border-radius:.7rem;"
    f"border:1.5px dashed {colour('muted')};color:{colour('ink')};font-style:normal;"
    "display:flex;align-items:center;justify-content:center",
)


def interval_picture(
    part: Evidence, *, is_covered: bool = False, directions: tuple[str, str] | None = None
) -> Markup:
    """Draws the mean and its interval, and the stretch of the axis that the claim asks for.

    Args:
        part: What was measured; nothing is drawn where it has no interval or nothing to reach.
        is_covered: Whether the measured values are left out, until a reader has said theirs.
        directions: What the axis means to the left of no difference, and to the right of it.
    """
    if part.interval is None or part.bar is None or math.isnan(sum(part.interval)):
        return Markup("")
    unit = "fraction" if part.unit == "share" else part.unit
    least = 1.0 if unit == "ratio" else 0.0  # no difference
    low, high = part.interval
    ends = [least, part.bar, low, high, *([] if part.below is None else [part.below])]
    width = (max(ends) - min(ends)) * (1 + 2 * PADDING)
    begin = min(ends) - PADDING * (max(ends) - min(ends))

    def at(value: float) -> float:
        return 100 * (value - begin) / width

    top = 100 if part.below is None else at(part.below)
    zone = (
        f"left:{at(part.bar):.2f}%;width:{top - at(part.bar):.2f}%;top:0;bottom:1.5rem;"
        f"background:{colour('kept-tint')};border-left:2px dashed {colour('kept')}"
    )
    axis = f"left:0;right:0;bottom:1.5rem;border-bottom:1.5px solid {colour('line')}"
    ticks = [part.bar] + ([least] if abs(at(least) - at(part.bar)) > 100 * APART else [])
    numbers = [
        element("small", measured(value, unit), style=f"{_at(at(value))};bottom:0;{_SMALL}")
        for value in ticks
    ]
    marks = [_interval(at(low), at(high)), _mean(at(part.mean))] if not is_covered else [_UNKNOWN]
    words = "" if is_covered else f"Measured: {measured(part.mean, unit)}. "
    asked = f"The claim asks for more than {measured(part.bar, unit)}."
    parts = [_i(zone), _i(axis), *marks, *numbers]
    return element(
        "figure",
        element("figcaption", part.what, style="font-weight:600"),
        element("div", *parts, style=_LINE, role="img", aria_label=words + asked),
        *([_ends(*directions)] if directions else []),
        _legend(is_covered=is_covered),
        style=f"margin:0;color:{colour('ink')}",
    )


def _ends(left: str, right: str) -> Markup:
    """Writes what the two directions of the axis mean, below its ends."""
    look = "display:flex;justify-content:space-between;font-weight:600"
    return element("div", element("span", f"← {left}"), element("span", f"{right} →"), style=look)


def _legend(*, is_covered: bool) -> Markup:
    field = f"background:{colour('kept-tint')};border-left:2px dashed {colour('kept')}"
    dot = f"width:.8rem;border-radius:50%;background:{colour('ink')}"
    unknown = f"border:1.5px dashed {colour('muted')};border-radius:.4rem"
    outside = f"border-bottom:1.5px solid {colour('muted')}"
    where = "measured, somewhere on this line", "what was measured, with its 95 % interval"
    keys = [
        _key(field, "all of the interval in here: the claim holds"),
        _key(outside, "all of it outside: the claim is refuted"),
        _key(unknown, where[0]) if is_covered else _key(dot, where[1]),
    ]
    return element("div", *keys, style=f"display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;{_SMALL}")


def _key(look: str, words: str) -> Markup:
    box = f"display:inline-block;width:1.2rem;height:.8rem;margin-right:.4rem;{look}"
    return element("span", element("i", style=f"{box};forced-color-adjust:none"), words)


def _i(style: str) -> Markup:
    return element("i", style=f"position:absolute;{style}")


def _at(share: float) -> str:
    return f"position:absolute;left:{share:.2f}%;transform:translateX(-50%);white-space:nowrap"


def _interval(low: float, high: float) -> Markup:
    place = f"left:{low:.2f}%;width:{high - low:.2f}%;top:1.65rem;height:.4rem"
    return _i(f"{place};border-radius:.2rem;background:{colour('ink')}")


def _mean(share: float) -> Markup:
    dot = f"{_at(share)};top:1.2rem;width:1.3rem;height:1.3rem;border-radius:50%"
    return element("i", style=f"{dot};background:{colour('ink')}", class_="measured-mean")

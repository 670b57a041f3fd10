"""One finding as bars: what was measured, and the line that the claim has to pass."""

from collections.abc import Sequence

from markupsafe import Markup

from viz.format import percent
from viz.palette import colour
from viz.strip import element

ROOM = 1.3  # times the longest bar: behind it stands its number
_TRACK = "position:relative;height:1.9rem;forced-color-adjust:none"
_LINE = f"position:absolute;top:-.25rem;bottom:-.25rem;border-left:2px dashed {colour('ink')}"
_LABEL = "position:absolute;top:calc(100% + .25rem);translate:-50%;white-space:nowrap;"
_UNKNOWN = (
    f"position:absolute;inset:0;border:1.5px dashed {colour('muted')};border-radius:.3rem;"
    "display:flex;align-items:center;justify-content:center;font-style:normal"
)


def bars_picture(
    title: str,
    bars: Sequence[tuple[str, float]],
    line: tuple[str, float],
    asks: str,
    *,
    is_covered: bool = False,
) -> Markup:
    """Draws shares as bars below each other, and across the last one the claim's line.

    Args:
        title: What the shares are of.
        bars: Name and share, from 0 to 1; the last is the one that the claim is about.
        line: What it is, and where.
        asks: When the claim holds.
        is_covered: Whether the last bar waits until a reader has said whether the claim holds.
    """
    longest = ROOM * max(line[1], *(share for _, share in bars))
    at = line[1]
    words = f"{line[0]}: {percent(at)}. {asks}"
    known = bars[:-1] if is_covered else bars
    place = f"left:{100 * max(0.0, at) / longest:.2f}%"
    mark = element("i", style=f"{_LINE};{place}") + element("span", line[0], style=_LABEL + place)
    rows = [_row(name, _bar(share, longest)) for name, share in known[: len(bars) - 1]]
    last = element("i", "?", style=_UNKNOWN) if is_covered else _bar(bars[-1][1], longest)
    told = "; ".join(f"{name}: {percent(share)}" for name, share in known)
    return element(
        "div",
        element("b", title),
        *rows,
        _row(bars[-1][0], last, mark),
        element("span", asks, style=f"color:{colour('muted')};margin-top:1.5rem"),
        style=f"display:grid;gap:.35rem;color:{colour('ink')}",
        role="img",
        aria_label=f"{title}. {told}. {words}",
    )


def _row(name: str, *track: Markup) -> Markup:
    return element("div", element("span", name), element("div", *track, style=_TRACK))


def _bar(share: float, longest: float) -> Markup:
    wide = 100 * max(0.0, share) / longest
    look = f"background:{colour('generated')};border-radius:.3rem"
    bar = element("i", style=f"position:absolute;top:0;bottom:0;left:0;width:{wide:.2f}%;{look}")
    place = f"position:absolute;left:calc({wide:.2f}% + .6rem);top:.25rem"
    return bar + element("b", percent(share), style=place)

"""One finding as bars: what was counted, and the line that the claim has to pass."""

from collections.abc import Sequence

from markupsafe import Markup

from viz.format import count, round_steps
from viz.palette import colour
from viz.strip import element

_PLOT = "position:relative;margin-right:3.5rem"  # behind the longest bar stands its number
_TRACK = f"position:relative;height:1.9rem;background:{colour('generated-tint')}"
_LINE = f"position:absolute;top:-.25rem;bottom:-.25rem;border-left:2px dashed {colour('ink')}"
_LABEL = "position:absolute;bottom:calc(100% + .25rem);translate:-50%;white-space:nowrap;"
_TICKS = f"height:1.4em;color:{colour('muted')};font-size:var(--size-small)"
_UNKNOWN = (
    f"position:absolute;inset:0;border:1.5px dashed {colour('muted')};border-radius:.3rem;"
    f"display:flex;align-items:center;justify-content:center;background:{colour('paper')};"
    "font-style:normal"
)


def bars_picture(
    title: str,
    bars: Sequence[tuple[str, float]],
    line: tuple[str, float],
    asks: str,
    *,
    is_covered: bool = False,
) -> Markup:
    """Draws counts as bars on one axis from 0, and across the last one the claim's line.

    Args:
        title: What is counted, and in how many.
        bars: Name and count; the last is the one that the claim is about.
        line: What it is, and where.
        asks: When the claim holds.
        is_covered: Whether the last bar waits until a reader has said whether the claim holds.
    """
    known = bars[:-1] if is_covered else bars
    ticks = round_steps(max(line[1], *(value for _, value in known)))
    end = ticks[-1]
    place = f"left:{100 * max(0.0, line[1]) / end:.2f}%"
    mark = element("i", style=f"{_LINE};{place}") + element("span", line[0], style=_LABEL + place)
    rows = [_row(name, _bar(value, end)) for name, value in known[: len(bars) - 1]]
    last = element("i", "?", style=_UNKNOWN) if is_covered else _bar(bars[-1][1], end)
    told = "; ".join(f"{name}: {_plain(value)}" for name, value in known)
    return element(
        "div",
        element("b", title),
        *rows,
        _row(bars[-1][0], last, mark),
        element("div", *(_tick(tick, end) for tick in ticks), style=f"{_PLOT};{_TICKS}"),
        element("span", asks, style=f"color:{colour('muted')}"),
        style=f"display:grid;gap:.35rem;color:{colour('ink')};forced-color-adjust:none",
        role="img",
        aria_label=f"{title}. {told}. {line[0]}: {_plain(line[1])}. {asks}",
    )


def _plain(value: float) -> str:
    return count(round(value))


def _row(name: str, *track: Markup) -> Markup:
    return element("div", element("span", name), element("div", *track, style=_TRACK), style=_PLOT)


def _tick(value: float, end: float) -> Markup:
    place = f"position:absolute;left:{100 * value / end:.2f}%;translate:-50%"
    return element("span", _plain(value), style=place)


def _bar(value: float, end: float) -> Markup:
    wide = 100 * max(0.0, value) / end
    look = f"background:{colour('generated')};border-radius:0 .3rem .3rem 0"
    bar = element("i", style=f"position:absolute;top:0;bottom:0;left:0;width:{wide:.2f}%;{look}")
    place = f"position:absolute;left:calc({wide:.2f}% + .6rem);top:.25rem"
    return bar + element("b", _plain(value), style=place)

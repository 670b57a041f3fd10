"""The same masks in several engines' orders: what each leaves of one bar, under one pointer."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from markupsafe import Markup

from viz.format import THIN, percent
from viz.palette import colour
from viz.strip import HATCH, element

_BAR = (
    "position:relative;display:flex;height:clamp(2.1rem,5.2vh,4rem);border-radius:.3rem;forced-color-adjust:none;"
    f"background:{colour('raised')}"
)
# a word that has no room beside the strut wraps out of sight: none is cut
_SEGMENT = (
    "display:flex;flex-wrap:wrap;place-content:start center;align-items:center;overflow:hidden;"
    "white-space:nowrap;font:var(--size-lead)/1.9 var(--read)"
)

_THIN = "position:relative;display:flex;height:1.15rem;margin-bottom:3px;forced-color-adjust:none"
_EDGE = f"box-shadow:inset -1px 0 {colour('paper')}"
_KEPT = f"opacity:.6;background:{colour('kept')};{_EDGE}"
_OUT = f"background:{HATCH};{_EDGE}"
_MARK = (
    f"position:absolute;top:-2px;bottom:-2px;border-left:2px dashed {colour('ink')};"
    f"padding-left:.3rem;line-height:1.3rem;font-size:var(--size-small)"
)

_BEFORE, _CUT = "before the cut", "cut"
_NAME = "position:absolute;padding:0 .3rem;line-height:1.15rem;font-size:var(--size-small)"

Shares: TypeAlias = Sequence[tuple[str, float]]  # tokens with theirs of the bar, likeliest first


@dataclass(frozen=True)
class Pipeline:
    """What one engine's order leaves to draw from."""

    engine: str
    masks: tuple[str, ...]  # with their values, in the engine's order
    lacks: tuple[str, ...]  # those that it has not
    left: Shares
    drawn: int  # which of them the pointer falls on
    given: Shares = ()  # to the mask that cuts
    cut: float = 0.0  # the share up to which it keeps tokens

    @property
    def token(self) -> str:
        """The one that is drawn."""
        return self.left[self.drawn][0]

    @property
    def order(self) -> str:
        """Its masks in words."""
        return " → ".join(self.masks)

    @property
    def lacking(self) -> str:
        """Those masks in words, after others."""
        return "".join(f" (no {mask})" for mask in self.lacks)

    @property
    def drawn_words(self) -> str:
        """What is drawn, and of how many."""
        return f"draws “{self.token}”, {len(self.left)} left"


def pipelines_picture(
    given: Shares, pipelines: Sequence[Pipeline], pointer: float, *, is_covered: bool = False
) -> Markup:
    """Draws the bar that all get, and below it what each engine leaves of it.

    Args:
        given: The tokens and their shares before any mask.
        pipelines: In the order in which they stand below each other.
        pointer: Where it falls on all of them, from 0 to 1.
        is_covered: Whether what they leave waits until a reader has said which leaves more.
    """
    rows = [[*group] for _, group in groupby(pipelines, key=lambda one: (one.order, one.lacks))]
    heard = "; ".join(f"{_names(row)} {row[0].drawn_words}" for row in rows)
    return element(
        "div",
        element("div", _head("the bar that all four engines get", ""), _bar(given, pointer)),
        *(_row(_names(row), row[0], pointer, is_covered) for row in rows),
        style=f"display:grid;gap:.4rem;color:{colour('ink')}",
        role="img",
        aria_label="A bar for each order." if is_covered else f"{heard}.",
        translate="no",
    )


def _names(row: Sequence[Pipeline]) -> str:
    return ", ".join(one.engine for one in row)


def _row(names: str, one: Pipeline, pointer: float, is_covered: bool) -> Markup:
    cover = "visibility:hidden" * is_covered
    said = element("b", one.drawn_words, style=f"margin-inline-start:auto;{cover}")
    bar = _bar((), pointer) if is_covered else _bar(one.left, pointer, hit=one.drawn)
    cut = _cut_bar((), 0, 0) if is_covered else _cut_bar(one.given, len(one.left), one.cut)
    return element("div", _head(f"{one.order}{one.lacking}", names, said), cut, bar)


def _cut_bar(given: Shares, n_kept: int, cut: float) -> Markup:
    """Draws the bar that a mask cuts, thin: what is out is hatched, from the token at its line."""
    cells = [
        element("i", style=f"flex:0 0 {100 * share:.3f}%;{_KEPT if i < n_kept else _OUT}")
        for i, (_label, share) in enumerate(given)
    ]
    mark = (
        element("b", f"{100 * cut:.0f}{THIN}%", style=f"{_MARK};left:{100 * cut:.2f}%")
        if given
        else ""
    )
    end = f"{_NAME};right:0;background:{colour('paper')}"
    names = element("span", _BEFORE, style=_NAME), element("span", _CUT, style=end)
    return element("div", *cells, *(names if given else ()), mark, style=_THIN)


def _head(name: str, order: str, *more: Markup) -> Markup:
    words = element("span", order, style=f"color:{colour('muted')};font-size:var(--size-small)")
    look = "display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .6rem;margin-bottom:.15rem"
    return element("div", element("b", name), words, *more, style=look)


def _bar(shares: Shares, pointer: float, hit: int | None = None) -> Markup:
    cells, start = [], 0.0
    for i, (label, share) in enumerate(shares):
        cells.append(_cell(label, share, pointer - start, is_hit=i == hit))
        start += share
    return element("div", *cells, _pointer(pointer), style=_BAR)


def _cell(label: str, share: float, pointer: float, *, is_hit: bool) -> Markup:
    """Draws a token's segment; its word stands on the wider side of a pointer that falls in it."""
    edge = f"inset 0 0 0 3px {colour('chosen')}" if is_hit else f"inset -1px 0 {colour('paper')}"
    look = f"background:{colour('kept')};color:{colour('kept-ink')};box-shadow:{edge}"
    style = f"{_SEGMENT};flex:0 0 {100 * share:.3f}%;{look}"
    if 0 < pointer < share:
        side, taken = ("left", pointer) if 2 * pointer < share else ("right", share - pointer)
        style += f";box-sizing:border-box;padding-{side}:calc({100 * taken:.3f}% + 4px)"
    strut, word = element("i", style="height:100%"), element("span", label)
    return element("span", strut, word, style=style, title=f"{label} {percent(share)}")


def _pointer(at: float) -> Markup:
    place = f"left:calc({100 * at:.2f}% - 1.5px);top:-.3rem;bottom:-.3rem;width:3px"
    return element("i", style=f"position:absolute;{place};background:{colour('pointer')}")

"""Small pictures of what the guided lessons show, from what the model gave: each for one card."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from markupsafe import Markup

from viz.format import digits
from viz.strip import element

Spot: TypeAlias = tuple[float, float]  # a column and a row of the tree

LINES = {  # of the tree, the faintest first
    "kept": "stroke-width='1.5'",
    "greedy": "stroke-width='2' stroke-dasharray='5 4'",
    "best": "stroke-width='5'",
}
_SVG = (  # a mask: the colour is that of what it masks
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100' preserveAspectRatio='none'>"
    "<path d='{}' {} fill='none' stroke='black' vector-effect='non-scaling-stroke'/></svg>"
)


class Branch(NamedTuple):
    """A token of the tree: where its parent and it stand."""

    start: Spot
    end: Spot
    word: str
    look: Literal["best", "greedy", "kept"]


def staircase(
    words: Sequence[str], shares: Sequence[float], pointer: float, caption: str
) -> Markup:
    """Draws each share where it lies on the bar, the bar below them, and a pointer through both.

    Args:
        words: The likeliest tokens; the others share what is left.
        shares: Theirs of the bar.
        pointer: Where it falls, from 0 to 1.
        caption: What a step is.
    """
    starts = [0.0, *accumulate(shares)]
    every = [*zip(words, starts, shares, strict=False), ("", starts[-1], 1 - starts[-1])]
    rows = [
        element("div", _piece("", start, share, pointer), class_="card-step")
        for _, start, share in every
    ]
    drawn = bar(words, shares, pointer), _mark(words, shares, pointer)
    return _figure("stairs", *rows, *drawn, element("small", caption))


def before_and_after(
    words: Sequence[str],
    whole: Sequence[float],
    cut: Sequence[float],
    pointer: float,
    names: tuple[str, str],
) -> Markup:
    """Draws the bar as the model gives it, and what a mask leaves of it, each below its name."""
    bars = [
        part
        for name, shares in zip(names, (whole, cut), strict=True)
        for part in (element("small", name), bar(words, shares, pointer))
    ]
    return _figure("cut", *bars, _mark(words, cut, pointer))


def _mark(words: Sequence[str], shares: Sequence[float], pointer: float) -> Markup:
    """Draws the pointer, and at its foot the token on which it falls."""
    ends = [*accumulate(shares)]
    hit = next((word for word, end in zip(words, ends, strict=False) if pointer < end), "")
    return element("i", element("b", hit), class_="card-pointer", style=f"--at:{pointer}")


def bar(words: Sequence[str], shares: Sequence[float], pointer: float) -> Markup:
    """Draws shares end to end; what they leave is nobody's."""
    starts = [0.0, *accumulate(shares)]
    every = [*zip(words, starts, shares, strict=False)]
    if starts[-1] < 1 - 1e-3:
        every.append(("", starts[-1], 1 - starts[-1]))
    return element("div", *(_piece(*one, pointer) for one in every), class_="card-bar")


def _piece(word: str, start: float, share: float, pointer: float) -> Markup:
    is_hit = start <= pointer < start + share
    look = f"--from:{start:.4f};--share:{share:.4f}"
    return element("span", word, class_="card-piece is-hit" if is_hit else "card-piece", style=look)


def tree(branches: Sequence[Branch], caption: str) -> Markup:
    """Draws a beam search: the best text thick, greedy's dashed, and the words of both."""
    n_columns = max(one.end[0] for one in branches)
    n_rows = max(row for one in branches for row in (one.start[1], one.end[1]))

    def at(spot: Spot) -> Spot:
        """Returns where a token stands, in hundredths of the picture."""
        return 8 + 86 * spot[0] / n_columns, 10 + 80 * spot[1] / n_rows

    lines = []
    for look, line in LINES.items():  # the thick one lies on top
        curves = "".join(_curve(at(a), at(b)) for a, b, _, own in branches if own == look)
        drawn = _SVG.format(curves, line)
        mask = f"mask-image:url('data:image/svg+xml,{quote(drawn)}')"
        lines.append(element("i", class_=f"card-lines is-{look}", style=mask))
    words = [
        element(
            "span",
            one.word,
            class_=f"card-word is-{one.look}",
            style="left:{:.1f}%;top:{:.1f}%".format(*at(one.end)),
        )
        for one in branches
        if one.look != "kept" and one.word
    ]
    drawn = element("div", *lines, *words, class_="card-branches")
    return _figure("tree", drawn, element("small", caption))


def _curve(start: Spot, end: Spot) -> str:
    (x, y), (to_x, to_y) = start, end
    middle = (x + to_x) / 2
    return f"M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"


def race(lanes: Sequence[Sequence[float]], names: Sequence[str], keys: tuple[str, str]) -> Markup:
    """Draws how long requests took, on one clock: what was read is solid, what was written striped.

    Args:
        lanes: Of each request, the seconds to the first token and to the last.
        names: What each of them is, above its lane.
        keys: What the solid part is, and what the striped one.
    """
    longest = max(end for _, end in lanes)
    rows = [
        element("small", name, " ", element("b", f"{digits(end, 2)} s"))
        + element(
            "div",
            element("span", class_="card-read", style=f"--share:{first / longest:.4f}"),
            element("span", class_="card-written", style=f"--share:{(end - first) / longest:.4f}"),
            class_="card-lane",
        )
        for name, (first, end) in zip(names, lanes, strict=True)
    ]
    looks = "card-read", "card-written"
    key = [
        part
        for look, name in zip(looks, keys, strict=True)
        for part in (element("i", class_=look), name)
    ]
    return _figure("race", *rows, element("small", *key, class_="card-keys"))


def _figure(name: str, *children: Markup) -> Markup:
    return element(
        "div", *children, class_=f"card-figure card-{name}", aria_hidden="true", translate="no"
    )

"""Bars: of a distribution, one for each name, panels of what was measured, or draws counted.

A distribution is drawn as the page draws it (pages/frame/live/bar_cell.js): a bar is what is drawn
from, as long as the number behind it says; a dashed outline is the share that a mask took, under
the word "out"; the axis goes from 0 to 100 %, whatever stands on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from viz.chart import (
    Chart,
    add_bars,
    add_columns,
    add_line,
    filled,
    new_figure,
    number_axis,
    write_at,
)
from viz.figure import Figure, Style
from viz.format import THIN, count, percent
from viz.labels import name_rows, token_ticks
from viz.palette import colour

BESIDE, BELOW = 0.08, 0.12  # of the figure, between panels
ROOM = 1.75  # times the longest bar: behind it stands its number
MAX_TOKENS = 24  # of draws, with a pair of bars of their own
MAX_LABEL = 16  # characters of a token below its bars
N_IN_SCENE = 8  # tokens that one looks at from afar: larger, with their numbers
LETTERS, NUMERAL = 16, 19  # pixels, there
ABOVE = 1.3  # times the longest outline: room for a bar that strays, and for its number
TICKS = (0, 50, 100)
OUT = "out"
NUMBERS = 0.42  # of the axis, behind 100 %: room for the numbers
THICK = 0.78  # of a row
Box = tuple[float, float, float, float]  # left, right, and the two edges across


@dataclass(frozen=True)
class Panel:
    """What was measured of every method."""

    title: str
    values: Sequence[float]  # 0 or more, one for each method
    texts: Sequence[str]  # the same, as they are read
    marker: dict[str, Any]


def panels_figure(
    names: Sequence[str], panels: Sequence[Panel], *, n_columns: int, row_pixels: int
) -> Figure:
    """Draws the panels in rows of so many, so that they can be read on a phone as well."""
    n_rows = -(-len(panels) // n_columns)
    figure = new_figure()
    for cell in range(n_rows * n_columns):
        _place_cell(figure, cell, n_rows, n_columns)
    ink = {"size": 13, "color": colour("ink")}
    for i, panel in enumerate(panels):
        n = _number(i)
        look: Style = {"width": 0.66, "marker": panel.marker, "xaxis": f"x{n}", "yaxis": f"y{n}"}
        add_bars(figure, "", names, panel.values, panel.texts, **look)
        axis = {
            "title": {"text": panel.title, "font": ink},
            "range": [0, max(*panel.values, 1e-9) * ROOM],
            "side": "top",
            "showticklabels": False,
            "ticks": "",
        }
        figure.update_layout(**{f"xaxis{n}": axis})
    name_rows(figure, names)
    figure.update_layout(height=n_rows * (row_pixels * len(names) + 50))
    return figure


def _place_cell(figure: Figure, cell: int, n_rows: int, n_columns: int) -> None:
    """Lays out the axes of a cell, the first at the top left; a row shares its names."""
    row, column = divmod(cell, n_columns)
    wide, high = _share(n_columns, BESIDE), _share(n_rows, BELOW)
    left, low = column * (wide + BESIDE), (n_rows - 1 - row) * (high + BELOW)
    n, first = _number(cell), _number(row * n_columns)
    shared = {"matches": f"y{first}", "showticklabels": False} if column else {}
    across = {"anchor": f"y{n}", "domain": [left, left + wide]}
    up = {"anchor": f"x{n}", "domain": [low, low + high]}
    figure.update_layout(**{f"xaxis{n}": across, f"yaxis{n}": up | shared})


def _number(cell: int) -> str:
    """Returns what stands behind the names of a cell's axes: nothing at the first."""
    return str(cell + 1) if cell else ""


def _share(n: int, gap: float) -> float:
    """Returns what each of so many beside each other takes of the whole, gaps between them."""
    return (1 - gap * (n - 1)) / n


def lying_bars(bars: Sequence[tuple[str, float, str, str]], title: str) -> Figure:
    """Draws bars below each other, the name of each before it and its number in bold behind it.

    Args:
        bars: Name, length in the axis's unit, the number as it is read, role of the colour.
        title: Of the axis.
    """
    figure = new_figure()
    for name, length, words, role in bars:
        look: Style = {"width": 0.55, "marker": filled(colour(role)), "textfont": {"size": 15}}
        add_bars(figure, "", [name], [length], [f"<b>{words}</b>"], **look)
    name_rows(figure, [name for name, *_ in bars], 14)
    figure.update_xaxes(number_axis(max(length for _, length, *_ in bars), title, room=1.3))
    figure.update_layout(height=80 + 46 * len(bars))
    return figure


def draws_figure(
    labels: Sequence[str],
    drawn: npt.NDArray[np.integer],
    probs: npt.NDArray[np.floating],
    *,
    is_covered: bool = False,
    in_scene: bool = False,
) -> Chart:
    """Draws how often each token was drawn, beside how often that was to be expected.

    Args:
        labels: of the tokens, likeliest first.
        drawn: (n,) times that each came, in the same order.
        probs: (n,) of each.
        is_covered: Whether only what is to be expected shows.
        in_scene: Whether a few large pairs are wanted, each with the number of its draws.
    """
    n_draws = int(drawn.sum())
    n_shown = min(N_IN_SCENE if in_scene else MAX_TOKENS, int(np.count_nonzero(probs)))
    observed = (drawn[:n_shown] * (not is_covered)).tolist()
    expected = (probs[:n_shown] * n_draws).tolist()
    # tokens may share a label, and a label may look like a number: places carry the bars
    places, figure = range(n_shown), new_figure()
    outlined = {"color": "rgba(0,0,0,0)", "line": {"color": colour("ink"), "width": 1.5}}
    add_columns(figure, "expected", places, expected, "%{y:.1f}", marker=outlined)
    look: Style = {"marker": {"color": colour("kept")}}
    if in_scene and not is_covered:
        look |= {"text": [f"<b>{count(n)}</b>" for n in observed], "textposition": "outside"}
        look |= {"textfont": {"size": NUMERAL, "color": colour("ink")}, "cliponaxis": False}
        look |= {"constraintext": "none", "textangle": 0}  # as large on a phone
    add_columns(figure, "drawn", places, observed, "%{y}", **look)
    figure.update_xaxes(token_ticks(labels[:n_shown], n_characters=MAX_LABEL))
    figure.update_yaxes(title_text=f"times in {count(n_draws)} draws")
    figure.update_layout(barmode="group", bargap=0.25)
    if in_scene:
        large = {"tickfont": {"size": LETTERS, "color": colour("ink")}}
        figure.update_xaxes(**large)
        # the same axis before and after: nothing but the bars comes
        figure.update_yaxes(**large, range=[0, ABOVE * max(expected)])
        figure.update_layout(legend={"font": {"size": LETTERS}}, yaxis={"title": {"text": ""}})
    n_kept = int(np.count_nonzero(probs))
    rest = f" The {count(n_kept - n_shown)} rarer ones are not shown." if n_kept > n_shown else ""
    gap = np.abs(drawn / n_draws - probs).max()
    caption = (
        f"Measured: {count(n_draws)} draws by {count(n_draws)} pointers, filled; derived: the "
        f"probability times {count(n_draws)}, outlined. Largest gap of a token: "
        f"{percent(float(gap))} of the draws.{rest}"
    )
    if is_covered:
        caption = f"Derived: the probability times {count(n_draws)}, outlined.{rest}"
    return Chart(figure, "Draws against expectation", caption)


def share_axis(title: str = "", **more: Any) -> Style:
    """Describes the axis of shares."""
    names = [f"{tick}{THIN}%" for tick in TICKS]
    axis: Style = {"range": [0, 1 + NUMBERS], "tickvals": [tick / 100 for tick in TICKS]}
    return axis | {"ticktext": names, "title_text": title, "visible": True, "tickangle": 0} | more


def add_shares(
    figure: Figure,
    shares: Mapping[int, float],
    taken: Mapping[int, float] | None = None,
    **axis: Any,
) -> None:
    """Draws a distribution in its rows.

    Args:
        figure: To draw in.
        shares: By row, what is drawn from.
        taken: By row, the share of what a mask took, before it did.
        **axis: Of the bars, such as `xaxis`.
    """
    texts = [percent(share) for share in shares.values()]
    look: Style = {"width": THICK, "marker": filled(colour("kept"), 1.2), **axis}
    add_bars(figure, "", shares, shares.values(), texts, **look)
    gone = dict(taken or {})
    half = THICK / 2
    boxes = [(0.0, share, row - half, row + half) for row, share in gone.items()]
    add_outlines(figure, "", boxes, **axis)
    places = {"xref": axis["xaxis"]} if "xaxis" in axis else {}
    for row, share in gone.items():
        words: Style = {
            "xanchor": "left",
            "xshift": 4,
            "font": {"color": colour("muted"), "size": 12},
        }
        write_at(figure, share, row, OUT, **words, **places)


def add_outlines(figure: Figure, name: str, boxes: Sequence[Box], **more: Any) -> None:
    """Draws dashed outlines of what was taken, as one path."""
    if not boxes:
        return
    x: list[float | None] = []
    y: list[float | str | None] = []
    for left, right, low, high in boxes:
        x += [left, right, right, left, left, None]
        y += [low, low, high, high, low, None]
    add_line(
        figure, name, x, y, colour("rejected"), width=1.3, dash="3px,2px", hoverinfo="skip", **more
    )

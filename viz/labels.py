"""Names in a figure, of tokens, rows and lines: their characters as they are, cut to their room."""

import html
import math
import re
import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from viz.figure import Figure, Style
from viz.palette import colour

START = "start"  # as model.tokenizing labels the token that begins a text
MAX_MOVES = 60  # rounds in which labels are moved apart
LETTERS, MAX_LETTERS = 13, 15  # of a line's name: their size, and how many stand in a row
AROUND = 60  # pixels of a figure's height outside its axes
UPRIGHT = [0, -90]  # degrees: a label lies where there is room, and stands where there is none
# colours of lines that are too pale for words
_AS_WORDS = {colour("kept"): colour("kept-text"), colour("stage"): colour("ink")}


def plain(label: str, most: int | None = None) -> str:
    """Keeps characters from being read as Plotly's markup.

    Args:
        label: A token or a name.
        most: Characters for which there is room; all, where None.
    """
    cut = label if most is None or len(label) <= most else f"{label[: most - 1]}…"
    return html.escape(cut, quote=False)


def in_sentence(label: str) -> str:
    """Writes a token into a sentence of Markdown, where it looks like a token and is not read."""
    return f"`{label.replace('`', 'ˋ')}`"


def token_ticks(
    labels: Sequence[str], most: int = 48, n_characters: int = 10, at: float = 0.0
) -> dict[str, Any]:
    """Names tokens along an axis, every n-th where there are more than so many."""
    places = range(0, len(labels), max(1, -(-len(labels) // most)))
    return {
        "tickvals": [place + at for place in places],
        "ticktext": [plain(labels[place], n_characters) for place in places],
        "autotickangles": UPRIGHT,
        "ticks": "",
    }


def apart(wanted: Sequence[float], rooms: Sequence[float], low: float, high: float) -> list[float]:
    """Returns places near those wanted, so many of the axis's units apart, within its bounds."""
    order, places = sorted(range(len(wanted)), key=lambda i: wanted[i]), list(wanted)
    bounds = [(low + room / 2, high - room / 2) for room in rooms]
    for _ in range(MAX_MOVES):
        for below, above in pairwise(order):
            room = (rooms[below] + rooms[above]) / 2
            push = max(0.0, room - (places[above] - places[below])) / 2
            places[below] -= push
            places[above] += push
        places = [min(max(y, least), most) for y, (least, most) in zip(places, bounds, strict=True)]
    return places


def name_lines(figure: Figure) -> None:
    """Writes the name of each line behind its end, in its colour: a legend would be far.

    Names that would lie on each other are moved apart; call it once the axes have their ranges.
    """
    drawn = [trace for trace in figure.data if trace["type"] == "scatter" and len(trace["y"])]
    lines = [trace for trace in drawn if trace.get("name") and trace.get("showlegend", True)]
    wrapper = textwrap.TextWrapper(MAX_LETTERS, break_long_words=False, break_on_hyphens=False)
    words = [wrapper.wrap(trace["name"]) for trace in lines]
    ends = [_heights(trace, figure)[-1] for trace in lines]
    low, high = _reach(figure)
    row = 1.3 * LETTERS * (high - low) / (figure.layout["height"] - AROUND)
    places = apart(ends, [row * (len(rows) + 0.4) for rows in words], low, high)
    for trace, rows, y in zip(lines, words, places, strict=True):
        tone = trace.get("line", {}).get("color") or trace["marker"]["color"]
        tone = re.sub(r",[\d.]+", "", tone)
        font = {"size": LETTERS, "color": _AS_WORDS.get(tone, tone)}
        beside = {"xanchor": "left", "xshift": 6, "align": "left", "showarrow": False}
        name = {"text": "<br>".join(rows), "xref": "paper", "x": 1, "y": y, "font": font}
        figure.add_annotation(**beside, **name)
        trace["showlegend"] = False
    longest = max((len(row) for rows in words for row in rows), default=0)
    figure.update_layout(margin={"r": round(0.56 * LETTERS * longest) + 12})


def _heights(trace: Style, figure: Figure) -> list[float]:
    """Returns where the axis puts the points of a line."""
    heights = [float(y) for y in trace["y"] if y is not None]
    is_log = figure.layout.get("yaxis", {}).get("type") == "log"
    return [math.log10(y) for y in heights] if is_log else heights


def _reach(figure: Figure) -> tuple[float, float]:
    """Returns the bounds of the axis: its own, or what the lines and zero need."""
    axis = figure.layout.get("yaxis", {})
    lines = [trace for trace in figure.data if trace["type"] == "scatter"]
    heights = [y for line in lines for y in _heights(line, figure)]
    if axis.get("type") != "log" and axis.get("rangemode") != "normal":
        heights.append(0.0)  # an axis begins there
    low, high = sorted(axis.get("range") or (min(heights), max(heights)))
    return low, high


def name_rows(figure: Figure, names: Sequence[str], size: int = 13) -> None:
    """Writes the names of horizontal rows before them, the first at the top."""
    figure.update_yaxes(
        type="category",  # names may be numbers
        categoryorder="array",
        categoryarray=list(names)[::-1],
        showgrid=False,
        ticklabelstandoff=4,
        tickfont={"size": size, "color": colour("ink")},
    )


def place_rows(
    figure: Figure, labels: Sequence[str], font: dict[str, object] | None = None
) -> None:
    """Writes labels before the rows 0, 1, 2..., the first at the top; two of them may be alike."""
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=list(labels),
        tickfont=font,
        autorange="reversed",
        showgrid=False,
        rangemode="normal",
    )

"""What every figure is made of: the drawing, its caption, its words for who cannot see it."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from model.records import Machine
from viz.figure import Figure, Style
from viz.format import THIN, log_ticks, round_steps
from viz.labels import apart
from viz.palette import FONT, colour, sheer

PHASE_ROLES = {"prefill": "prompt", "decode": "generated"}
MAX_BARS = 50  # an SVG bar is an element of the page: beyond this one path draws a staircase
HEIGHT = 300  # pixels
LETTERS, MAX_LETTERS = 13, 15  # of a line's name: their size, and how many stand in a row
AROUND = 60  # pixels of a figure's height outside its axes
# colours of lines that are too pale for words
_AS_WORDS = {colour("kept"): colour("kept-text"), colour("stage"): colour("ink")}


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure without a title, and the words that belong around it."""

    figure: Figure
    caption: str  # what it says, with its numbers; measured, recorded, derived or illustrative
    alt: str  # the same for who hears the page


@cache
def template() -> Style:
    """Gives the look of every Plotly figure: transparent paper, quiet axes, thin spaces.

    The figure has no title and no background of its own: its caption is the page's, and the page's
    theme shows through.
    """
    muted, line = colour("muted"), colour("line")
    axis = {
        "automargin": True,
        "gridcolor": line,
        "linecolor": line,
        "showgrid": False,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": line,
        "tickfont": {"color": muted, "size": 12},
        "tickformat": ",",
        "title": {"font": {"color": muted, "size": 12}, "standoff": 8},
        "zeroline": False,
    }
    layout = Figure(
        font={"family": FONT, "size": 13, "color": colour("ink")},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        separators=f".{THIN}",
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis=axis,
        yaxis=axis | {"showgrid": True, "ticks": "", "ticklabelstandoff": 4, "rangemode": "tozero"},
        bargap=0.2,
        showlegend=False,
        hovermode="closest",
        hoverlabel={
            "bgcolor": colour("raised"),
            "bordercolor": line,
            "font": {"family": FONT, "size": 13, "color": colour("ink")},
        },
        colorway=[colour(role) for role in ("kept", "prompt", "generated", "surprise")],
    )
    return {"layout": layout.layout}


def new_figure(height: int = HEIGHT, x: str = "", y: str = "") -> Figure:
    """Starts a figure with the template, a legend of words above it, and the axes' titles."""
    legend = {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 1.02,
        "yanchor": "bottom",
        "itemclick": False,
        "itemdoubleclick": False,
        "font": {"size": 12, "color": colour("ink")},
    }
    titles = {
        f"{axis}axis": {"title": {"text": text}} for axis, text in (("x", x), ("y", y)) if text
    }
    return Figure(template=template(), height=height, showlegend=True, legend=legend, **titles)


def empty_chart(note: str) -> Chart:
    """Draws a sentence where there is nothing to draw yet."""
    figure = new_figure()
    figure.update_layout(showlegend=False)
    figure.update_xaxes(visible=False, range=[0, 1])
    figure.update_yaxes(visible=False, range=[0, 1])
    font = {"color": colour("muted"), "size": 14}
    figure.add_annotation(text=note, showarrow=False, x=0.5, y=0.5, font=font)
    return Chart(figure, note, note)


def as_recorded(chart: Chart, machine: Machine) -> Chart:
    """Returns a figure of another machine's run, which says so."""
    words = [recorded_words(text, machine) for text in (chart.caption, chart.alt)]
    return replace(chart, caption=words[0], alt=words[1])


def recorded_words(text: str, machine: Machine) -> str:
    """Says of what was measured elsewhere that it was, when, and where."""
    date = f"Recorded {machine.date[:10]}"
    told = text.replace("Measured in", f"{date} on {machine.where}, in")
    return re.sub(r"\bMeasured\b", date, told)


def filled(tone: str, edge: float = 1.5, shape: str = "") -> dict[str, object]:
    """Describes a bar thinly filled with a colour and edged with it; "/" hatches it."""
    marker: dict[str, object] = {"color": sheer(tone), "line": {"color": tone, "width": edge}}
    if shape:
        marker["pattern"] = {"shape": shape, "fgcolor": tone, "size": 7, "solidity": 0.25}
    return marker


def hatched() -> dict[str, object]:
    """Describes a bar of what was rejected: grey and hatched."""
    tone = colour("rejected")
    return {
        "color": colour("rejected-tint"),
        "line": {"color": tone, "width": 1.2},
        "pattern": {"shape": "/", "fgcolor": tone, "size": 5},
    }


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
    figure.update_layout(height=80 + 46 * len(bars), showlegend=False)
    return figure


def add_bars(
    figure: Figure,
    name: str,
    rows: Iterable[str | int],
    lengths: Iterable[float],
    texts: Sequence[str] = (),
    hover: str | Sequence[str] = "",
    **more: Any,
) -> None:
    """Draws lying bars, each in the row of its name or number, with its text behind it."""
    trace = {"y": list(rows), "x": list(lengths), "orientation": "h", **_named(name, hover)}
    if texts:
        font = {"size": 12, "color": colour("ink")}
        trace |= {"text": texts, "textposition": "outside", "textfont": font, "cliponaxis": False}
    figure.add_bar(**trace | more)


def add_points(
    figure: Figure,
    name: str,
    x: Iterable[float],
    y: Iterable[float | str],
    marker: Style,
    hover: str | Sequence[str] = "",
    **more: Any,
) -> None:
    """Draws a mark at each point."""
    trace = {"x": list(x), "y": list(y), "mode": "markers", "marker": marker}
    figure.add_scatter(**trace | _named(name, hover) | more)


def add_line(
    figure: Figure,
    name: str,
    x: Iterable[float | None],
    y: Iterable[float | str | None],
    tone: str,
    *,
    width: float = 2.5,
    dash: str = "solid",
    symbol: str | None = None,
    hover: str | Sequence[str] = "",
    shape: str = "linear",
    **more: Any,
) -> None:
    """Draws a line, with a mark at each point where a symbol is named; "hv" makes stairs."""
    trace = {
        "x": list(x),
        "y": list(y),
        "mode": "lines+markers" if symbol else "lines",
        "line": {"color": tone, "width": width, "dash": dash, "shape": shape},
        "marker": {"symbol": symbol, "size": 8, "color": tone},
    }
    figure.add_scatter(**trace | _named(name, hover) | more)


def add_cells(
    figure: Figure, values: Any, tones: Sequence[str], hover: Any = "", **more: Any
) -> None:
    """Draws numbers from 0 to 1, or as `zmin` and `zmax` say, as cells from one tone to another."""
    scale = [[i / (len(tones) - 1), tone] for i, tone in enumerate(tones)]
    look = {"zmin": 0, "zmax": 1, "colorscale": scale, "showscale": False}
    figure.add_heatmap(z=values, **look | _named("", hover) | more)


def _named(name: str, hover: str | Sequence[str]) -> Style:
    """Names a trace in the legend, and says what the pointer reads.

    That is nothing, one of Plotly's templates with the name behind it, or a text for each mark.
    """
    if not isinstance(hover, str):
        return {"name": name, "hovertext": hover, "hoverinfo": "text"}
    if not hover:
        return {"name": name, "hoverinfo": "skip"}
    return {"name": name, "hovertemplate": f"{hover}<extra>{name}</extra>"}


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
    places = apart(ends, [row * len(rows) for rows in words], low, high)
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


def write_at(
    figure: Figure, x: float, y: float | str, text: str, size: int = 13, **more: Any
) -> None:
    """Writes some words at a point."""
    font = {"size": size, "color": colour("ink")}
    figure.add_annotation(x=x, y=y, text=text, **{"showarrow": False, "font": font} | more)


def number_axis(top: float, title: str, room: float = 1.06) -> dict[str, Any]:
    """Lays out an axis from 0 to the round number above `top`, or so many times as far."""
    ticks = round_steps(top)
    return {"title_text": title, "tickvals": ticks, "range": [0, room * ticks[-1] or 1]}


def log_axis(low: float, high: float, title: str) -> dict[str, Any]:
    """Lays out a logarithmic axis with 1, 2 and 5 times powers of ten."""
    ticks, labels = log_ticks(low, high)
    bounds = [math.log10(low), math.log10(high)]
    return {
        "type": "log",
        "title_text": title,
        "tickvals": ticks,
        "ticktext": labels,
        "range": bounds,
        "rangemode": "normal",
    }


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

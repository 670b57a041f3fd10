"""What every figure is made of: the drawing, its caption, its words for who cannot see it."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

from model.records import Machine
from viz.figure import Figure, Style
from viz.format import THIN, log_ticks, round_steps
from viz.palette import FONT, colour, sheer

HEIGHT = 300  # pixels

Table: TypeAlias = list[dict[str, object]]  # a row for each thing, by the names of its columns


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure without a title, and the words that belong around it."""

    figure: Figure
    title: str  # for who hears the page
    caption: str  # what it says, with its numbers; measured, recorded, derived or illustrative

    @property
    def alt(self) -> str:
        """What is read aloud."""
        return f"{self.title}. {self.caption}"


@cache
def template() -> Style:
    """Gives the look of every Plotly figure: transparent paper, quiet axes, thin spaces.

    The figure has no title and no background of its own: its caption is the page's, and the page's
    theme shows through.
    """
    muted, line = colour("muted"), colour("line")
    axis = {
        "automargin": True,
        "ticklabeloverflow": "allow",  # else Plotly measures each label anew, a quarter of a load
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
    return Chart(figure, "Nothing yet", note)


def as_recorded(chart: Chart, machine: Machine) -> Chart:
    """Returns a figure of another machine's run, which says so."""
    return replace(chart, caption=recorded_words(chart.caption, machine))


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


def add_columns(
    figure: Figure,
    name: str,
    x: Iterable[float],
    heights: Iterable[float],
    hover: str | Sequence[str] = "",
    **more: Any,
) -> None:
    """Draws standing bars."""
    figure.add_bar(**{"x": list(x), "y": list(heights)} | _named(name, hover) | more)


def add_points(
    figure: Figure,
    name: str,
    x: Iterable[float | None],
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
    """Names a trace in the legend, where it has a name, and says what the pointer reads.

    That is nothing, one of Plotly's templates with the name behind it, or a text for each mark.
    """
    named: Style = {"name": name, "showlegend": bool(name)}
    if not isinstance(hover, str):
        return named | {"hovertext": hover, "hoverinfo": "text"}
    if not hover:
        return named | {"hoverinfo": "skip"}
    return named | {"hovertemplate": f"{hover}<extra>{name}</extra>"}


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

"""A figure as the page's Plotly takes it, and as its reader has it: painted, and larger.

It is plain dictionaries, made without Plotly's constructors: those look every value up in a schema,
milliseconds for a small figure, each time that it is drawn. The tests pass every figure through
them instead. The methods are named as Plotly's own.
"""

from base64 import b64encode
from collections.abc import Mapping
from functools import partialmethod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd  # noqa: F401  whole, before Plotly: it takes what a thread has half imported
from plotly.basedatatypes import BaseFigure

from viz.palette import Theme, paint

Style: TypeAlias = dict[str, Any]  # what Plotly calls attributes
FACTOR = 1.3  # by which type grows for the back row
_PAINTED = ("color", "colorscale", "colorway")  # how the names end under which a colour stands


class Figure:
    """Traces and a layout.

    Attributes:
        data: the traces, in the order in which they are drawn.
        layout: all else.
    """

    def __init__(self, **layout: Any) -> None:
        """Begins without a trace."""
        self.data: list[Style] = []
        self.layout: Style = {}
        self.update_layout(**layout)

    def to_dict(self) -> Style:
        """Returns the figure as Plotly's JSON has it."""
        return {"data": self.data, "layout": self.layout}

    def _add_trace(self, kind: str, **look: Any) -> None:
        self.data.append(_merged({"type": kind}, look))

    add_bar = partialmethod(_add_trace, "bar")
    add_heatmap = partialmethod(_add_trace, "heatmap")
    add_scatter = partialmethod(_add_trace, "scatter")

    def add_annotation(self, **look: Any) -> None:
        """Writes some words."""
        self.layout.setdefault("annotations", []).append(_merged({}, look))

    def add_shape(self, **look: Any) -> None:
        """Draws a line or a box."""
        self.layout.setdefault("shapes", []).append(_merged({}, look))

    def add_vline(self, x: float, **look: Any) -> None:
        """Draws a line from the bottom to the top."""
        ends = {"x0": x, "x1": x, "y0": 0, "y1": 1}
        self.add_shape(type="line", xref="x", yref="y domain", **ends, **look)

    def add_hline(self, y: float, **look: Any) -> None:
        """Draws a line from the left to the right."""
        ends = {"x0": 0, "x1": 1, "y0": y, "y1": y}
        self.add_shape(type="line", xref="x domain", yref="y", **ends, **look)

    def update_layout(self, **look: Any) -> None:
        """Changes what is named of the layout."""
        _merged(self.layout, look)

    def _update_axes(self, kind: str, look: Style | None = None, **more: Any) -> None:
        """Changes what is named of every axis of a kind that there is."""
        for name in {kind, *(name for name in self.layout if name.startswith(kind))}:
            self.update_layout(**{name: {**(look or {}), **more}})

    update_xaxes = partialmethod(_update_axes, "xaxis")
    update_yaxes = partialmethod(_update_axes, "yaxis")


def _merged(old: Style, new: Mapping[str, Any]) -> Style:
    """Changes what is named, inside what is named too; None takes it away."""
    for name, value in new.items():
        if name == "title_text":
            _merged(old, {"title": {"text": value}})
        elif value is None:
            old.pop(name, None)
        elif isinstance(value, Mapping):
            old[name] = _merged(old.get(name, {}), value)
        else:
            old[name] = value
    return old


class SeenFigure(BaseFigure):  # type: ignore[misc]  # ships no types
    """What Streamlit takes for a figure of Plotly's, and hands on as it is."""

    def __init__(self, described: Style) -> None:
        """Takes a figure as it stands: to check it anew, each time, takes milliseconds."""
        self._described = described

    def to_dict(self) -> Style:
        """Returns the figure as the page's Plotly takes it."""
        return self._described


def as_seen(figure: Figure, theme: Theme, factor: float = 1.0) -> SeenFigure:
    """Copies a figure for its reader: its roles painted, its frame and margins grown as its type.

    Args:
        figure: In roles, with a height.
        theme: Light or dark.
        factor: By which every letter and the height grow.
    """
    seen: Style = _seen(figure.to_dict(), theme, factor)
    layout = seen["layout"]
    layout["height"] = round(layout["height"] * factor)
    layout["margin"] = {side: factor * room for side, room in layout.get("margin", {}).items()}
    return SeenFigure(seen)


def _seen(part: Any, theme: Theme, factor: float, name: str = "") -> Any:
    """Copies what stands under a name in a figure; texts stay, whatever they say."""
    if isinstance(part, dict):
        seen = {key: _seen(value, theme, factor, key) for key, value in part.items()}
        if name.endswith("font") and "size" in seen:
            seen["size"] = round(seen["size"] * factor)
        return seen
    if isinstance(part, np.ndarray):
        return _packed(part)
    if isinstance(part, list | tuple):
        return [_seen(one, theme, factor, name) for one in part]
    return paint(part, theme) if name.endswith(_PAINTED) and isinstance(part, str) else part


def _packed(array: npt.NDArray[Any]) -> Any:
    """Writes an array as the page's Plotly reads it: numbers as bytes, in letters."""
    if array.dtype.kind in "OU":
        return array.tolist()
    numbers = array.astype(np.float64)
    shape = {"shape": ", ".join(map(str, array.shape))} if array.ndim > 1 else {}
    return {"dtype": "f8", "bdata": b64encode(numbers.tobytes()).decode()} | shape

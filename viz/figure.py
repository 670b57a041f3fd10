"""A figure as the page's Plotly takes it: plain dictionaries, made without Plotly's constructors.

Those look every value up in a schema, milliseconds for a small figure, each time that it is drawn.
The tests pass every figure through them instead. The methods are named as Plotly's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partialmethod
from typing import Any, TypeAlias

Style: TypeAlias = dict[str, Any]  # what Plotly calls attributes


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

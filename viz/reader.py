"""A figure as its reader sees it: in the theme of their page, and larger on a projector."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd  # noqa: F401  whole, before Plotly: it takes what a thread has half imported
from plotly.basedatatypes import BaseFigure

from viz.figure import Figure, Style
from viz.palette import Theme, paint

FACTOR = 1.3  # by which type grows for the back row
_PAINTED = ("color", "colorscale", "colorway")  # how the names end under which a colour stands


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

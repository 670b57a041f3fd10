"""A figure as its reader sees it: in the theme of their page, and larger on a projector."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from viz.palette import Theme, paint

FACTOR = 1.3  # by which type grows for the back row
_PAINTED = ("color", "colorscale", "colorway")  # how the names end under which a colour stands


def as_seen(figure: go.Figure, theme: Theme, factor: float = 1.0) -> go.Figure:
    """Copies a figure for its reader: its roles painted, its frame and margins grown as its type.

    Args:
        figure: In roles, with a height.
        theme: Light or dark.
        factor: By which every letter and the height grow.
    """
    seen: dict[str, Any] = _seen(figure.to_dict(), theme, factor)
    layout = seen["layout"]
    layout["height"] = round(layout["height"] * factor)
    layout["margin"] = {side: factor * room for side, room in layout.get("margin", {}).items()}
    return go.Figure(seen, _validate=False)  # valid as drawn; to ask again takes 3 ms


def _seen(part: Any, theme: Theme, factor: float, name: str = "") -> Any:
    """Copies what stands under a name in a figure; texts stay, whatever they say."""
    if isinstance(part, dict):
        seen = {key: _seen(value, theme, factor, key) for key, value in part.items()}
        if name.endswith("font") and "size" in seen:
            seen["size"] = round(seen["size"] * factor)
        return seen
    if isinstance(part, list | tuple):
        return [_seen(one, theme, factor, name) for one in part]
    return paint(part, theme) if name.endswith(_PAINTED) and isinstance(part, str) else part

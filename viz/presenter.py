"""A figure for the back row: the same drawing, every letter larger, the frame grown to match."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from viz.chart import HEIGHT, Chart

FACTOR = 1.3


def enlarge(chart: Chart, factor: float = FACTOR) -> Chart:
    """Returns a chart whose type and height are larger; the chart handed in stays as it is."""
    figure = go.Figure(_grown(chart.figure.to_dict(), factor))
    figure.update_layout(height=round((chart.figure.layout.height or HEIGHT) * factor))
    return replace(chart, figure=figure)


def _grown(part: Any, factor: float) -> Any:
    """Copies a part of a figure with the size of every font in it multiplied."""
    if isinstance(part, list | tuple):
        return [_grown(one, factor) for one in part]
    if not isinstance(part, dict):
        return part
    grown = {key: _grown(value, factor) for key, value in part.items()}
    for key, value in grown.items():
        if key.endswith("font") and isinstance(value, dict) and "size" in value:
            value["size"] = round(value["size"] * factor)
    return grown

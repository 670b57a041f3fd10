"""Methods side by side: a row for each, and a panel of bars for each thing that was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz.chart import filled, new_figure
from viz.palette import colour

ROOM = 1.75  # times the longest bar: behind it stands its number


@dataclass(frozen=True)
class Panel:
    """What was measured of every method."""

    title: str
    values: Sequence[float]  # 0 or more, one for each method
    texts: Sequence[str]  # the same, as they are read
    marker: dict[str, Any]


def add_bars(
    figure: go.Figure,
    names: Sequence[str] | Sequence[int],
    values: Sequence[float],
    texts: Sequence[str],
    **look: Any,
) -> None:
    """Draws lying bars, each in the row of its name or number, with its text behind it.

    `look` is more of the bars, such as `marker`; and `row` and `col` of a panel.
    """
    usual = {
        "orientation": "h",
        "width": 0.66,
        "marker": filled(colour("generated"), 1.2),
        "textposition": "outside",
        "textfont": {"size": 12, "color": colour("ink")},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    figure.add_bar(y=names, x=values, text=texts, **usual | look)


def panels_figure(
    names: Sequence[str], panels: Sequence[Panel], *, n_columns: int, row_pixels: int
) -> go.Figure:
    """Draws the panels in rows of so many, so that they can be read on a phone as well."""
    n_rows = -(-len(panels) // n_columns)
    figure = make_subplots(
        n_rows,
        n_columns,
        shared_yaxes=True,
        horizontal_spacing=0.08,
        vertical_spacing=0.12,
        figure=new_figure(),
    )
    ink = {"size": 13, "color": colour("ink")}
    for i, panel in enumerate(panels):
        place = {"row": i // n_columns + 1, "col": i % n_columns + 1}
        add_bars(figure, names, panel.values, panel.texts, marker=panel.marker, **place)
        figure.update_xaxes(
            title={"text": panel.title, "font": ink},
            range=[0, max(*panel.values, 1e-9) * ROOM],
            side="top",
            showticklabels=False,
            ticks="",
            **place,
        )
    figure.update_yaxes(
        categoryorder="array", categoryarray=names[::-1], showgrid=False, tickfont=ink
    )
    figure.update_layout(height=n_rows * (row_pixels * len(names) + 50), showlegend=False)
    return figure

"""Keys or values as a map: a row for each head of each layer, a column for each token.

The shade of a cell is the size of that key or value, measured. Above the map a strip says which
pass laid each column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.records import FloatArray
from viz.chart import add_cells, filled
from viz.figure import Figure, Style
from viz.labels import token_ticks
from viz.palette import colour

MAX_LAYERS = 8  # layers that can be named beside their rows, or a few more
MAX_LABEL_LENGTH = 6  # characters: as many as lie under a column


def add_map(
    figure: Figure,
    states: FloatArray,
    role: str,
    hovers: list[list[str]],
    *,
    n_typical: int | None = None,
    axes: tuple[str, str] = ("x", "y"),
) -> None:
    """Draws one map: the first layer and its first head on top.

    The median of the first `n_typical` columns, or of all, is half-way up the scale: a column once
    laid keeps its colour.
    """
    n_layers, n_heads, n_columns = states.shape
    typical = float(np.median(states[:, :, :n_typical])) or 1.0
    flat = states.reshape(n_layers * n_heads, n_columns)
    look: Style = {"zmin": 0.1, "zmax": 0.8, "xgap": 1, "xaxis": axes[0], "yaxis": axes[1]}
    look |= {"x": np.arange(n_columns) + 0.5, "y": np.arange(len(flat)) + 0.5, "name": role}
    tones = (colour(f"{role}-tint"), colour(role))
    add_cells(figure, np.round(flat / (flat + typical), 3), tones, hovers, **look)


def add_strip(
    figure: Figure,
    spans: Sequence[tuple[int, int]],
    name: str,
    tone: str,
    axes: tuple[str, str] = ("x", "y"),
) -> None:
    """Draws one block above the columns of each pass."""
    figure.add_bar(
        x=[start for start, _ in spans],
        width=[end - start for start, end in spans],
        y=[1] * len(spans),
        offset=0,
        xaxis=axes[0],
        yaxis=axes[1],
        name=name,
        hoverinfo="name",
        marker=filled(tone, 1),
    )


def single_columns(start: int, end: int) -> list[tuple[int, int]]:
    """Returns the spans of passes that lay a column each."""
    return [(column, column + 1) for column in range(start, end)]


def token_axis(labels: Sequence[str], n_slots: int) -> dict[str, object]:
    """Lays out the axis under the columns, as many of the tokens named as there is room for."""
    return {"range": [0, n_slots]} | token_ticks(labels, n_characters=MAX_LABEL_LENGTH, at=0.5)


def layer_axis(n_layers: int, n_heads: int, title: str) -> dict[str, object]:
    """Lays out the axis beside the rows, the first layer on top."""
    every = max(1, n_layers // MAX_LAYERS)
    shown = [layer for layer in range(n_layers) if (layer + 1) % every == 0 or layer == 0]
    return {
        "range": [n_layers * n_heads, 0],
        "tickvals": [(layer + 0.5) * n_heads for layer in shown],
        "ticktext": [f"layer {layer + 1}" for layer in shown],
        "showgrid": False,
        "title": {"text": title},
    }

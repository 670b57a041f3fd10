"""Keys or values as a map: a row for each head of each layer, a column for each token.

The shade of a cell is the size of that key or value, measured. Above the map a strip says which
pass laid each column.
"""

from collections.abc import Sequence

import numpy as np

from model.records import FloatArray
from viz.chart import add_cells, add_columns, filled
from viz.figure import Figure, Style
from viz.format import digits
from viz.labels import plain, token_ticks
from viz.palette import colour

MAX_LAYERS = 8  # layers that can be named beside their rows, or a few more
SLOTS = (12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)  # columns of a frame
MAX_LABEL_LENGTH = 6  # characters: as many as lie under a column


def add_map(
    figure: Figure,
    states: FloatArray,
    role: str,
    labels: Sequence[str],
    what: str,
    *,
    n_typical: int | None = None,
    axes: tuple[str, str] = ("x", "y"),
) -> None:
    """Draws one map: the first layer and its first head on top.

    Args:
        figure: To draw on.
        states: (layers, heads, columns) size of each.
        role: Of the colour.
        labels: Of the columns' tokens.
        what: A cell is, in a few words.
        n_typical: Columns whose median, else that of all, is half-way up the scale: then a column
            once laid keeps its colour.
        axes: To draw on.
    """
    n_layers, n_heads, n_columns = states.shape
    typical = float(np.median(states[:, :, :n_typical])) or 1.0
    flat = states.reshape(n_layers * n_heads, n_columns)
    look: Style = {"zmin": 0.1, "zmax": 0.8, "xgap": 1, "xaxis": axes[0], "yaxis": axes[1]}
    look |= {"x": np.arange(n_columns) + 0.5, "y": np.arange(len(flat)) + 0.5, "name": role}
    tones = (colour(f"{role}-tint"), colour(role))
    shades, hovers = np.round(flat / (flat + typical), 3), _hovers(states, labels, what)
    add_cells(figure, shades, tones, hovers, **look)


def _hovers(states: FloatArray, labels: Sequence[str], what: str) -> list[list[str]]:
    """Writes what the pointer reads of each cell, row by row."""
    names = [f"{place}: {plain(label)}" for place, label in enumerate(labels)]
    n_layers, n_heads, _ = states.shape
    return [
        [
            f"<b>layer {layer + 1}, KV head {head + 1}</b><br>position {name}<br>"
            f"{what}, size {digits(float(size))}"
            for name, size in zip(names, states[layer, head], strict=True)
        ]
        for layer in range(n_layers)
        for head in range(n_heads)
    ]


def add_strip(
    figure: Figure,
    spans: Sequence[tuple[int, int]],
    name: str,
    tone: str,
    axes: tuple[str, str],
) -> None:
    """Draws one block above the columns of each pass."""
    starts, widths = [start for start, _ in spans], [end - start for start, end in spans]
    look: Style = {"width": widths, "offset": 0, "xaxis": axes[0], "yaxis": axes[1]}
    look |= {"hoverinfo": "name", "marker": filled(tone, 1)}
    add_columns(figure, name, starts, [1] * len(spans), **look)


def single_columns(start: int, end: int) -> list[tuple[int, int]]:
    """Returns the spans of passes that lay a column each."""
    return [(column, column + 1) for column in range(start, end)]


def slots_for(n_columns: int) -> int:
    """Returns how many columns a frame has room for, so that it stays while a cache grows."""
    return next((n for n in SLOTS if n >= n_columns), n_columns)


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

"""What lies in the cache: a row for each head of each layer, a column for each token.

Keys stand above, values below. A prefill lays all columns of the prompt at once, every decode pass
one more. The shade of a cell is the size of that key or value, measured; its scale is set by the
prompt, so that a column, once laid, never changes its colour while the text grows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from model.records import CacheGrid, FloatArray
from viz.chart import Chart, filled, new_figure
from viz.labels import plain
from viz.palette import Theme, colour
from viz.units import THIN, count, digits, plural

HEIGHT = 430  # pixels
MOST_LABELS = 48  # tokens that can be named under their columns
SLOTS = (24, 32, 48, 64, 96, 128, 192, 256, 384, 512)  # columns that the frame has room for
STRIP, KEYS, VALUES = (0.945, 1.0), (0.49, 0.925), (0.0, 0.435)  # heights in the figure


def grid_figure(grid: CacheGrid, theme: Theme = "light") -> Chart:
    """Draws the cache as a grid that gains columns; what the last pass laid is outlined."""
    n_layers, n_heads, n_columns = grid.keys.shape
    n_slots = next((slots for slots in SLOTS if slots >= n_columns), n_columns)
    figure = new_figure(theme)
    _add_strip(figure, grid, theme)
    _add_states(figure, grid, "keys", "y", theme)
    _add_states(figure, grid, "values", "y2", theme)
    _part_layers(figure, n_layers, n_heads, n_slots, theme)
    _outline_newest(figure, grid, theme)
    _name_axes(figure, grid, n_slots, KEYS, "y")
    _name_axes(figure, grid, n_slots, VALUES, "y2")
    figure.update_layout(
        height=HEIGHT,
        barmode="overlay",
        plot_bgcolor=colour("raised", theme),
        yaxis3={"domain": STRIP, "visible": False, "range": [0, 1]},
    )
    caption = _caption(grid)
    return Chart(figure, caption, f"The cache as a grid. {caption}", "measured")


def _add_strip(figure: go.Figure, grid: CacheGrid, theme: Theme) -> None:
    """Draws whose each column is: one block for the prefill, one for each decode pass."""
    n_columns = grid.keys.shape[2]
    blocks = [("prompt", "prefill", [(0, grid.n_prompt)])]
    blocks.append(("generated", "decode", [(i, i + 1) for i in range(grid.n_prompt, n_columns)]))
    said = {
        "prefill": f"prefill: {plural(grid.n_prompt, 'column')} in one pass",
        "decode": "decode: one column a pass",
    }
    for role, phase, spans in blocks:
        tone = colour(role, theme)
        figure.add_bar(
            x=[start for start, _ in spans],
            width=[end - start for start, end in spans],
            y=[1] * len(spans),
            offset=0,
            yaxis="y3",
            name=said[phase],
            hoverinfo="name",
            marker=filled(tone, 1),
        )


def _add_states(figure: go.Figure, grid: CacheGrid, role: str, axis: str, theme: Theme) -> None:
    """Draws keys or values: the first layer and its first head on top."""
    states: FloatArray = grid.keys if role == "keys" else grid.values
    n_layers, n_heads, n_columns = states.shape
    # half-way up the scale is what the prompt's keys or values typically measure
    typical = float(np.median(states[:, :, : grid.n_prompt])) or 1.0
    flat = states.reshape(n_layers * n_heads, n_columns)
    tint, tone = colour(f"{role}-tint", theme), colour(role, theme)
    figure.add_heatmap(
        x=np.arange(n_columns) + 0.5,
        y=np.arange(n_layers * n_heads) + 0.5,
        z=np.round(flat / (flat + typical), 3),
        zmin=0.1,
        zmax=0.8,
        colorscale=[[0, tint], [1, tone]],
        showscale=False,
        xgap=1,
        yaxis=axis,
        name=role,
        hovertext=_hovers(grid, states, role),
        hoverinfo="text",
    )


def _hovers(grid: CacheGrid, states: FloatArray, role: str) -> list[list[str]]:
    n_layers, n_heads, _ = states.shape
    one = {"keys": f"key, {grid.key_bytes}", "values": f"value, {grid.value_bytes}"}[role]
    names = [f"{i}: {plain(label)}" for i, label in enumerate(grid.labels)]
    return [
        [
            f"<b>layer {layer + 1}, KV head {head + 1}</b><br>position {name}<br>"
            f"one {one}{THIN}B, size {digits(float(size), 3)}"
            for name, size in zip(names, states[layer, head], strict=True)
        ]
        for layer in range(n_layers)
        for head in range(n_heads)
    ]


def _part_layers(
    figure: go.Figure, n_layers: int, n_heads: int, n_slots: int, theme: Theme
) -> None:
    """Draws a gap between one layer's heads and the next one's."""
    for axis in ("y", "y2"):
        for layer in range(1, n_layers):
            figure.add_shape(
                type="line",
                x0=0,
                x1=n_slots,
                y0=layer * n_heads,
                y1=layer * n_heads,
                yref=axis,
                line={"color": colour("paper", theme), "width": 2 if n_layers < 16 else 1},
            )


def _outline_newest(figure: go.Figure, grid: CacheGrid, theme: Theme) -> None:
    end = grid.keys.shape[2]
    figure.add_shape(
        type="rect",
        x0=end - grid.n_new,
        x1=end,
        y0=0,
        y1=1,
        yref="paper",
        line={"color": colour("stage", theme), "width": 2.5},
    )


def _name_axes(
    figure: go.Figure, grid: CacheGrid, n_slots: int, domain: tuple[float, float], axis: str
) -> None:
    n_layers, n_heads, n_columns = grid.keys.shape
    every = max(1, -(-n_columns // MOST_LABELS))
    shown = range(0, n_columns, every)
    steps = max(1, n_layers // 8)
    layers = [layer for layer in range(n_layers) if (layer + 1) % steps == 0 or layer == 0]
    named: dict[str, Any] = {
        "domain": domain,
        "range": [n_layers * n_heads, 0],
        "tickvals": [(layer + 0.5) * n_heads for layer in layers],
        "ticktext": [f"layer {layer + 1}" for layer in layers],
        "showgrid": False,
        "title": {"text": "keys" if axis == "y" else "values"},
    }
    figure.update_layout({f"yaxis{axis[1:]}": named})
    figure.update_xaxes(
        range=[0, n_slots],
        tickvals=[i + 0.5 for i in shown],
        ticktext=[plain(grid.labels[i][:13]) for i in shown],
        tickangle=-55,
        anchor="y2",
        ticks="",
    )


def _caption(grid: CacheGrid) -> str:
    n_layers, n_heads, n_columns = grid.keys.shape
    laid = "laid one column" if grid.n_new == 1 else f"laid {count(grid.n_new)} columns at once"
    return (
        f"Measured: {plural(n_layers, 'layer')} × {plural(n_heads, 'KV head')}, a key and a value "
        f"for each of {plural(n_columns, 'position')}. The last pass {laid} (outlined). The "
        "stronger a cell’s colour, the larger its key or value; columns, once laid, stay as they "
        "are."
    )

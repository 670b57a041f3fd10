"""An encoder-decoder's two caches side by side: one read once, one that grows with the answer.

The left grid is cross-attention's: a column for each token that the encoder read, all laid at once.
The right one is the decoder's own: a column for each of its steps. The shade of a cell is the size
of that key, measured.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from model.records import FloatArray
from model.records.diffusion import TwoCaches
from viz.chart import Chart, empty_chart, filled, new_figure
from viz.labels import plain
from viz.palette import Theme, colour
from viz.units import count, duration, plural, size, size_ticks

NOTHING_YET = "The decoder has not begun: press Step."
SLOTS = (12, 16, 24, 32, 48, 64, 96, 128)  # columns that the right grid has room for
HALVES = (("x", "prompt"), ("x2", "generated"))


def caches_figure(caches: TwoCaches, theme: Theme = "light") -> Chart:
    """Draws the keys of both caches: one row for each head of each layer, one column a token."""
    if not caches.own.size:
        return empty_chart(theme, NOTHING_YET)
    figure = new_figure(theme)
    n_written, n_source = caches.own.shape[2], caches.cross.shape[2]
    n_slots = next((slots for slots in SLOTS if slots >= n_written), n_written)
    share = n_source / (n_source + n_slots)
    ends = (min(max(share, 0.25), 0.72) - 0.02, min(max(share, 0.25), 0.72) + 0.02)
    _add_half(figure, caches.cross, caches.source_labels, HALVES[0], theme)
    _add_half(figure, caches.own, caches.written_labels, HALVES[1], theme)
    _add_strips(figure, n_source, n_written, theme)
    figure.update_layout(
        height=330,
        barmode="overlay",
        plot_bgcolor=colour("raised", theme),
        xaxis=_axis([0, ends[0]], n_source, caches.source_labels),
        xaxis2=_axis([ends[1], 1], n_slots, caches.written_labels),
        yaxis=_rows(caches.cross, "layers of the decoder"),
        yaxis2=_rows(caches.own, "") | {"anchor": "x2", "showticklabels": False},
        yaxis3={"domain": [0.93, 1], "visible": False, "range": [0, 1]},
        yaxis4={"domain": [0.93, 1], "visible": False, "range": [0, 1], "anchor": "x2"},
    )
    caption = _caption(caches)
    return Chart(figure, caption, f"Two caches. {caption}", "measured")


def _add_half(
    figure: go.Figure,
    states: FloatArray,
    labels: tuple[str, ...],
    half: tuple[str, str],
    theme: Theme,
) -> None:
    axis, _ = half
    n_layers, n_heads, n_columns = states.shape
    typical = float(np.median(states)) or 1.0
    flat = states.reshape(n_layers * n_heads, n_columns)
    figure.add_heatmap(
        x=np.arange(n_columns) + 0.5,
        y=np.arange(n_layers * n_heads) + 0.5,
        z=np.round(flat / (flat + typical), 3),
        zmin=0.1,
        zmax=0.8,
        colorscale=[[0, colour("keys-tint", theme)], [1, colour("keys", theme)]],
        showscale=False,
        xgap=1,
        xaxis=axis,
        yaxis=axis.replace("x", "y"),
        hovertext=[
            [
                f"<b>layer {row // n_heads + 1}, head {row % n_heads + 1}</b><br>{plain(one)}"
                for one in labels
            ]
            for row in range(n_layers * n_heads)
        ],
        hoverinfo="text",
        showlegend=False,
    )


def _add_strips(figure: go.Figure, n_source: int, n_written: int, theme: Theme) -> None:
    """Draws who laid each column: the encoder all of them at once, the decoder one a step."""
    blocks = (
        ("x", "y3", "prompt", [(0, n_source)], f"encoder: {plural(n_source, 'column')}, once"),
        ("x2", "y4", "generated", [(i, i + 1) for i in range(n_written)], "decoder: one a step"),
    )
    for x_axis, y_axis, role, spans, name in blocks:
        tone = colour(role, theme)
        figure.add_bar(
            x=[start for start, _ in spans],
            width=[end - start for start, end in spans],
            y=[1] * len(spans),
            offset=0,
            xaxis=x_axis,
            yaxis=y_axis,
            name=name,
            hoverinfo="name",
            marker=filled(tone, 1),
        )


def _axis(domain: list[float], n_slots: int, labels: tuple[str, ...]) -> dict[str, object]:
    every = max(1, -(-len(labels) // 48))
    shown = range(0, len(labels), every)
    return {
        "domain": domain,
        "range": [0, n_slots],
        "tickvals": [i + 0.5 for i in shown],
        "ticktext": [plain(labels[i][:13]) for i in shown],
        "tickangle": -55,
        "ticks": "",
    }


def _rows(states: FloatArray, title: str) -> dict[str, object]:
    n_layers, n_heads, _ = states.shape
    return {
        "domain": [0, 0.9],
        "range": [n_layers * n_heads, 0],
        "tickvals": [(layer + 0.5) * n_heads for layer in range(n_layers)],
        "ticktext": [f"layer {layer + 1}" for layer in range(n_layers)],
        "showgrid": False,
        "title": {"text": title},
    }


def _caption(caches: TwoCaches) -> str:
    n_layers, n_heads, n_source = caches.cross.shape
    moved = "not by a bit" if caches.drift == 0 else f"by up to {caches.drift:.1e}"
    return (
        f"Measured: keys of {plural(n_layers, 'layer')} × {plural(n_heads, 'head')}. Left, what "
        f"the decoder looks up in the input: {plural(n_source, 'column')}, laid in its first step. "
        f"Right, its own: {plural(caches.own.shape[2], 'column')} so far, one a step. Since the "
        f"first step, the encoder’s states and the left cache have changed {moved}; the encoder "
        f"ran {_times(caches.n_encoder_passes)}, for {duration(caches.seconds[0])}."
    )


def _times(n: int) -> str:
    return "once" if n == 1 else f"{count(n)} times"


def bytes_figure(caches: TwoCaches, theme: Theme = "light") -> Chart:
    """Draws the bytes of both caches after every step."""
    n_steps = len(caches.own_bytes) - 1
    if not n_steps:
        return empty_chart(theme, NOTHING_YET)
    figure = new_figure(theme)
    steps = list(range(n_steps + 1))
    lines = (
        ("cross-attention: the input", "prompt", caches.cross_bytes, "dash"),
        ("self-attention: the answer", "generated", caches.own_bytes, "solid"),
    )
    top = max(*caches.cross_bytes, *caches.own_bytes)
    for name, role, sizes, dash in lines:
        figure.add_scatter(
            x=steps,
            y=list(sizes),
            mode="lines+markers" if n_steps <= 50 else "lines",
            line={"color": colour(role, theme), "width": 2.5, "dash": dash, "shape": "hv"},
            marker={"size": 5},
            name=name,
            text=[size(one) for one in sizes],
            hovertemplate="step %{x}: %{text}<extra>" + name + "</extra>",
        )
    ticks, labels = size_ticks(top)
    figure.update_xaxes(title_text="decoder steps", range=[0, max(n_steps, 8) + 0.4])
    figure.update_yaxes(tickvals=ticks, ticktext=labels, range=[0, 1.08 * max(ticks)])
    figure.update_layout(height=270)
    caption = (
        f"Measured in the tensors: after {plural(n_steps, 'step')} the input’s cache is "
        f"{size(caches.cross_bytes[-1])}, as after the first; the answer’s is "
        f"{size(caches.own_bytes[-1])}, {size(caches.own_bytes[-1] // n_steps)} for each step."
    )
    return Chart(figure, caption, f"Bytes of both caches. {caption}", "measured")

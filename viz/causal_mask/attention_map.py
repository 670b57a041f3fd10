"""Attention weights: one head as a map of tokens by tokens, all heads as small maps.

A row is a position that reads, its columns are the positions that it may look at. What the mask
hides is grey and hatched; what looks ahead without it is in the colour of what went wrong. Shades
grow with the square root of a weight, so that small ones can be seen.
"""

import numpy as np
import numpy.typing as npt

from model.causal_mask.records import AttentionMaps
from viz.chart import Chart, add_cells, add_line, add_points, new_figure, write_at
from viz.figure import Figure, Style
from viz.format import percent, plural
from viz.labels import plain, token_ticks
from viz.palette import colour, sheer

HEIGHT = 560  # pixels
TILE = 24  # cells along a small map: more are pooled, the largest weight of each block stays
GAP = 2  # cells between two small maps

Map = npt.NDArray[np.float64]


def attention_figure(maps: AttentionMaps, layer: int, head: int | None) -> Chart:
    """Draws the attention of one head of a layer, by their indices, or the mean of its heads."""
    weights: Map = maps.weights[layer].astype(np.float64)
    shown: Map = weights.mean(axis=0) if head is None else weights[head]
    n_tokens = len(maps.labels)
    titles = "the position attended to", "the position that attends"
    figure = new_figure(HEIGHT, *titles)
    names = [f"{i + 1}: {plain(label)}" for i, label in enumerate(maps.labels)]
    past, ahead = _halves(shown)
    _add_map(figure, past, shown, names, "kept")
    if maps.is_masked:
        _add_hidden(figure, n_tokens)
    else:
        _add_map(figure, ahead, shown, names, "error")
    add_line(figure, "", *_stairs(n_tokens), colour("chosen"), width=1.5)
    ticks, ends = token_ticks(maps.labels), [-0.5, n_tokens - 0.5]
    figure.update_xaxes(range=ends, **ticks)
    figure.update_yaxes(range=ends[::-1], showgrid=False, **ticks)
    return Chart(figure, "Attention over the text", _caption(maps, shown, layer, head))


def heads_figure(maps: AttentionMaps, layer: int, head: int | None) -> Chart:
    """Draws every head of every layer as a small map, the one that is shown large outlined."""
    n_layers, n_heads, n_tokens, _ = maps.weights.shape
    side = min(TILE, n_tokens)
    pitch = side + GAP
    past, ahead = _tiles(maps, side, pitch)
    figure = new_figure(HEIGHT, "head", "layer")
    for values, role in ((past, "kept"), (ahead, "error"))[: 1 if maps.is_masked else 2]:
        add_cells(figure, values, _tones(role), hoverongaps=False)
    _add_targets(figure, maps, pitch, side)
    first, last = (0, n_heads - 1) if head is None else (head, head)
    edge = 0.5 + GAP / 2
    figure.add_shape(
        type="rect",
        x0=first * pitch - edge,
        x1=last * pitch + side - 1 + edge,
        y0=layer * pitch - edge,
        y1=layer * pitch + side - 1 + edge,
        line={"color": colour("chosen"), "width": 2.5},
    )
    centre = (side - 1) / 2
    every = max(1, n_layers // 12), max(1, n_heads // 12)
    figure.update_yaxes(
        range=[n_layers * pitch - 0.5, -0.5 - GAP],
        tickvals=[i * pitch + centre for i in range(0, n_layers, every[0])],
        ticktext=[str(number) for number in maps.layers[:: every[0]]],
        showgrid=False,
    )
    figure.update_xaxes(
        range=[-0.5 - GAP, n_heads * pitch - 0.5],
        tickvals=[j * pitch + centre for j in range(0, n_heads, every[1])],
        ticktext=[str(j + 1) for j in range(0, n_heads, every[1])],
        ticks="",
    )
    figure.update_layout(dragmode=False)
    caption = (
        f"Measured: all {plural(n_layers, 'layer')} × {plural(n_heads, 'head')} of the same pass, "
        "the one shown large is outlined. Press a small map to see it large."
    )
    return Chart(figure, "All heads", caption)


def _tiles(maps: AttentionMaps, side: int, pitch: int) -> tuple[Map, Map]:
    """Lays all small maps beside each other, what lies behind and what lies ahead apart."""
    n_layers, n_heads = maps.weights.shape[:2]
    past = np.full((n_layers * pitch, n_heads * pitch), np.nan)
    ahead = past.copy()
    for i, j in np.ndindex(n_layers, n_heads):
        place = np.s_[i * pitch : i * pitch + side, j * pitch : j * pitch + side]
        past[place], ahead[place] = _halves(_pool(maps.weights[i, j].astype(np.float64), side))
    return past, ahead


def _halves(weights: Map) -> tuple[Map, Map]:
    """Parts a map into what lies behind each position, itself included, and what lies ahead."""
    shade = np.round(np.sqrt(weights), 3)
    is_ahead = np.triu(np.ones(shade.shape, dtype=bool), 1)
    return np.where(is_ahead, np.nan, shade), np.where(is_ahead, shade, np.nan)


def _pool(weights: Map, side: int) -> Map:
    """Shrinks a map to so many cells along a side, the largest weight of each block."""
    starts = np.linspace(0, len(weights), side, endpoint=False).astype(int)
    rows = np.maximum.reduceat(weights, starts, axis=0)
    pooled: Map = np.maximum.reduceat(rows, starts, axis=1)
    return pooled


def _add_map(figure: Figure, values: Map, weights: Map, names: list[str], role: str) -> None:
    """Draws one half of a map, with the weight itself under the pointer."""
    n_tokens = len(names)
    hovers = [
        [
            f"<b>{names[i]}</b><br>gives {percent(float(weights[i, j]))} of its attention to<br>"
            f"<b>{names[j]}</b>"
            for j in range(n_tokens)
        ]
        for i in range(n_tokens)
    ]
    add_cells(figure, values, _tones(role), hovers, hoverongaps=False, xgap=1, ygap=1)


def _tones(role: str) -> tuple[str, str]:
    return colour(f"{role}-tint"), colour(role)


def _add_hidden(figure: Figure, n_tokens: int) -> None:
    """Draws what the mask hides: the staircase above the diagonal, hatched."""
    across, down = _stairs(n_tokens)
    x, y, ground = [*across[1:], across[1]], [*down[1:-1], -0.5, -0.5], colour("rejected-tint")
    lines = {"shape": "/", "fgcolor": sheer(colour("rejected")), "bgcolor": ground}
    hatch: Style = {"fill": "toself", "fillcolor": ground}
    hatch["fillpattern"] = lines | {"size": 9, "solidity": 0.18}
    add_line(figure, "", x, y, ground, width=0, **hatch)
    if n_tokens >= 8:
        at, words = (n_tokens * 0.72, n_tokens * 0.2), "<b>hidden by the mask</b>"
        write_at(figure, *at, words, 14, bgcolor=colour("paper"), borderpad=4)


def _stairs(n_tokens: int) -> tuple[list[float], list[float]]:
    """Returns the corners of the edge between what a mask lets through and what it hides."""
    across, down = [-0.5], [-0.5]
    for i in range(n_tokens):
        across += [i + 0.5, i + 0.5]
        down += [i - 0.5, i + 0.5]
    return across, down


def _add_targets(figure: Figure, maps: AttentionMaps, pitch: int, side: int) -> None:
    """Lays a target on every small map: its name under the pointer, and something to press."""
    n_layers, n_heads = maps.weights.shape[:2]
    places = [(i, j) for i in range(n_layers) for j in range(n_heads)]
    look = {"size": max(8, min(44, 400 // max(n_layers, n_heads))), "symbol": "square"}
    unseen = {"marker": {"opacity": 0}}
    x = [j * pitch + (side - 1) / 2 for _, j in places]
    y = [i * pitch + (side - 1) / 2 for i, _ in places]
    hovers = [f"layer {maps.layers[i]}, head {j + 1}" for i, j in places]
    press = {"selected": unseen, "unselected": unseen, "customdata": list(map(list, places))}
    add_points(figure, "", x, y, {**look, "opacity": 0}, hovers, **press)


def _caption(maps: AttentionMaps, shown: Map, layer: int, head: int | None) -> str:
    n_tokens = len(maps.labels)
    who = "the mean of all heads" if head is None else f"head {head + 1}"
    rows = shown[1:] if n_tokens > 1 else shown
    first, own = rows[:, 0].mean(), np.diagonal(shown)[1:].mean() if n_tokens > 1 else 1.0
    before = np.diagonal(shown, -1)[1:].mean() if n_tokens > 2 else 0.0
    ahead = (
        f"Largest weight on a later position, in all layers and heads: {maps.largest_ahead:g}."
        if maps.is_masked
        else f"Without the mask {percent(maps.share_ahead)} of it goes to later positions."
    )
    return (
        f"Measured: layer {maps.layers[layer]}, {who}; each row sums to 1. On average a position "
        f"gives {percent(float(first))} to the first token, {percent(float(own))} to itself, "
        f"{percent(float(before))} to the one before it. {ahead}"
    )

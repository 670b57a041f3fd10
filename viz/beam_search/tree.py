"""The tree of a beam search: a column for each token, the beams above a line, what left below it.

Each column is ranked. Above the line stand the beams that are kept, best first; below it the texts
that finished there, then the best candidates that were pruned. Every token is joined to its true
parent. A beam that is dropped later fades, and stays where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from model.beam_search.records import ROOT, BeamNode, BeamStep, lineage
from viz.chart import Chart, new_figure
from viz.format import count, nats, percent, plural, signed
from viz.labels import plain
from viz.palette import MONO, Theme, colour

LEAD = 0.3  # columns that an edge runs level out of a token and into one
GAP = 0.55  # rows between what is kept and what is not
COLUMN_PIXELS = 92  # least width of a column that can be read
MAX_LETTERS = 11
_CURVE = np.linspace(0, 1, 13)


@dataclass(frozen=True)
class _Place:
    """Where a node stands, and how it is drawn."""

    x: float
    y: float
    look: str  # "best", "kept", "dropped", "finished" or "pruned"


def tree_figure(
    nodes: Sequence[BeamNode],
    steps: Sequence[BeamStep],
    n_beams: int,
    n_columns: int,
    prompt_end: str,
    best_id: int | None,
    theme: Theme = "light",
    *,
    is_over: bool = False,
    is_large: bool = False,
) -> Chart:
    """Draws the search as far as `steps` go.

    Args:
        nodes: of the whole search; those of later steps are left out.
        steps: that are shown.
        n_beams: beams that the search may keep.
        n_columns: tokens that there is room for, so that the frame stays while the tree grows.
        prompt_end: the last words of the prompt.
        best_id: the node in which the best text so far ends.
        theme: Light or dark.
        is_over: the search is over, so the last beams are dropped too.
        is_large: type for the back row.
    """
    figure = new_figure(theme)
    on_best = set() if best_id is None else set(lineage(nodes, best_id))
    going_on = () if is_over or not steps else steps[-1].beams
    places = _places(nodes, steps, n_beams, on_best, going_on)
    n_rows = max([2.0 * n_beams + GAP, *(-place.y + 1 for place in places.values())])
    root = _Place(0, -(n_beams - 1) / 2, "prompt")
    _add_line(figure, n_beams, n_columns, theme)
    _add_edges(figure, nodes, places, root, theme)
    dropped_at = {node_id: step.depth for step in steps for node_id in step.dropped}
    if is_over and steps:
        dropped_at |= dict.fromkeys(steps[-1].beams, len(steps))
    _add_chips(figure, nodes, places, _greedy(nodes), dropped_at, theme, is_large)
    _add_prompt(figure, root, prompt_end, theme)
    row_pixels = (42 if n_beams <= 4 else 38) * (1.28 if is_large else 1)
    figure.update_xaxes(
        range=[-0.62, n_columns + 0.5],
        tickvals=list(range(1, n_columns + 1)),
        ticktext=[f"token {i}" if i == 1 else str(i) for i in range(1, n_columns + 1)],
        side="top",
        ticks="",
        showline=False,
    )
    figure.update_yaxes(visible=False, range=[-n_rows, 0.75])
    figure.update_layout(
        height=round(row_pixels * (n_rows + 0.75)) + 60,
        margin={"l": 4, "r": 4, "t": 34, "b": 4},
        legend={"y": -0.02, "yanchor": "top"},
    )
    caption = _caption(nodes, steps)
    return Chart(figure, caption, f"The tree of the search. {caption}")


def _places(
    nodes: Sequence[BeamNode],
    steps: Sequence[BeamStep],
    n_beams: int,
    on_best: set[int],
    going_on: Sequence[int],
) -> dict[int, _Place]:
    """Gives every node its column and its row."""
    alive = set()
    for node_id in going_on:
        alive |= set(lineage(nodes, node_id))
    ended = set()
    for step in steps:
        for node_id in step.node_ids:
            if nodes[node_id].fate == "finished":
                ended |= set(lineage(nodes, node_id)[:-1])
    places: dict[int, _Place] = {}
    for step in steps:
        shown = [nodes[i] for i in step.node_ids]
        kept = [node for node in shown if node.fate == "kept"]
        finished = [node for node in shown if node.fate == "finished"]
        n_pruned = max(1, n_beams - len(finished))
        pruned = [node for node in shown if node.fate == "pruned"][:n_pruned]
        for row, node in enumerate(kept):
            is_alive = node.node_id in alive or node.node_id in ended
            look = "best" if node.node_id in on_best else "kept" if is_alive else "dropped"
            places[node.node_id] = _Place(node.depth, -row, look)
        for row, node in enumerate([*finished, *pruned]):
            look = "best" if node.node_id in on_best else node.fate
            places[node.node_id] = _Place(node.depth, -(n_beams + GAP + row), look)
    return places


def _greedy(nodes: Sequence[BeamNode]) -> set[int]:
    """Returns the nodes of greedy's text, as far as it is on record."""
    path, parent = set(), ROOT
    while best := next((n for n in nodes if n.parent == parent and n.place == 0), None):
        path.add(best.node_id)
        parent = best.node_id
    return path


def _add_line(figure: go.Figure, n_beams: int, n_columns: int, theme: Theme) -> None:
    """Draws the line between what is kept and what is not, and says which is which."""
    y = -(n_beams - 1) - (1 + GAP) / 2
    figure.add_shape(
        type="line",
        x0=0.5,
        x1=n_columns + 0.5,
        y0=y,
        y1=y,
        layer="below",
        line={"color": colour("line", theme), "width": 2},
    )
    for text, shift, anchor in (("kept ↑", 2, "bottom"), ("not kept ↓", -2, "top")):
        figure.add_annotation(
            x=0.42,
            y=y,
            text=text,
            showarrow=False,
            xanchor="right",
            yanchor=anchor,
            yshift=shift,
            font={"size": 12, "color": colour("muted", theme)},
        )


def _add_edges(
    figure: go.Figure,
    nodes: Sequence[BeamNode],
    places: dict[int, _Place],
    root: _Place,
    theme: Theme,
) -> None:
    """Draws a curve from every parent to its child, the faintest first."""
    looks = {
        "pruned": ("rejected", 0.9, "dot", "pruned at once"),
        "dropped": ("rejected", 1.8, "solid", "dropped later"),
        "finished": ("generated", 2.2, "solid", "finished"),
        "kept": ("kept", 2.6, "solid", "kept"),
        "best": ("chosen", 3.6, "solid", "best so far"),
    }
    for look, (role, width, dash, name) in looks.items():
        x: list[float | None] = []
        y: list[float | None] = []
        for node_id, place in places.items():
            if place.look != look:
                continue
            parent = nodes[node_id].parent
            start = root if parent == ROOT else places.get(parent)
            if start is None:
                continue
            x += [start.x, *_between(start.x + LEAD, place.x - LEAD), place.x, None]
            y += [start.y, *_eased(start.y, place.y), place.y, None]
        figure.add_scatter(
            x=x or [None],
            y=y or [None],
            mode="lines",
            line={"color": colour(role, theme), "width": width, "dash": dash},
            name=name,
            hoverinfo="skip",
        )


def _between(start: float, end: float) -> list[float]:
    return [float(x) for x in start + (end - start) * _CURVE]


def _eased(start: float, end: float) -> list[float]:
    """Leaves and arrives level."""
    return [float(y) for y in start + (end - start) * _CURVE**2 * (3 - 2 * _CURVE)]


def _add_chips(
    figure: go.Figure,
    nodes: Sequence[BeamNode],
    places: dict[int, _Place],
    greedy: set[int],
    dropped_at: dict[int, int],
    theme: Theme,
    is_large: bool,
) -> None:
    """Writes each token into its box, with the joint log-probability below it."""
    type_size, small = (16, 13) if is_large else (12, 10)
    for node_id, place in places.items():
        node = nodes[node_id]
        ink, ground, edge, width = {
            "best": ("ink", "kept-tint", "chosen", 2.4),
            "kept": ("ink", "kept-tint", "kept", 1.4),
            "dropped": ("muted", "rejected-tint", "rejected", 1.0),
            "finished": ("ink", "generated-tint", "generated", 1.8),
            "pruned": ("muted", "paper", "paper", 0.0),
        }[place.look]
        token = plain(node.label, MAX_LETTERS)
        if node_id in greedy:
            token = f"<u>{token}</u>"
        if node.fate == "finished":
            token, ground = f"{token} ■", "generated-tint"
        figure.add_annotation(
            x=place.x,
            y=place.y,
            text=f"{token}<br><span style='font-size:{small}px'>{signed(node.total)}</span>",
            showarrow=False,
            font={"family": MONO, "size": type_size, "color": colour(ink, theme)},
            bgcolor=colour(ground, theme),
            bordercolor=colour(edge, theme),
            borderwidth=width,
            borderpad=2,
            hovertext=_hover(nodes, node, place.look, dropped_at),
            hoverlabel={"bgcolor": colour("raised", theme)},
        )


def _hover(nodes: Sequence[BeamNode], node: BeamNode, look: str, dropped_at: dict[int, int]) -> str:
    text = "".join(nodes[i].label for i in lineage(nodes, node.node_id)).replace("␣", " ")
    fate = {
        "best": "on the path of the best text so far",
        "kept": "kept",
        "dropped": f"kept, and dropped {_when(dropped_at.get(node.node_id))}",
        "finished": "finished",
        "pruned": f"pruned at token {node.depth}",
    }[look]
    return (
        f"…{plain(text)}<br>log p {nats(node.logprob)} after its parent "
        f"({percent(float(np.exp(node.logprob)))}, no. {node.place + 1} there)<br>"
        f"joint {nats(node.total)}, no. {count(node.rank + 1)} of all candidates<br><b>{fate}</b>"
    )


def _when(depth: int | None) -> str:
    return "with all its continuations" if depth is None else f"at token {depth}"


def _add_prompt(figure: go.Figure, root: _Place, prompt_end: str, theme: Theme) -> None:
    figure.add_annotation(
        x=root.x,
        y=root.y,
        text=plain(prompt_end),
        showarrow=False,
        font={"family": MONO, "size": 12, "color": colour("ink", theme)},
        bgcolor=colour("prompt-tint", theme),
        bordercolor=colour("prompt", theme),
        borderwidth=1.5,
        borderpad=4,
    )


def _caption(nodes: Sequence[BeamNode], steps: Sequence[BeamStep]) -> str:
    if not steps:
        return (
            "No step has been searched; press Step. Below each token will stand the sum of log p "
            "from the prompt on, in nats."
        )
    last = steps[-1]
    fates = [nodes[i].fate for i in last.node_ids]
    n_finished = fates.count("finished")
    finished = f", {count(n_finished)} finished" if n_finished else ""
    dropped = f", and {plural(len(last.dropped), 'beam')} dropped" if last.dropped else ""
    return (
        f"Measured. Token {last.depth}: {count(fates.count('kept'))} of "
        f"{count(last.n_candidates)} candidates kept{finished}{dropped}. The best of the "
        "pruned ones are drawn, too. Below each token stands the sum of log p from the prompt on, "
        "in nats. Greedy decoding’s tokens are underlined."
    )

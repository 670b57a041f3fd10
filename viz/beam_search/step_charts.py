"""Figures around the tree: the candidates of a step, the ranking of finished texts, the cache.

A candidate is drawn by its joint probability as a fraction of the best candidate's, for the
probabilities themselves soon become too small to see.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from model.beam_search.records import ROOT, BeamNode, BeamStep, FinishedBeam, lineage
from viz.chart import Chart, empty_chart, filled, hatched, new_figure
from viz.format import count, nats, percent, plural, signed, size
from viz.labels import plain
from viz.palette import MONO, Theme, colour

MAX_PRUNED = 2  # of each beam, drawn among the candidates
FATES = ("kept", "finished", "pruned")
ROLES = {"kept": "kept", "finished": "generated"}


def candidates_figure(
    nodes: Sequence[BeamNode], step: BeamStep, prompt_end: str, theme: Theme = "light"
) -> Chart:
    """Draws the best candidates of every beam in one step, and where the beam ends."""
    rows = _candidate_rows(nodes, step)
    best = max(node.total for node in rows)
    figure = new_figure(theme)
    names = [str(place) for place in range(len(rows))]
    for fate in FATES:
        chosen = [i for i, node in enumerate(rows) if node.fate == fate]
        figure.add_bar(
            y=[names[i] for i in chosen],
            x=[math.exp(rows[i].total - best) for i in chosen],
            orientation="h",
            name=fate,
            width=0.78,
            marker=hatched(theme) if fate == "pruned" else filled(colour(ROLES[fate], theme), 1.2),
            hovertext=[_hover(nodes, rows[i]) for i in chosen],
            hoverinfo="text",
        )
    kept = [node.total for node in rows if node.fate == "kept"]
    if kept:
        figure.add_vline(
            x=math.exp(min(kept) - best),
            layer="below",
            line={"color": colour("chosen", theme), "width": 1.5, "dash": "dash"},
        )
    _part_parents(figure, rows, theme)
    _name_totals(figure, names, rows, theme)
    figure.update_xaxes(
        title_text="joint probability ÷ the best candidate’s",
        range=[0, 1.26],
        tickvals=[0, 0.5, 1],
    )
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=names[::-1],
        tickvals=names,
        ticktext=[_row_name(nodes, node, prompt_end) for node in rows],
        tickfont={"family": MONO, "size": 12, "color": colour("ink", theme)},
        showgrid=False,
    )
    figure.update_layout(height=max(250, 21 * len(rows) + 95), barmode="overlay")
    caption = (
        f"Measured: token {step.depth}, the best candidates of each beam, with their joint log p. "
        "Candidates to the right of the dashed line are kept."
    )
    return Chart(figure, caption, f"The candidates of one step. {caption}")


def _candidate_rows(nodes: Sequence[BeamNode], step: BeamStep) -> list[BeamNode]:
    """Picks what is drawn: all that counts, and each beam's best that do not; parents by rank."""
    made = [nodes[i] for i in step.node_ids]
    parents = list(dict.fromkeys(node.parent for node in made))
    rows = []
    for parent in sorted(parents, key=lambda i: -(nodes[i].total if i != ROOT else 0)):
        own = [node for node in made if node.parent == parent]
        pruned = [node for node in own if node.fate == "pruned"][:MAX_PRUNED]
        rows += [node for node in own if node.fate != "pruned" or node in pruned]
    return rows


def _name_totals(
    figure: go.Figure, names: Sequence[str], rows: Sequence[BeamNode], theme: Theme
) -> None:
    """Writes the joint log p of every candidate in a column of its own, clear of the bars."""
    figure.add_scatter(
        y=names,
        x=[1.04] * len(rows),
        mode="text",
        text=[signed(node.total) for node in rows],
        textposition="middle right",
        textfont={
            "size": 12,
            "color": [colour("muted" if n.fate == "pruned" else "ink", theme) for n in rows],
        },
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )


def _row_name(nodes: Sequence[BeamNode], node: BeamNode, prompt_end: str) -> str:
    """Names a candidate by the end of its beam's text and its own token."""
    ids = [] if node.parent == ROOT else lineage(nodes, node.parent)
    before = "".join(nodes[i].label for i in ids[-2:])
    before = f"…{before[-11:]}" if ids else prompt_end
    return plain(f"{before[-12:]} + {node.label[:12]}")


def _part_parents(figure: go.Figure, rows: Sequence[BeamNode], theme: Theme) -> None:
    """Draws a hairline between the candidates of one beam and those of the next."""
    for i in range(1, len(rows)):
        if rows[i].parent != rows[i - 1].parent:
            y = len(rows) - i - 0.5
            line = {"color": colour("line", theme), "width": 1}
            figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=y, y1=y, line=line)


def _hover(nodes: Sequence[BeamNode], node: BeamNode) -> str:
    text = "".join(nodes[i].label for i in lineage(nodes, node.node_id)).replace("␣", " ")
    return (
        f"…{plain(text)}<br>joint {nats(node.total)}, "
        f"no. {count(node.rank + 1)} of all<br><b>{node.fate}</b>"
    )


# The ranking of finished texts


def ranking_table(
    finished: Sequence[FinishedBeam], length_penalty: float, searched: float
) -> pd.DataFrame:
    """Writes the finished texts by their score under a length penalty, best first.

    Args:
        finished: in any order.
        length_penalty: a, by which they are ranked now.
        searched: a of the search that found them.
    """
    now = sorted(finished, key=lambda beam: -beam.score(length_penalty))
    before = sorted(finished, key=lambda beam: -beam.score(searched))
    rows = [
        (
            rank + 1,
            _move(before.index(beam) - rank),
            beam.text.strip().replace("\n", "⏎"),
            beam.depth,
            beam.total,
            beam.score(length_penalty),
            "end" if beam.ended else "limit",
        )
        for rank, beam in enumerate(now)
    ]
    names = ["rank", "moved", "text", "tokens", "sum log p", "score", "ends by"]
    return pd.DataFrame(rows, columns=names)


def _move(n_places: int) -> str:
    return "" if n_places == 0 else f"▲ {n_places}" if n_places > 0 else f"▼ {-n_places}"


# The cache


def cache_figure(
    nodes: Sequence[BeamNode],
    step: BeamStep,
    prompt_labels: Sequence[str],
    bytes_per_token: int,
    theme: Theme = "light",
) -> Chart:
    """Draws the rows of the batched cache, and which of their positions are copies."""
    if not step.beams or not step.seconds:
        return empty_chart(theme, "No pass followed this step: the search is over.")
    if not step.cache_bytes or not bytes_per_token:
        return empty_chart(theme, "This model keeps no keys and values for each position.")
    held = step.cache_tokens
    paths = [lineage(nodes, beam) for beam in step.beams]
    owners = np.array([_owners(held, path) for path in paths])
    first = np.array(
        [[owners[row, i] not in owners[:row, i] for i in range(held)] for row in range(len(paths))]
    )
    labels = [[*prompt_labels[-held:], *(nodes[i].label for i in path)] for path in paths]
    figure = new_figure(theme)
    n_distinct = int(first.sum())
    for is_first, marker, name in (
        (True, filled(colour("keys", theme), 1), f"different: {plural(n_distinct, 'position')}"),
        (False, hatched(theme), f"copies of one above: {count(first.size - n_distinct)}"),
    ):
        cells = [(r, i) for r in range(len(paths)) for i in range(held) if first[r, i] == is_first]
        figure.add_bar(
            y=[f"beam {row + 1}" for row, _ in cells],
            x=[0.94] * len(cells),
            base=[i + 0.03 for _, i in cells],
            orientation="h",
            width=0.86,
            name=name,
            marker=marker,
            hovertext=[f"position {i}: {plain(labels[r][i])}" for r, i in cells],
            hoverinfo="text",
        )
    every = max(1, -(-held // 28))
    figure.update_xaxes(
        range=[0, held],
        tickvals=[i + 0.5 for i in range(0, held, every)],
        ticktext=[plain(labels[0][i][:10]) for i in range(0, held, every)],
        tickangle=-50,
        ticks="",
    )
    rows = [f"beam {row + 1}" for row in range(len(paths))]
    figure.update_yaxes(categoryorder="array", categoryarray=rows[::-1], showgrid=False)
    figure.update_layout(height=34 * len(rows) + 120, barmode="overlay")
    shared = n_distinct * bytes_per_token
    saved = 1 - shared / step.cache_bytes if shared <= step.cache_bytes else 0.0
    caption = (
        f"Measured: the batch holds {plural(len(rows), 'row')} of {count(held)} positions, "
        f"{size(step.cache_bytes)}. Derived: {count(n_distinct)} of the {count(first.size)} are "
        f"different, {size(shared)}; the rest, {percent(saved)}, are copies of what the beams "
        "share. Servers with a paged cache store those once. Labels are those of the best beam."
    )
    return Chart(figure, caption, f"The cache of the beams. {caption}")


def _owners(held: int, path: Sequence[int]) -> list[int]:
    """Names the owner of each position: the node whose token stands there, or the prompt."""
    n_prompt = held - len(path)
    return [*range(-n_prompt - 1, -1), *path]

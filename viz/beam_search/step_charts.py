"""Figures around the tree: the candidates of a step, the ranking of finished texts, the cache.

A candidate is drawn by its joint probability as a percentage of the best candidate's, for the
probabilities themselves soon become too small to see; they stand in a column of their own.
"""

import math
from collections.abc import Sequence

import numpy as np

from model.beam_search.records import ROOT, BeamNode, BeamStep, FinishedBeam, lineage
from viz.bars import NUMBERS, share_axis
from viz.beam_search.tree import describe
from viz.chart import (
    Chart,
    Table,
    add_bars,
    add_points,
    empty_chart,
    filled,
    hatched,
    new_figure,
    write_at,
)
from viz.figure import Figure, Style
from viz.format import count, percent, plural, size
from viz.labels import place_rows, plain, token_ticks
from viz.palette import MONO, colour

MAX_PRUNED = 2  # of each beam, drawn among the candidates
TOTALS = 1 + NUMBERS  # of the axis: where the probabilities of the whole texts stand
MAX_LABELS = 28  # positions of the cache that have room for their token
ROLES = {"kept": "kept", "finished": "generated"}


def candidates_figure(nodes: Sequence[BeamNode], step: BeamStep, prompt_end: str) -> Chart:
    """Draws the best candidates of every beam in one step, and where the beam ends."""
    rows = _candidate_rows(nodes, step)
    best = max(node.total for node in rows)
    figure = new_figure()
    for fate in ("kept", "finished", "pruned"):
        chosen = [i for i, node in enumerate(rows) if node.fate == fate]
        lengths = [math.exp(rows[i].total - best) for i in chosen]
        hovers = [describe(nodes, rows[i], fate) for i in chosen]
        marker = hatched() if fate == "pruned" else filled(colour(ROLES[fate]), 1.2)
        bars: Style = {"width": 0.78, "marker": marker, "showlegend": fate == "finished"}
        add_bars(figure, fate, chosen, lengths, list(map(percent, lengths)), hovers, **bars)
    kept = [node.total for node in rows if node.fate == "kept"]
    if kept:
        figure.add_vline(
            x=math.exp(min(kept) - best),
            layer="below",
            line={"color": colour("chosen"), "width": 1.5, "dash": "dash"},
        )
        for words, anchor, shift in (("← not kept", "right", -5), ("kept →", "left", 5)):
            look: Style = {"xanchor": anchor, "xshift": shift, "yanchor": "bottom"}
            write_at(figure, math.exp(min(kept) - best), -0.6, words, **look)
    for i in range(1, len(rows)):
        if rows[i].parent != rows[i - 1].parent:
            figure.add_hline(y=i - 0.5, line={"color": colour("line"), "width": 1})
    _name_totals(figure, rows)
    figure.update_xaxes(share_axis("of the best one’s probability", range=[0, TOTALS + NUMBERS]))
    font = {"family": MONO, "size": 12, "color": colour("ink")}
    place_rows(figure, [_row_name(nodes, node, prompt_end) for node in rows], font)
    figure.update_layout(height=max(250, 21 * len(rows) + 95), barmode="overlay")
    caption = (
        f"Measured: token {step.depth}, the best candidates of each beam, with the "
        "probability of the whole text. "
        "Candidates to the right of the dashed line are kept."
    )
    return Chart(figure, "The candidates of one step", caption)


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


def _name_totals(figure: Figure, rows: Sequence[BeamNode]) -> None:
    """Writes the probability of every candidate in a column of its own, clear of the bars."""
    tones = [colour("muted" if node.fate == "pruned" else "ink") for node in rows]
    words: Style = {"mode": "text", "text": [percent(math.exp(node.total)) for node in rows]}
    words |= {"textposition": "middle right", "textfont": {"size": 12, "color": tones}}
    add_points(figure, "", [TOTALS] * len(rows), range(len(rows)), {}, cliponaxis=False, **words)
    font = {"size": 12, "color": colour("muted")}
    write_at(figure, TOTALS, -0.6, "text", xanchor="left", yanchor="bottom", font=font)


def _row_name(nodes: Sequence[BeamNode], node: BeamNode, prompt_end: str) -> str:
    """Names a candidate by the end of its beam's text and its own token."""
    ids = [] if node.parent == ROOT else lineage(nodes, node.parent)
    before = "".join(nodes[i].label for i in ids[-2:])
    before = f"…{before[-11:]}" if ids else prompt_end
    return plain(f"{before[-12:]} + {node.label[:12]}")


def ranking_table(
    finished: Sequence[FinishedBeam], length_penalty: float, searched: float
) -> Table:
    """Writes the finished texts by their score, best first, beside their rank as `searched`."""
    now = sorted(finished, key=lambda beam: -beam.score(length_penalty))
    before = sorted(finished, key=lambda beam: -beam.score(searched))
    return [
        {
            "rank": rank + 1,
            "moved": _move(before.index(beam) - rank),
            "text": beam.text.strip().replace("\n", "⏎"),
            "tokens": beam.depth,
            "sum log p": beam.total,
            "score": beam.score(length_penalty),
            "ends by": "end" if beam.ended else "limit",
        }
        for rank, beam in enumerate(now)
    ]


def _move(n_places: int) -> str:
    return "" if n_places == 0 else f"▲ {n_places}" if n_places > 0 else f"▼ {-n_places}"


def cache_figure(
    nodes: Sequence[BeamNode], step: BeamStep, prompt_labels: Sequence[str], bytes_per_token: int
) -> Chart:
    """Draws the rows of the batched cache, and which of their positions are copies."""
    if not step.beams or not step.seconds:
        return empty_chart("No pass followed this step: the search is over.")
    if not step.cache_bytes or not bytes_per_token:
        return empty_chart("This model keeps no keys and values for each position.")
    held = step.cache_tokens
    paths = [lineage(nodes, beam) for beam in step.beams]
    labels = [[*prompt_labels[-held:], *(nodes[i].label for i in path)] for path in paths]
    is_first = _first_of_each(held, paths)
    n_distinct = int(is_first.sum())
    figure = new_figure()
    for cells, marker, name in (
        (is_first, filled(colour("keys"), 1), f"different: {plural(n_distinct, 'position')}"),
        (~is_first, hatched(), f"copies of one above: {count(is_first.size - n_distinct)}"),
    ):
        rows, places = (axis.tolist() for axis in np.nonzero(cells))
        cells_at = zip(rows, places, strict=True)
        hovers = [f"position {i}: {plain(labels[row][i])}" for row, i in cells_at]
        look: Style = {"width": 0.86, "marker": marker, "base": [i + 0.03 for i in places]}
        add_bars(figure, name, rows, [0.94] * len(rows), hover=hovers, **look)
    ticks = token_ticks(labels[0], MAX_LABELS, at=0.5)
    figure.update_xaxes(range=[0, held], **ticks)
    place_rows(figure, [f"beam {row + 1}" for row in range(len(paths))])
    figure.update_layout(height=34 * len(paths) + 120, barmode="overlay")
    caption = _cache_caption(step, n_distinct, n_distinct * bytes_per_token)
    return Chart(figure, "The cache of the beams", caption)


def _first_of_each(held: int, paths: Sequence[Sequence[int]]) -> np.ndarray:
    """Tells which positions, (rows, held), are no copy of one in a row above.

    Positions are the same where the same node's token stands there, or the prompt's.
    """
    owners = np.array([[*range(len(path) - held - 1, -1), *path] for path in paths])
    return np.array([~(row == owners[:i]).any(axis=0) for i, row in enumerate(owners)])


def _cache_caption(step: BeamStep, n_distinct: int, shared: int) -> str:
    n_positions = len(step.beams) * step.cache_tokens
    saved = max(0.0, 1 - shared / step.cache_bytes)
    return (
        f"Measured: the batch holds {plural(len(step.beams), 'row')} of {count(step.cache_tokens)} "
        f"positions, {size(step.cache_bytes)}. Derived: {count(n_distinct)} of the "
        f"{count(n_positions)} are different, {size(shared)}; the rest, {percent(saved)}, are "
        "copies of what the beams share. Servers with a paged cache store those once. Labels are "
        "those of the best beam."
    )

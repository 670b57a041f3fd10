"""The tree of a beam search: a column for each token, and a zone for each fate.

The beams that are kept stand above, best first; below a line one text that finished at this token,
below another line one that was pruned there: the best of them, or greedy's. Every token is joined
to its true parent. A beam that is dropped later fades, and stays where it was. Once the search is
over, all fades but the best text and greedy's, which alone is dashed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from model.beam_search.records import BeamNode, BeamStep, greedy_path, lineage
from viz.chart import Chart, add_line, new_figure, write_at
from viz.figure import Figure, Style
from viz.format import count, nats, percent, plural
from viz.labels import plain
from viz.palette import READ, colour
from viz.strip import SPACE

LEAD = 0.3  # columns that an edge runs level out of a token and into one
GAP = 0.2  # rows between two zones
HEAD, HALF = 0.6, 0.5  # rows above the first one, and of the last one below its middle
COLUMN_PIXELS = 58  # least width of a column in which a box with its number leaves room for edges
MAX_LETTERS = 11
BELOW = ("finished", "pruned")  # the zones below the beams: a text of each in every column
ROW_PIXELS, LINE_PIXELS = 44, 27  # of a token with its number below it, and beside it
TYPE_PIXELS = 14
CROSSING = 1.4  # pixels that an edge is wider where another text becomes likelier than greedy's
_CURVE = np.linspace(0, 1, 13)


class _Look(NamedTuple):
    """How a token and the line that leads to it are drawn."""

    name: str  # of the line, in the numbers
    role: str  # colour of the line and of the token's edge
    width: float  # of the line, pixels
    dash: str
    ink: str
    ground: str
    edge: float  # pixels


_LOOKS = {  # the faintest first
    "faint": _Look("pruned or dropped", "line", 1.0, "solid", "muted", "paper", 0.0),
    "finished": _Look("finished ■", "generated", 1.8, "solid", "ink", "generated-tint", 1.4),
    "kept": _Look("kept", "kept", 2.6, "solid", "ink", "kept-tint", 1.4),
    "greedy": _Look("greedy’s", "ink", 2.4, "dash", "ink", "paper", 1.4),
    "best": _Look("best so far", "chosen", 3.6, "solid", "ink", "kept-tint", 2.4),
}


@dataclass(frozen=True)
class _Place:
    """Where a node stands, and how it is drawn."""

    x: float
    y: float
    look: str  # one of _LOOKS
    state: str  # what has become of it so far
    has_number: bool = True


def tree_figure(
    nodes: Sequence[BeamNode],
    steps: Sequence[BeamStep],
    n_beams: int,
    n_columns: int,
    prompt_end: str,
    best_id: int | None,
    *,
    is_over: bool = False,
    in_line: bool = False,
    crossed_at: int | None = None,
) -> Chart:
    """Draws the search as far as `steps` go.

    Args:
        nodes: of the whole search; those of later steps are left out.
        steps: that are shown.
        n_beams: beams that the search may keep.
        n_columns: tokens of the whole search, so that the frame stays while the tree grows.
        prompt_end: the last words of the prompt.
        best_id: the node in which the best text so far ends.
        is_over: the search is over: the last beams are dropped too, and two texts stand out.
        in_line: each number stands beside its token: rows are lower, columns wider.
        crossed_at: the token from which on another text is likelier than greedy's, if that is
            shown: there the boxes of both stand out.
    """
    figure = new_figure()
    on_best = set() if best_id is None else set(lineage(nodes, best_id))
    going_on = () if is_over or not steps else steps[-1].beams
    places = _places(nodes, steps, n_beams, on_best, going_on)
    if is_over:
        places = {i: _fade(place) for i, place in places.items()}
    n_rows = n_beams + len(BELOW) * (1 + GAP) - HALF
    root = _Place(0, -(n_beams - 1) / 2, "best", "best")
    _add_zones(figure, n_beams, n_columns)
    _add_edges(figure, nodes, places, root)
    dropped_at = {node_id: step.depth for step in steps for node_id in step.dropped}
    if is_over and steps:
        dropped_at |= dict.fromkeys(steps[-1].beams, len(steps))
    chips = _chips(nodes, places, dropped_at, " " if in_line else "<br>", crossed_at)
    prompt = _chip(
        root, plain(prompt_end).replace(" ", "<br>"), ("prompt-tint", "prompt", 1.5), "ink"
    )
    for chip in (*chips, prompt):
        figure.add_annotation(**chip)
    figure.update_xaxes(
        range=[-0.5, n_columns + 0.5],
        tickvals=list(range(1, n_columns + 1)),
        ticktext=[f"token {i}" if i == 1 else str(i) for i in range(1, n_columns + 1)],
        tickfont={"size": TYPE_PIXELS},
        side="top",
        ticks="",
        showline=False,
    )
    figure.update_yaxes(visible=False, range=[-n_rows, HEAD])
    figure.update_layout(
        height=round((LINE_PIXELS if in_line else ROW_PIXELS) * (n_rows + HEAD)) + 28,
        margin={"l": 4, "r": 4, "t": 24, "b": 4},
        showlegend=False,
    )
    return Chart(figure, "The tree of the search", _caption(nodes, steps))


def _places(
    nodes: Sequence[BeamNode],
    steps: Sequence[BeamStep],
    n_beams: int,
    on_best: set[int],
    going_on: Sequence[int],
) -> dict[int, _Place]:
    """Gives every node its column and its row."""
    shown = [nodes[i] for step in steps for i in step.node_ids]
    ends = [node.node_id for node in shown if node.fate == "finished"]
    lasting = {i for end in (*going_on, *ends) for i in lineage(nodes, end)}
    greedy = set(greedy_path(nodes))
    places: dict[int, _Place] = {}

    def put(node: BeamNode, row: float, state: str) -> None:
        look = "faint" if state in {"pruned", "dropped"} else state
        look = "greedy" if node.node_id in greedy else look
        if node.node_id in on_best:
            look = state = "best"
        is_new = node.depth == steps[-1].depth
        places[node.node_id] = _Place(node.depth, -row, look, state, is_new or look != "faint")

    for step in steps:
        made = [nodes[i] for i in step.node_ids]
        for row, node in enumerate(node for node in made if node.fate == "kept"):
            put(node, row, "kept" if node.node_id in lasting else "dropped")
        for zone, fate in enumerate(BELOW):
            ended = [node for node in made if node.fate == fate]
            ended.sort(key=lambda node: (node.node_id not in on_best, node.node_id not in greedy))
            for node in ended[:1]:
                put(node, _row_of(zone, n_beams), fate)
    return places


def _row_of(zone: int, n_beams: int) -> float:
    """Returns the row of a zone below the beams."""
    return n_beams + GAP + zone * (1 + GAP)


def _fade(place: _Place) -> _Place:
    is_named = place.look in {"best", "greedy"}
    return place if is_named else replace(place, look="faint", has_number=False)


def _add_zones(figure: Figure, n_beams: int, n_columns: int) -> None:
    """Names the zones, and draws a line above each of those below the beams."""
    line = {"color": colour("line"), "width": 2}
    font = {"family": READ, "size": TYPE_PIXELS, "color": colour("muted")}
    write_at(figure, 0.5, 0, "kept", font=font, xanchor="right")
    for zone, name in enumerate(BELOW):
        row = _row_of(zone, n_beams)
        y = -row + (1 + GAP) / 2
        figure.add_shape(
            x0=-0.5, x1=n_columns + 0.5, y0=y, y1=y, type="line", layer="below", line=line
        )
        write_at(figure, 0.5, -row, name, font=font, xanchor="right")


def _add_edges(
    figure: Figure, nodes: Sequence[BeamNode], places: dict[int, _Place], root: _Place
) -> None:
    """Draws a curve from every parent to its child, which leaves and arrives level."""
    rise = _CURVE**2 * (3 - 2 * _CURVE)
    for name, look in _LOOKS.items():
        x: list[float | None] = [None]
        y: list[float | None] = [None]
        for node_id, place in places.items():
            start = places.get(nodes[node_id].parent, root)
            if place.look == name:
                length = place.x - start.x - 2 * LEAD
                x += [start.x, *(start.x + LEAD + length * _CURVE).tolist(), place.x, None]
                y += [start.y, *(start.y + (place.y - start.y) * rise).tolist(), place.y, None]
        drawn: Style = {"width": look.width, "dash": look.dash}
        add_line(figure, look.name, x, y, colour(look.role), **drawn)


def _chips(
    nodes: Sequence[BeamNode],
    places: dict[int, _Place],
    dropped_at: dict[int, int],
    gap: str,
    crossed_at: int | None,
) -> list[Style]:
    """Writes each token into its box, and after a gap the probability of the text up to it."""
    chips = []
    for node_id, place in places.items():
        node, look = nodes[node_id], _LOOKS[place.look]
        token, ground = plain(node.label.strip(SPACE) or node.label, MAX_LETTERS), look.ground
        if node.fate == "finished":
            token = f"{token} ■"
            ground = ground if place.look == "faint" else "generated-tint"
        fate = {
            "best": "on the path of the best text so far",
            "dropped": f"kept, and dropped {_when(dropped_at.get(node_id))}",
            "pruned": f"pruned at token {node.depth}",
        }.get(place.state, place.state)
        text = f"{token}{gap}{percent(math.exp(node.total))}" if place.has_number else token
        is_crossing = node.depth == crossed_at and place.look in {"best", "greedy"}
        text = f"<b>{text}</b>" if is_crossing else text
        edge = look.edge + (CROSSING if is_crossing else 0)
        chip = _chip(place, text, (ground, look.role, edge), look.ink)
        chip["hovertext"] = describe(nodes, node, fate)
        chips.append(chip)
    return chips


def _chip(place: _Place, text: str, box: tuple[str, str, float], ink: str) -> Style:
    """Writes a text into a box: its ground, the colour of its edge, the pixels of that."""
    ground, edge, width = box
    return {
        "x": place.x,
        "y": place.y,
        "text": text,
        "showarrow": False,
        "font": {"family": READ, "size": TYPE_PIXELS, "color": colour(ink)},
        "bgcolor": colour(ground),
        "bordercolor": colour(edge),
        "borderwidth": width,
        "borderpad": 1,
        "hoverlabel": {"bgcolor": colour("raised")},
    }


def describe(nodes: Sequence[BeamNode], node: BeamNode, fate: str) -> str:
    """Writes a candidate and what became of it for the box under the pointer."""
    text = "".join(nodes[i].label for i in lineage(nodes, node.node_id)).replace("␣", " ")
    return (
        f"…{plain(text)}<br>{percent(math.exp(node.logprob))} after its parent, no. "
        f"{node.place + 1} there<br>all of it {percent(math.exp(node.total))} (log p "
        f"{nats(node.total)}), no. {count(node.rank + 1)} of all candidates<br><b>{fate}</b>"
    )


def _when(depth: int | None) -> str:
    return "with all its continuations" if depth is None else f"at token {depth}"


def _caption(nodes: Sequence[BeamNode], steps: Sequence[BeamStep]) -> str:
    numbers = (
        "A token’s number is the probability of all of the text up to it, from the prompt on: a "
        "product, so it can only fall. After ■ a text has ended."
    )
    if not steps:
        return f"No step has been searched; press Step. {numbers}"
    last = steps[-1]
    fates = [nodes[i].fate for i in last.node_ids]
    n_finished = fates.count("finished")
    finished = f", {count(n_finished)} finished" if n_finished else ""
    dropped = f", and {plural(len(last.dropped), 'beam')} dropped" if last.dropped else ""
    return (
        f"Measured. Token {last.depth}: {count(fates.count('kept'))} of "
        f"{count(last.n_candidates)} candidates kept{finished}{dropped}; of those that "
        f"finish, and of those that are pruned, one is drawn. {numbers}"
    )

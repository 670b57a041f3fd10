"""A label in a figure: its characters as they are, and no more of them than have room."""

from __future__ import annotations

import html
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

MAX_MOVES = 60  # rounds in which labels are moved apart
UPRIGHT = [0, -90]  # degrees: a label lies where there is room, and stands where there is none


def plain(label: str, most: int | None = None) -> str:
    """Keeps characters from being read as Plotly's markup.

    Args:
        label: A token or a name.
        most: Characters for which there is room; all, where None.
    """
    cut = label if most is None or len(label) <= most else f"{label[: most - 1]}…"
    return html.escape(cut, quote=False)


def in_sentence(label: str) -> str:
    """Writes a token into a sentence of Markdown, where it looks like a token and is not read."""
    return f"`{label.replace('`', 'ˋ')}`"


def token_ticks(
    labels: Sequence[str], most: int = 48, n_characters: int = 10, at: float = 0.0
) -> dict[str, Any]:
    """Names tokens along an axis, every n-th where there are more than so many."""
    places = range(0, len(labels), max(1, -(-len(labels) // most)))
    return {
        "tickvals": [place + at for place in places],
        "ticktext": [plain(labels[place], n_characters) for place in places],
        "autotickangles": UPRIGHT,
        "ticks": "",
    }


def apart(wanted: Sequence[float], rooms: Sequence[float], low: float, high: float) -> list[float]:
    """Returns places near those wanted, so many of the axis's units apart, within its bounds."""
    order, places = sorted(range(len(wanted)), key=lambda i: wanted[i]), list(wanted)
    bounds = [(low + room / 2, high - room / 2) for room in rooms]
    for _ in range(MAX_MOVES):
        for below, above in pairwise(order):
            room = (rooms[below] + rooms[above]) / 2
            push = max(0.0, room - (places[above] - places[below])) / 2
            places[below] -= push
            places[above] += push
        places = [min(max(y, least), most) for y, (least, most) in zip(places, bounds, strict=True)]
    return places

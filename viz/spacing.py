"""Places along an axis, moved apart as little as leaves each its room. Knows numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

MAX_MOVES = 60  # rounds in which they are moved


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

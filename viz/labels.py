"""A label in a figure: its characters as they are, and no more of them than have room."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

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

"""A label in a figure: its characters as they are, and no more of them than have room."""

from __future__ import annotations

import html


def plain(label: str, most: int | None = None) -> str:
    """Keeps characters from being read as Plotly's markup.

    Args:
        label: A token or a name.
        most: Characters for which there is room; all, where None.
    """
    cut = label if most is None or len(label) <= most else f"{label[: most - 1]}…"
    return html.escape(cut, quote=False)

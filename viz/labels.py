"""A token's label in a figure: its characters as they are, and no more of them than have room."""

from __future__ import annotations

import html


def plain(label: str) -> str:
    """Keeps a token's characters from being read as Plotly's markup."""
    return html.escape(label, quote=False)


def short(label: str, most: int) -> str:
    """Cuts a token to as many characters as have room."""
    return label if len(label) <= most else f"{label[: most - 1]}…"

"""Both caches in a round of speculative decoding: what they held, what was read, what was cropped.

A cell is one position. Its look is named in the words above it by a small swatch of the same look.
"""

from __future__ import annotations

import html
from typing import Literal, TypeAlias

from model.speculative.records import CacheMark, Round
from viz.format import count, plural, size
from viz.palette import Theme, colour
from viz.speculative.round_cards import CROP, VERIFY, hatch

MOST_CELLS = 28  # positions of a cache that are drawn one by one
Fate: TypeAlias = Literal["held", "read", "cropped"]


def caches(one: Round, stage: int, theme: Theme) -> str:
    """Draws both caches: what they held before the round, what was read, what was cropped."""
    rows = "".join(
        _cache(mark, stage, theme, has_read=stage >= VERIFY or place > 0)
        for place, mark in enumerate(one.caches)
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:10px 32px">{rows}</div>'


def _cache(mark: CacheMark, stage: int, theme: Theme, *, has_read: bool) -> str:
    n_now = mark.n_read if has_read else mark.n_before
    first = max(0, mark.n_read - MOST_CELLS)
    cells = "".join(
        f'<span title="position {place}">{_cell(_fate(place, mark, stage), theme)}</span>'
        for place in range(first, n_now)
    )
    hidden = f"{plural(first, 'position')} … " if first else ""
    words = f"{_parts(mark, stage, theme, has_read=has_read)}; {_bytes(mark, stage, n_now)}"
    return (
        f'<div style="flex:1 1 330px"><div style="font-size:.85rem;color:{colour("ink", theme)}">'
        f"<b>{html.escape(mark.name)}</b>’s cache: {words}</div>"
        f'<div style="display:flex;flex-wrap:wrap;gap:2px;align-items:center;margin-top:4px;'
        f'font-size:.75rem;color:{colour("muted", theme)}">{hidden}{cells}</div></div>'
    )


def _parts(mark: CacheMark, stage: int, theme: Theme, *, has_read: bool) -> str:
    """Says how many positions there are of each look, the look beside its number."""
    has_cropped = stage >= CROP
    n_stay = (mark.n_kept if has_cropped else mark.n_read) - mark.n_before
    parts: list[tuple[Fate, str]] = [("held", f"{count(mark.n_before)} before the round")]
    if has_read:
        parts.append(
            ("read", f"{count(n_stay)} {'read and kept' if has_cropped else 'read in it'}")
        )
    if has_cropped:
        parts.append(("cropped", f"{count(mark.n_read - mark.n_kept)} read and cropped"))
    said = ", ".join(f"{_cell(fate, theme, 10, 12)} {words}" for fate, words in parts)
    return said if has_read else f"{said}, nothing read yet"


def _bytes(mark: CacheMark, stage: int, n_now: int) -> str:
    if stage < CROP:
        return f"{size(n_now * mark.bytes_per_token)} in use"
    in_use = size(mark.n_kept * mark.bytes_per_token)
    return f"{in_use} in use, {size(mark.bytes_held)} held"


def _fate(place: int, mark: CacheMark, stage: int) -> Fate:
    if place < mark.n_before:
        return "held"
    return "cropped" if stage >= CROP and place >= mark.n_kept else "read"


def _cell(fate: Fate, theme: Theme, width: int = 14, height: int = 18) -> str:
    """Draws one position, or as small as a letter what such a position looks like."""
    keys, tint = colour("keys", theme), colour("keys-tint", theme)
    look = {
        "held": f"background:{tint};border:1.5px solid {keys}",
        "read": f"background:{keys};border:1.5px solid {keys}",
        "cropped": f"{hatch(theme)};border:1.5px dashed {colour('rejected', theme)}",
    }[fate]
    return (
        f'<span style="display:inline-block;width:{width}px;height:{height}px;'
        f'vertical-align:-2px;box-sizing:border-box;border-radius:3px;{look}"></span>'
    )

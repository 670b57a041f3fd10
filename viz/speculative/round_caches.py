"""Both caches in a round of speculative decoding: what they held, what was read, what was cropped.

A cell is one position. Its look is named in the words above it by a small swatch of the same look.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from markupsafe import Markup

from model.speculative.records import CROP, VERIFY, CacheMark, Round
from viz.format import count, plural, size
from viz.palette import Theme, colour
from viz.strip import element, hatch, row

MAX_CELLS = 28  # positions of a cache that are drawn one by one
Fate: TypeAlias = Literal["held", "read", "cropped"]


def caches(one: Round, stage: int, theme: Theme) -> Markup:
    """Draws both caches: what they held before the round, what was read, what was cropped."""
    return row(
        *(
            _cache(mark, stage, theme, has_read=stage >= VERIFY or place > 0)
            for place, mark in enumerate(one.caches)
        ),
        gap="10px 32px",
    )


def _cache(mark: CacheMark, stage: int, theme: Theme, *, has_read: bool) -> Markup:
    n_now = mark.n_read if has_read else mark.n_before
    first = max(0, mark.n_read - MAX_CELLS)
    cells = (
        _cell(_fate(place, mark, stage), theme, title=f"position {place}")
        for place in range(first, n_now)
    )
    words = element(
        "div",
        element("b", mark.name),
        "’s cache: ",
        *_parts(mark, stage, theme, has_read=has_read),
        f"; {_bytes(mark, stage, n_now)}",
        style=f"font-size:.85rem;color:{colour('ink', theme)}",
    )
    hidden = f"{plural(first, 'position')} … " if first else ""
    style = f"align-items:center;margin-top:4px;font-size:.75rem;color:{colour('muted', theme)}"
    return element(
        "div", words, row(hidden, *cells, gap="2px", style=style), style="flex:1 1 330px"
    )


def _parts(mark: CacheMark, stage: int, theme: Theme, *, has_read: bool) -> list[str]:
    """Says how many positions there are of each look, the look beside its number."""
    has_cropped = stage >= CROP
    n_stay = (mark.n_kept if has_cropped else mark.n_read) - mark.n_before
    said = [_cell("held", theme, 10, 12), f" {count(mark.n_before)} before the round"]
    if not has_read:
        return [*said, ", nothing read yet"]
    how = "read and kept" if has_cropped else "read in it"
    said += [", ", _cell("read", theme, 10, 12), f" {count(n_stay)} {how}"]
    if has_cropped:
        n_cropped = count(mark.n_read - mark.n_kept)
        said += [", ", _cell("cropped", theme, 10, 12), f" {n_cropped} read and cropped"]
    return said


def _bytes(mark: CacheMark, stage: int, n_now: int) -> str:
    if stage < CROP:
        return f"{size(n_now * mark.bytes_per_token)} in use"
    in_use = size(mark.n_kept * mark.bytes_per_token)
    return f"{in_use} in use, {size(mark.bytes_held)} held"


def _fate(place: int, mark: CacheMark, stage: int) -> Fate:
    if place < mark.n_before:
        return "held"
    return "cropped" if stage >= CROP and place >= mark.n_kept else "read"


def _cell(fate: Fate, theme: Theme, width: int = 14, height: int = 18, title: str = "") -> Markup:
    """Draws one position, or as small as a letter what such a position looks like."""
    keys, tint = colour("keys", theme), colour("keys-tint", theme)
    look = {
        "held": f"background:{tint};border:1.5px solid {keys}",
        "read": f"background:{keys};border:1.5px solid {keys}",
        "cropped": f"background:{hatch(theme)};border:1.5px dashed {colour('rejected', theme)}",
    }[fate]
    style = (
        f"display:inline-block;width:{width}px;height:{height}px;vertical-align:-2px;"
        f"box-sizing:border-box;border-radius:3px;{look}"
    )
    return element("span", style=style, title=title)

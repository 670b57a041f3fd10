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
    boxes = (_cache(mark, stage, theme, is_draft=i > 0) for i, mark in enumerate(one.caches))
    return row(*boxes, gap="10px 32px")


def _cache(mark: CacheMark, stage: int, theme: Theme, *, is_draft: bool) -> Markup:
    parts: list[tuple[Fate, int, str]] = [("held", mark.n_before, "before the round")]
    if stage >= CROP:
        parts.append(("read", mark.n_kept - mark.n_before, "read and kept"))
        parts.append(("cropped", mark.n_read - mark.n_kept, "read and cropped"))
    elif stage >= VERIFY or is_draft:
        parts.append(("read", mark.n_read - mark.n_before, "read in it"))
    said = [element("b", mark.name), "’s cache: "]
    for fate, n, words in parts:
        said += [_cell(fate, theme, 10, 12), f" {count(n)} {words}, "]
    if len(parts) == 1:
        said.append("nothing read yet, ")
    n_used = mark.n_kept if stage >= CROP else sum(n for _, n, _ in parts)
    said.append(f"{size(n_used * mark.bytes_per_token)} in use")
    if stage >= CROP:
        said.append(f", {size(mark.bytes_held)} held")
    first = max(0, mark.n_read - MAX_CELLS)
    fates = [fate for fate, n, _ in parts for _ in range(n)][first:]
    cells = (_cell(f, theme, title=f"position {i}") for i, f in enumerate(fates, start=first))
    hidden = f"{plural(first, 'position')} … " if first else ""
    style = f"align-items:center;margin-top:4px;font-size:.75rem;color:{colour('muted', theme)}"
    return element(
        "div",
        element("div", *said, style=f"font-size:.85rem;color:{colour('ink', theme)}"),
        row(hidden, *cells, gap="2px", style=style),
        style="flex:1 1 330px",
    )


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

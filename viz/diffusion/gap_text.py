"""A text with gaps as it is being filled: what is given, what was written, what is still open."""

from __future__ import annotations

import html
from collections.abc import Sequence

from model.diffusion.records import Stretch
from viz.palette import Theme, colour

SIZE = 1.15  # of the letters, in rem
EMPTY = "&nbsp;" * 3  # a gap that has been begun


def gap_text_html(stretches: Sequence[Stretch], theme: Theme, scale: float = 1.0) -> str:
    """Writes the text, its gaps as boxes; texts are data and are escaped.

    Args:
        stretches: What is given and the gaps between, in turn.
        theme: Light or dark.
        scale: 1 on a desk, more on a projector.
    """
    parts = "".join(_part(one, theme) for one in stretches)
    return (
        f'<div style="font-size:{SIZE * scale}rem;line-height:1.9;color:{colour("ink", theme)};'
        f'overflow-wrap:anywhere;white-space:pre-wrap">{parts}</div>'
    )


def _part(one: Stretch, theme: Theme) -> str:
    if one.kind == "given":
        return html.escape(one.text)
    look = f"background:{colour('generated-tint', theme)};border:1.5px solid "
    look += colour("generated", theme)
    if one.kind == "open":
        look = f"border:1.5px dashed {colour('rejected', theme)};color:{colour('muted', theme)}"
    # the space before a gap stands before its box, also where the box is still empty
    words = one.text.lstrip(" ")
    lead = "" if words and words == one.text else " "
    return (
        f'{lead}<span style="{look};border-radius:5px;padding:.05em .3em;'
        f'box-decoration-break:clone">{html.escape(words) or EMPTY}</span>'
    )

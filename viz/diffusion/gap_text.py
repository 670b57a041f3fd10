"""A text with gaps as it is being filled: what is given, what was written, what is still open."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from model.diffusion.records import Segment
from viz.palette import Theme, colour
from viz.strip import element

SIZE = 1.15  # of the letters, in rem
EMPTY = "\u00a0" * 3  # a gap that has been begun


def gap_text_html(segments: Sequence[Segment], theme: Theme, scale: float = 1.0) -> Markup:
    """Writes the text, its gaps as boxes.

    Args:
        segments: What is given and the gaps between, in turn.
        theme: Light or dark.
        scale: 1 on a desk, more on a projector.
    """
    style = (
        f"font-size:{SIZE * scale}rem;line-height:1.9;color:{colour('ink', theme)};"
        "overflow-wrap:anywhere;white-space:pre-wrap"
    )
    return element("div", *(_part(one, theme) for one in segments), style=style)


def _part(one: Segment, theme: Theme) -> Markup:
    if one.kind == "given":
        return Markup.escape(one.text)
    look = f"background:{colour('generated-tint', theme)};border:1.5px solid "
    look += colour("generated", theme)
    if one.kind == "open":
        look = f"border:1.5px dashed {colour('rejected', theme)};color:{colour('muted', theme)}"
    # the space before a gap stands before its box, also where the box is still empty
    words = one.text.lstrip(" ")
    lead = "" if words and words == one.text else " "
    style = f"{look};border-radius:5px;padding:.05em .3em;box-decoration-break:clone"
    return Markup(lead) + element("span", words or EMPTY, style=style)

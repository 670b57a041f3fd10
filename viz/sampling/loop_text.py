"""A text whose repeating end is marked."""

from __future__ import annotations

from markupsafe import Markup

from viz.palette import Theme, colour
from viz.strip import element, paragraph


def loop_html(before: str, repeated: str, theme: Theme = "light") -> Markup:
    """Writes a text with its repeating end marked by a field and an underline.

    Args:
        before: what does not repeat.
        repeated: what does; may be empty.
        theme: Light or dark.
    """
    look = (
        f"background:{colour('error-tint', theme)};color:inherit;"
        f"text-decoration:underline {colour('error', theme)};text-underline-offset:.2em"
    )
    return paragraph(before, element("mark", repeated, style=look) if repeated else "")

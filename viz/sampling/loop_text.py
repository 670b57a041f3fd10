"""A text whose repeating end is marked, as markup in which the text itself is only ever text."""

from __future__ import annotations

from html import escape

from viz.palette import Theme, colour


def loop_html(before: str, repeated: str, theme: Theme = "light") -> str:
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
    end = f'<mark style="{look}">{escape(repeated)}</mark>' if repeated else ""
    return f'<p style="margin:0;white-space:pre-wrap;line-height:1.5">{escape(before)}{end}</p>'

"""Both machines side by side: the encoder with all that it reads, the decoder with what it writes.

A gap and its answer bear one number, so that the eye can go from one to the other.
"""

import re
from collections.abc import Sequence

from markupsafe import Markup

from viz.format import plural
from viz.palette import colour
from viz.strip import chip, element, row

SIZE = "font-size:var(--size-body);"
BADGE = (
    f"background:{colour('chosen')};color:{colour('paper')};border-radius:1em;padding:0 .5em;"
    "font-weight:600;font-size:var(--size-body);line-height:1.6;forced-color-adjust:none"
)


def machines_html(source: Sequence[str], written: Sequence[str], *, is_over: bool) -> Markup:
    """Draws both, the labels of their tokens in boxes."""
    waits = [] if is_over else [chip("?", "generated", "open", style=SIZE)]
    return row(
        _machine(
            "The encoder reads",
            f"{plural(len(source), 'token')} in one pass. Each sees all others, before it and "
            "after it.",
            "prompt",
            [_token(label, "prompt") for label in source],
        ),
        _machine(
            "The decoder writes",
            f"{plural(len(written), 'token')} in {plural(len(written), 'pass', 'es')}. Each sees "
            "those before it, and all that the encoder made of the text.",
            "generated",
            [*(_token(label, "generated") for label in written), *waits],
        ),
        gap="1rem",
    )


def _machine(title: str, says: str, role: str, tokens: Sequence[Markup]) -> Markup:
    return element(
        "section",
        element("b", title, style="font-size:var(--size-lead)"),
        element("p", says, style=f"margin:.2rem 0 .7rem;color:{colour('muted')}"),
        row(*tokens, gap="4px"),
        style=f"flex:1 1 20rem;border:2px solid {colour(role)};border-radius:10px;"
        "padding:.8rem 1rem;min-height:9rem;box-sizing:border-box",
    )


def _token(label: str, role: str) -> Markup:
    """Draws a token; one that stands for a gap is its number."""
    number = gap_number(label)
    if number is None:
        return chip(label, role, style=SIZE)
    name = f"gap {number}"
    return element("span", str(number), style=BADGE, title=name, role="img", aria_label=name)


def gap_number(label: str) -> int | None:
    """Returns which gap a token stands for, counted from 1; None for any other token."""
    gap = re.fullmatch(r"<extra_id_(\d+)>", label)
    return None if gap is None else int(gap[1]) + 1

"""The mask as a triangle of text: what each position sees, what is covered, what it is asked for.

Every column is one token, so a row shows the text as its position has it. A row that is pointed at,
or has the focus, says what it may read, and the others fade.
"""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from viz.palette import colour
from viz.strip import chip, element

STYLE = Path(__file__).with_name("triangle.css").read_text("utf-8")
SIZE = "font-size:clamp(.85rem,1.75vw,1.5rem);text-align:center;"  # as the window is wide


def triangle_html(labels: Sequence[str], n_rows: int, *, is_covered: bool) -> Markup:
    """Draws the first rows.

    Args:
        labels: Of the tokens; the last is only asked for.
        n_rows: Positions that read so far.
        is_covered: Whether the mask hides what comes later.
    """
    rows = [_row(labels, row, is_covered=is_covered) for row in range(n_rows)]
    columns = f"repeat({len(labels) + 1},max-content)"
    look = f"display:grid;grid-template-columns:{columns};gap:4px;overflow-x:auto;padding:2px"
    look += " 2px 2.2rem"  # for what the last row says
    return element("div", *rows, class_="mask-rows", style=look, role="list")


def _row(labels: Sequence[str], row: int, *, is_covered: bool) -> Markup:
    """Draws what one position has of the text, and behind it the token that it is asked for."""
    seen = [_seen(chip(label, "kept", style=SIZE)) for label in labels[: row + 1]]
    if is_covered:
        hidden = f"{SIZE}color:transparent;user-select:none"
        rest = [chip(label, "rejected", style=hidden) for label in labels[row + 1 :]]
    else:
        answer = f"{SIZE}border-width:3px"
        looks = [answer, *[SIZE] * len(labels)]
        ahead = zip(labels[row + 1 :], looks, strict=False)
        rest = [_seen(chip(label, "error", "marked", style=look)) for label, look in ahead]
    arrow = element("span", "→", style=f"color:{colour('muted')};padding:0 .4rem")
    # it stays in sight where the row is wider than the window, over the padding too
    place = f"position:sticky;right:-2px;background:{colour('paper')};white-space:nowrap"
    asked = chip(labels[row + 1], "generated", "open", style=SIZE)
    asked = element("span", arrow, asked, style=place)
    may = labels[: row + 1] if is_covered else labels
    says = f"position {row + 1} may read: {' '.join(may).replace('␣', '')}"
    return element(
        "div", *seen, *rest, asked, class_="mask-row", data_says=says, tabindex="0",
        role="listitem", aria_label=_words(labels, row, is_covered=is_covered),
    )  # fmt: skip


def _seen(box: Markup) -> Markup:
    """Lets a box be lit together with all else that its row may read."""
    return element("span", box, class_="seen", style="display:grid")


def _words(labels: Sequence[str], row: int, *, is_covered: bool) -> str:
    n_later = len(labels) - row - 1
    later = f"{n_later} later {'hidden' if is_covered else 'in sight'}"
    return f"Row {row + 1} sees {' '.join(labels[: row + 1])}; {later}; asked for {labels[row + 1]}"

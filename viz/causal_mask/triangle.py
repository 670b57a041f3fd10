"""The mask as a triangle of text: what each position sees, what is covered, what it is asked for.

Every column is one token, so a row shows the text as its position has it. A row that is pointed at,
or has the focus, says what it may read, and the others fade.
"""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from viz.palette import colour
from viz.strip import SPACE, chip, element

STYLE = Path(__file__).with_name("triangle.css").read_text("utf-8")
# as large as the window has room for, and no smaller than a class can read
SIZE = (
    "font:clamp(1rem,min(2.2vw,3.4vh),1.8rem)/1.3 var(--read);text-align:center;padding:.06em 3px;"
)
OWN = f"border-color:{colour('chosen')};box-shadow:0 0 0 1.5px {colour('chosen')}"  # of a position


def open_html(labels: Sequence[str]) -> Markup:
    """Draws the rows before anything is hidden: each position frames its own token.

    Args:
        labels: Of the tokens; the last is only asked for.
    """
    words = _words_of(labels)
    return _grid(words, [_open_row(words, row) for row in range(len(labels) - 1)])


def triangle_html(labels: Sequence[str], *, is_covered: bool) -> Markup:
    """Draws the rows with what each may read.

    Args:
        labels: Of the tokens; the last is only asked for.
        is_covered: Whether the mask hides what comes later.
    """
    words = _words_of(labels)
    rows = [_row(words, row, is_covered=is_covered) for row in range(len(labels) - 1)]
    return _grid(words, rows)


def _words_of(labels: Sequence[str]) -> list[str]:
    """Returns the labels without the space that a word begins with: each has a box of its own."""
    return [label.removeprefix(SPACE) or label for label in labels]


def _grid(labels: Sequence[str], rows: Sequence[Markup]) -> Markup:
    columns = f"grid-template-columns:repeat({len(labels)},auto) max-content"
    return element("div", *rows, class_="mask-rows", style=columns, role="list")


def _open_row(labels: Sequence[str], row: int) -> Markup:
    boxes = [_box(label, is_own=place == row) for place, label in enumerate(labels)]
    words = f"position {row + 1}, {labels[row]}, is asked for {labels[row + 1]}"
    return _listed([*boxes, _asked(labels[row + 1])], words, words)


def _row(labels: Sequence[str], row: int, *, is_covered: bool) -> Markup:
    """Draws what one position has of the text, and behind it the token that it is asked for."""
    read = enumerate(labels[: row + 1])
    seen = [_seen(_box(label, is_own=place == row)) for place, label in read]
    if is_covered:
        hidden = f"{SIZE}color:transparent;user-select:none"
        rest = [chip(label, "rejected", style=hidden) for label in labels[row + 1 :]]
    else:
        answer = f"{SIZE}box-shadow:0 0 0 1.5px {colour('error')}"
        looks = [answer, *[SIZE] * len(labels)]
        ahead = zip(labels[row + 1 :], looks, strict=False)
        rest = [_seen(chip(label, "error", "marked", style=look)) for label, look in ahead]
    may = labels[: row + 1] if is_covered else labels
    says = f"position {row + 1} may read: {' '.join(may)}"
    words = _words(labels, row, is_covered=is_covered)
    return _listed([*seen, *rest, _asked(labels[row + 1])], says, words)


def _box(label: str, *, is_own: bool) -> Markup:
    """Draws a token that is read; the one at the row's own position has a frame."""
    return chip(label, "kept", style=SIZE + OWN * is_own)


def _listed(boxes: Sequence[Markup], says: str, words: str) -> Markup:
    return element(
        "div", *boxes, class_="mask-row", data_says=says, tabindex="0", role="listitem",
        aria_label=words,
    )  # fmt: skip


def _asked(label: str) -> Markup:
    """Draws the token that a row is asked for."""
    arrow = element("span", "→", style=f"color:{colour('muted')};padding:0 clamp(.1rem,.5vw,.4rem)")
    # it stays in sight where the row is wider than the window, over the padding too
    place = (
        f"position:sticky;right:-2px;background:{colour('paper')};white-space:nowrap;"
        "display:flex;align-items:center"
    )
    return element("span", arrow, chip(label, "generated", "open", style=SIZE), style=place)


def _seen(box: Markup) -> Markup:
    """Lets a box be lit together with all else that its row may read."""
    return element("span", box, class_="seen", style="display:grid")


def _words(labels: Sequence[str], row: int, *, is_covered: bool) -> str:
    n_later = len(labels) - row - 1
    later = f"{n_later} later {'hidden' if is_covered else 'in sight'}"
    return f"Row {row + 1} sees {' '.join(labels[: row + 1])}; {later}; asked for {labels[row + 1]}"

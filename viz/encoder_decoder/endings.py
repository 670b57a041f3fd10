"""One beginning with a gap, several endings: the word in the gap, for who sees them and who not."""

from collections.abc import Sequence

from markupsafe import Markup

from viz.palette import colour
from viz.strip import element

UNKNOWN = "?"
_ROW = (
    "font-family:var(--read);font-size:max(min(4.6vw,var(--size-lead)),min(2.9vw,4.2vh,2.3rem));"
    "line-height:1.75"
)
_BOX = (
    "display:inline-block;min-width:3.5em;box-sizing:border-box;text-align:center;line-height:1.45;"
    "border-radius:5px;padding:0 .3em"
)
# what a model sees stands beside its rows, and above them where the page is narrow
_SIDES = "display:flex;flex-wrap:wrap-reverse;align-items:center;gap:.1em 1.5em;margin:.3em 0 0"
_NAME = (
    "flex:1 1 10em;margin:0;font-size:clamp(1rem,1.5vw,var(--size-lead));line-height:1.3;"
    f"border-inline-start:3px solid {colour('line')};padding-inline-start:.7em"
)


def endings_html(
    before: str,
    beginning: str,
    endings: Sequence[str],
    words: Sequence[str | None],
    *,
    unseen: str | None,
) -> Markup:
    """Writes the text once for each ending, below each other, and above them without seeing any.

    Args:
        before: What all of them begin with, written once.
        beginning: The last sentence up to its gap.
        endings: What follows the gap.
        words: That were written into the gap; None where it is still covered.
        unseen: What was written by a model that sees no ending; None while it is covered.
    """
    rows = (_row(beginning, *pair) for pair in zip(endings, words, strict=True))
    return element(
        "div",
        element("p", before, style="margin:0;font:var(--size-lead)/1.5 var(--read)"),
        _side(
            [_row(beginning, endings[0], unseen, is_seen=False)],
            "left to right: sees what is before the gap",
        ),
        _side(list(rows), "encoder-decoder: sees what is after it, too"),
        style=f"color:{colour('ink')};overflow-wrap:anywhere",
    )


def _side(rows: Sequence[Markup], name: str) -> Markup:
    """Writes one model's rows, and what it sees."""
    named = element("p", name, style=_NAME)
    return element("div", element("div", *rows), named, style=_SIDES)


def _row(beginning: str, ending: str, word: str | None, *, is_seen: bool = True) -> Markup:
    """Writes one text: what is read underlined in blue up to the gap, what is written green.

    An ending that is not seen is covered until the word is there, which may not fit it.
    """
    look = f"background:{colour('generated-tint')};border:1.5px solid {colour('generated')}"
    if word is None:
        look = f"border:1.5px dashed {colour('rejected')};color:{colour('muted')}"
    box = element("span", UNKNOWN if word is None else word, style=f"{_BOX};{look}")
    read = f"border-bottom:3px solid {colour('prompt')}"
    unread = f"color:{colour('muted')};border-bottom:3px dashed {colour('rejected')}"
    if word is None:
        edge = f"box-shadow:inset 0 0 0 1.5px {colour('line')};box-decoration-break:clone"
        cover = f"background:{colour('rejected-tint')};{edge};border-radius:5px"
        unread = f"{cover};color:transparent;user-select:none"
    before = element("span", f"{beginning} ", style=read)
    after = element("span", f" {ending.strip()}", style=read if is_seen else unread)
    return element("p", before, box, after, style=f"margin:0;{_ROW}")

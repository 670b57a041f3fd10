"""One beginning with a gap, several endings: the word in the gap, for who sees them and who not."""

from collections.abc import Sequence

from markupsafe import Markup

from viz.palette import colour
from viz.strip import element

UNKNOWN = "?"
_ROW = "font-size:max(var(--size-lead),min(2.9vw,4.2vh,2.3rem));line-height:1.75"
_BOX = (
    "display:inline-block;min-width:4em;box-sizing:border-box;text-align:center;line-height:1.45;"
    "border-radius:5px;padding:0 .3em"
)
_NAME = "margin:.2em 0 0;font-size:var(--size-body);line-height:1.3"


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
    parts = [
        element("p", before, style="margin:0;font-size:var(--size-lead);line-height:1.5"),
        element("p", "left to right: sees what is before the gap", style=_NAME),
        _row(beginning, endings[0], unseen, is_seen=False),
        element("p", "encoder-decoder: sees what is after it, too", style=_NAME),
        *(_row(beginning, *pair, is_seen=True) for pair in zip(endings, words, strict=True)),
    ]
    return element("div", *parts, style=f"color:{colour('ink')};overflow-wrap:anywhere")


def _row(beginning: str, ending: str, word: str | None, *, is_seen: bool) -> Markup:
    """Writes one text: what is read underlined in blue up to the gap, what is written green."""
    look = f"background:{colour('generated-tint')};border:1.5px solid {colour('generated')}"
    if word is None:
        look = f"border:1.5px dashed {colour('rejected')};color:{colour('muted')}"
    box = element("span", UNKNOWN if word is None else word, style=f"{_BOX};{look}")
    read = f"border-bottom:3px solid {colour('prompt')}"
    before = element("span", f"{beginning} ", style=read)
    if is_seen:
        after = element("span", f" {ending.strip()}", style=read)
    else:
        after = element("span", f" {ending.strip()}", style=f"color:{colour('rejected')}")
    return element("p", before, box, after, style=f"margin:0;{_ROW}")

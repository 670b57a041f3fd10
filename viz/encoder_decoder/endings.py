"""One beginning with a gap, several endings: the word in the gap of each."""

from collections.abc import Sequence

from markupsafe import Markup

from viz.palette import colour
from viz.strip import element

UNKNOWN = "?"
_ROW = "font-size:max(var(--size-row),min(3vw,2.4rem));line-height:1.8"
_BOX = (
    "display:inline-block;min-width:4.5em;box-sizing:border-box;text-align:center;line-height:1.5;"
    "border-radius:5px;padding:0 .3em"
)


def endings_html(
    before: str, beginning: str, endings: Sequence[str], words: Sequence[str | None]
) -> Markup:
    """Writes the text once for each ending, below each other.

    Args:
        before: What all of them begin with, written once.
        beginning: The last sentence up to its gap.
        endings: What follows the gap.
        words: That were written into the gap; None where it is still covered.
    """
    rows = (_row(beginning, *pair) for pair in zip(endings, words, strict=True))
    first = element("p", before, style="margin:0;font-size:var(--size-lead);line-height:1.6")
    return element("div", first, *rows, style=f"color:{colour('ink')};overflow-wrap:anywhere")


def _row(beginning: str, ending: str, word: str | None) -> Markup:
    """Writes one text: the words that are read blue, the word that is written green."""
    look = f"background:{colour('generated-tint')};border:1.5px solid {colour('generated')}"
    if word is None:
        look = f"border:1.5px dashed {colour('rejected')};color:{colour('muted')}"
    box = element("span", UNKNOWN if word is None else word, style=f"{_BOX};{look}")
    line = f"border-bottom:3px solid {colour('prompt')}"
    after = element("span", ending.strip(), style=line)
    return element("p", f"{beginning} ", box, " ", after, style=f"margin:0;{_ROW}")

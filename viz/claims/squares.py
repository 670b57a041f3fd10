"""All claims at a glance: a card for each, its verdict's sign and sentence; it leads to its row."""

from collections.abc import Container, Sequence

from markupsafe import Markup

from viz.claims.report import LOOKS, Row
from viz.palette import Size, colour
from viz.strip import element

CARD = (
    "display:flex;gap:.5rem;align-items:baseline;padding:.35rem .6rem;border-radius:6px;"
    "text-decoration:none;line-height:1.25;font-size:var(--size-small);"
)


def squares_html(rows: Sequence[Row], asked: Container[str] = ()) -> Markup:
    """Draws what the signs mean, and below it the cards.

    Args:
        rows: All claims.
        asked: Ids of those whose verdict is not told before the reader has said one.
    """
    look = (
        "display:grid;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));gap:6px"
    )
    signs = dict.fromkeys(LOOKS[row.outcome] for row in rows)
    outcomes = {LOOKS[row.outcome]: row.outcome for row in rows}
    told = {sign: outcomes[sign].replace(" here", "") for sign in signs}
    legend = [
        element("span", f"{mark} {told[mark, role]}", style=f"color:{colour(role)}")
        for mark, role in signs
    ]
    if any(row.claim in asked for row in rows):
        legend.append(element("span", "? after your answer"))
    above = "display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin-bottom:.5rem;font-weight:600"
    return element(
        "div",
        element("div", *legend, style=above),
        element(
            "nav",
            *(_card(row, is_asked=row.claim in asked) for row in rows),
            style=look,
            aria_label="All claims",
        ),
    )


def _card(row: Row, *, is_asked: bool) -> Markup:
    mark, role = ("?", "ink") if is_asked else LOOKS[row.outcome]
    style = f"{CARD}border:1px solid {colour('line')};color:inherit"
    sign = element("b", mark, style=f"color:{colour(role)}")
    words = f"{row.claim}, {'what do you say?' if is_asked else row.outcome}: {row.says}"
    link = f"#{anchor_of(row.claim)}"
    return element("a", sign, row.says, href=link, style=style, title=row.claim, aria_label=words)


def sentence_html(row: Row, size: Size = "lead") -> Markup:
    """Writes a claim as a sentence that its square leads to."""
    face = "font-family:var(--read);line-height:1.2;" if size == "text" else ""
    style = f"font-size:var(--size-{size});margin:0;max-width:75ch;scroll-margin-top:5rem;{face}"
    return element("p", row.says, id=anchor_of(row.claim), style=style)


def anchor_of(claim: str) -> str:
    """Returns where a claim stands on the page."""
    return f"claim-{claim.lower()}"

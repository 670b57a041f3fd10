"""All claims at a glance: a square for each, with its verdict's sign, that leads to its row."""

from collections.abc import Container, Sequence

from markupsafe import Markup

from viz.claims.report import LOOKS, Row
from viz.palette import colour
from viz.strip import element

SQUARE = (
    "display:flex;flex-direction:column;align-items:center;justify-content:center;height:3.2rem;"
    "border-radius:6px;text-decoration:none;line-height:1.1;font-weight:600;"
)


def squares_html(rows: Sequence[Row], asked: Container[str] = ()) -> Markup:
    """Draws the squares, and below them what the signs mean.

    Args:
        rows: All claims.
        asked: Ids of those whose verdict is not told before the reader has said one.
    """
    look = "display:grid;grid-template-columns:repeat(auto-fill,minmax(3.2rem,1fr));gap:6px"
    signs = dict.fromkeys(LOOKS[row.outcome] for row in rows)
    outcomes = {LOOKS[row.outcome]: row.outcome for row in rows}
    told = {sign: outcomes[sign].replace(" here", "") for sign in signs}
    legend = [
        element("span", f"{mark} {told[mark, role]}", style=f"color:{colour(role)}")
        for mark, role in signs
    ]
    below = "display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin-top:.5rem;font-weight:600"
    return element(
        "div",
        element(
            "nav",
            *(_square(row, is_asked=row.claim in asked) for row in rows),
            style=look,
            aria_label="All claims",
        ),
        element("div", *legend, style=below),
    )


def _square(row: Row, *, is_asked: bool) -> Markup:
    mark, role = ("?", "ink") if is_asked else LOOKS[row.outcome]
    style = f"{SQUARE}border:2px solid {colour(role)};color:{colour(role)}"
    number = element("small", row.claim, style="font-weight:400")
    words = f"{row.claim}, {'what do you say?' if is_asked else row.outcome}: {row.says}"
    return element(
        "a", mark, number, href=f"#{anchor_of(row.claim)}", style=style, title=row.says,
        aria_label=words,
    )  # fmt: skip


def sentence_html(row: Row) -> Markup:
    """Writes a claim as a sentence that its square leads to."""
    style = "font-size:1.1rem;margin:0;max-width:75ch;scroll-margin-top:5rem"
    return element("p", row.says, id=anchor_of(row.claim), style=style)


def anchor_of(claim: str) -> str:
    """Returns where a claim stands on the page."""
    return f"claim-{claim.lower()}"

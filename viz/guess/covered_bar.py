"""The model's draw bar for the hidden token: its segments, without the words that stand in them."""

from collections.abc import Sequence

from markupsafe import Markup

from viz.format import percent
from viz.palette import colour
from viz.strip import element

NAMED = 0.08  # of the bar: a shorter segment has no room for its share on any screen


def covered_bar(shares: Sequence[float]) -> Markup:
    """Draws the best tokens' shares end to end, and what is left for all others.

    Args:
        shares: Of the best tokens, best first.
    """
    tint = f"color-mix(in srgb,{colour('generated')} 45%,{colour('paper')})"
    cells = [_cell(share, tint, percent(share) if share > NAMED else "") for share in shares]
    rest = _cell(max(0.0, 1 - sum(shares)), colour("generated-tint"), "")
    look = (
        "display:flex;height:3rem;border-radius:.3rem;overflow:hidden;forced-color-adjust:none;"
        f"color:{colour('ink')};background:{colour('raised')}"
    )
    heard = f"The model’s draw bar without its words: the best token has {percent(shares[0])}."
    return element("div", *cells, rest, style=look, role="img", aria_label=heard)


def _cell(share: float, ground: str, words: str) -> Markup:
    style = (
        f"flex:0 0 {100 * share:.3f}%;overflow:hidden;background:{ground};text-align:center;"
        f"box-shadow:inset -1px 0 0 {colour('paper')};line-height:3rem;white-space:nowrap"
    )
    said = element("span", words, class_="covered-share") if words else ""
    return element("span", said, style=style, class_="covered-segment")

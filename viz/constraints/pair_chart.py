"""One pair of bars: all of the probability before the mask, and what the mask makes of it."""

from model.constraints.records import MaskedDistribution
from viz.bars import add_outlines, share_axis
from viz.chart import Chart, add_bars, filled, new_figure
from viz.figure import Style
from viz.format import percent
from viz.labels import place_rows, plain
from viz.palette import READ, colour

BEFORE, AFTER = "the model", "after the mask"
MAX_NAMED = 5  # tokens with a segment of their own
WIDTH = 1.03  # of the axis: no number stands behind a bar, half of its last tick does
HALF = 0.375  # of a row: what a bar takes on either side
ROOM = 0.07  # of the bar: what a token needs to be named in it
ROOM_OF_TAKEN = 0.3  # and the words for what is taken away


def pair_figure(distribution: MaskedDistribution) -> Chart:
    """Draws both bars; what the mask takes away is a dashed outline, what it allows scaled up."""
    allowed = [token for token in distribution.tokens if token.is_allowed][:MAX_NAMED]
    parts = [(plain(token.label), token.prob, token.masked_prob) for token in allowed]
    rest = max(0.0, distribution.mass - sum(token.prob for token in allowed))
    scaled = max(0.0, 1.0 - sum(token.masked_prob for token in allowed))
    if rest > 0 and distribution.n_allowed > len(allowed):
        parts.append(("other allowed tokens", rest, scaled))
    figure = new_figure()
    inside: Style = {
        "textposition": "inside",
        "insidetextanchor": "middle",
        "constraintext": "none",
        "textangle": 0,
        "textfont": {"family": READ, "size": 19, "color": colour("ink")},
    }
    for name, before, after in parts:
        words = [name if share >= ROOM else "" for share in (before, after)]
        hover = [f"{name}: {percent(share)}" for share in (before, after)]
        look: Style = {"marker": filled(colour("kept"), 1.5)} | inside
        add_bars(figure, name, [0, 1], [before, after], words, hover, **look)
    taken = max(0.0, 1.0 - distribution.mass)
    gone = f"taken away: {percent(taken)}"
    words = [gone if taken >= ROOM_OF_TAKEN else ""]
    clear: Style = {"marker": {"color": "rgba(0,0,0,0)", "line": {"width": 0}}}
    clear |= inside | {"textfont": {"size": 15, "color": colour("muted")}}
    add_bars(figure, gone, [0], [taken], words, [gone], **clear)
    if taken:
        add_outlines(figure, "", [(1 - taken, 1.0, -HALF, HALF)])
    place_rows(figure, [BEFORE, AFTER])
    figure.update_xaxes(share_axis(range=[0, WIDTH]))
    figure.update_layout(height=190, barmode="stack", bargap=1 - 2 * HALF, showlegend=False)
    caption = (
        f"Measured: the rule allows {percent(distribution.mass)} of the probability. The mask "
        "takes the rest away and scales up what is left."
    )
    return Chart(figure, "Before the mask, and after it", caption)

"""What a constraint does: the mask over a distribution, and the probability that it removes."""

import math
from collections.abc import Sequence

from model.constraints.records import ConstrainedStep, MaskedDistribution
from viz.bars import add_outlines, add_shares, share_axis
from viz.chart import Chart, add_columns, filled, new_figure
from viz.figure import Figure
from viz.format import count, percent
from viz.labels import UPRIGHT, place_rows, plain
from viz.palette import MONO, colour

DEAD_END_MASS = 0.01  # of all allowed tokens: below it a step is called a dead end
FONT = {"family": MONO, "size": 13, "color": colour("ink")}
COLUMN = 0.65  # of its place: how wide


def mask_figure(distribution: MaskedDistribution, *, temperature: float = 1.0) -> Chart:
    """Draws the model's distribution, and beside it what the mask leaves of it.

    Both have one linear axis, so that what is scaled up can be seen. At temperature 0, argmax, the
    outlined token is taken.
    """
    tokens = distribution.tokens
    figure = new_figure()
    masked = {i: token.masked_prob for i, token in enumerate(tokens) if token.is_allowed}
    taken = {i: token.prob for i, token in enumerate(tokens) if not token.is_allowed}
    add_shares(figure, {i: token.prob for i, token in enumerate(tokens)})
    add_shares(figure, masked, taken, xaxis="x2")
    if temperature == 0 and masked:
        _outline(figure, max(masked, key=lambda row: masked[row]))
    place_rows(figure, [plain(token.label[:16]) for token in tokens], FONT)
    beside = share_axis(f"masked, at T = {temperature:g}", domain=[0.53, 1], anchor="y")
    figure.update_layout(
        height=21 * len(tokens) + 92,
        barmode="overlay",
        xaxis=share_axis("the model’s probability", domain=[0, 0.48]),
        xaxis2=beside,
        showlegend=False,
    )
    rest = "argmax takes the likeliest of the rest" if temperature == 0 else "the rest is scaled up"
    caption = (
        f"Measured: the constraint allows {count(distribution.n_allowed)} of "
        f"{count(distribution.n_vocab)} tokens, which together have {percent(distribution.mass)} "
        f"of the probability. The mask takes {percent(max(0.0, 1 - distribution.mass))}, the "
        f"dashed outlines; {rest}."
    )
    return Chart(figure, "The mask over the distribution", caption)


def _outline(figure: Figure, row: int) -> None:
    """Draws the outline of the chosen token around its row, on both sides."""
    for axis in ("x domain", "x2 domain"):
        line = {"color": colour("chosen"), "width": 2.2}
        box = {"x0": 0, "x1": 1, "y0": row - 0.47, "y1": row + 0.47}
        figure.add_shape(type="rect", xref=axis, line=line, **box)


def mass_figure(steps: Sequence[ConstrainedStep], coming: float | None = None) -> Chart:
    """Draws how much of each distribution the mask removed.

    Args:
        steps: That were taken.
        coming: What is allowed of the distribution that the next step draws from, if one is left.
    """
    figure = new_figure()
    masses, kept = [step.mass for step in steps], filled(colour("kept"), 1.2)
    names = [plain(step.label[:10]) for step in steps]
    if coming is not None:
        masses, names = [*masses, coming], [*names, "<i>next</i>"]
    places = list(range(1, len(masses) + 1))
    hovers = [
        f"generated: {plain(step.label)} ({percent(step.prob)})<br>"
        f"most likely: {plain(step.wanted)} ({percent(step.wanted_prob)})<br>"
        f"removed: {_removed(step.mass)}, allowed: {percent(step.mass)}"
        for step in steps
    ]
    add_columns(figure, "allowed", places, masses, marker=kept)
    clear = {"color": "rgba(0,0,0,0)", "line": {"width": 0}}
    gone = [1 - mass for mass in masses]
    add_columns(figure, "", places, gone, hovers, marker=clear)
    half = COLUMN / 2
    boxes = [(at - half, at + half, mass, 1.0) for at, mass in zip(places, masses, strict=True)]
    add_outlines(figure, "removed", boxes)
    figure.update_xaxes(
        tickvals=places,
        ticktext=names,
        tickfont={"family": MONO, "size": 13, "color": colour("ink")},
        autotickangles=UPRIGHT,
        range=[0.4, len(masses) + 0.6],
        ticks="",
    )
    figure.update_yaxes(
        tickvals=[0, 0.5, 1],
        ticktext=["0", "50 %", "100 %"],
        range=[0, 1.04],
    )
    figure.update_layout(
        height=290, barmode="stack", bargap=1 - COLUMN, legend={"traceorder": "normal"}
    )
    return Chart(figure, "Probability removed at each token", _mass_caption(steps))


def _removed(mass: float) -> str:
    return percent(max(0.0, 1 - mass))


def _mass_caption(steps: Sequence[ConstrainedStep]) -> str:
    if not steps:
        return "Measured: the next token’s distribution. Each token that is taken adds a column."
    kept = percent(math.prod(step.mass for step in steps))
    words = (
        f"Measured, at each token. Without the mask the model would keep to it with {kept}, "
        "the product of what was allowed along this path."
    )
    dead_end = next((i for i, step in enumerate(steps) if step.mass < DEAD_END_MASS), None)
    if dead_end is None:
        return words
    return (
        f"Dead end at token {dead_end + 1}: all allowed tokens together have "
        f"{percent(steps[dead_end].mass)}. {words}"
    )

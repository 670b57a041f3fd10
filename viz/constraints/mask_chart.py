"""What a constraint does: the mask over a distribution, and the probability that it removes.

Probabilities under a constraint differ by many powers of ten, so those of the model alone stand on
a logarithmic axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from model.constraints.records import ConstrainedStep, MaskedDistribution
from viz.chart import Chart, filled, hatched, new_figure
from viz.format import count, percent
from viz.labels import plain
from viz.palette import MONO, Theme, colour
from viz.panels import add_bars

LEFT, RIGHT = (0.0, 0.56), (0.67, 1.0)  # the distribution before and after the mask
MIN_EXPONENT = -9
DEAD_END_MASS = 0.01  # of all allowed tokens: below it a step is called a dead end
MAX_LEVEL_LABELS = 6  # columns that have room for them
MAX_LABELS = 24


def mask_figure(
    distribution: MaskedDistribution,
    chosen_id: int | None,
    theme: Theme = "light",
    *,
    temperature: float = 1.0,
) -> Chart:
    """Draws the model's distribution with the mask over it, and beside it the masked one.

    Args:
        distribution: of the next token, or of the one that was just generated.
        chosen_id: the token that was taken; it gets the dark outline. None where none was yet.
        theme: Light or dark.
        temperature: of the masked distribution; 0 is argmax.
    """
    tokens = distribution.tokens
    names = [str(i) for i in range(len(tokens))]
    floor = min(
        [-2.0, *(math.log10(max(t.prob, 10.0**MIN_EXPONENT)) - 0.4 for t in tokens if t.prob > 0)]
    )
    allowed = [i for i, token in enumerate(tokens) if token.is_allowed]
    forbidden = [i for i, token in enumerate(tokens) if not token.is_allowed]
    probs = [token.prob for token in tokens]
    masked = [token.masked_prob for token in tokens]
    lengths = [max(prob, 10.0 ** (floor + 0.05)) for prob in probs]
    figure = new_figure(theme)

    def bars(rows: list[int], lengths: list[float], probs: list[float], **look: Any) -> None:
        numbers = [percent(probs[i]) for i in rows]
        places = [names[i] for i in rows]
        add_bars(figure, places, [lengths[i] for i in rows], numbers, theme, width=0.78, **look)

    kept = filled(colour("kept", theme), 1.2)
    grey = {"size": 12, "color": colour("muted", theme)}
    bars(allowed, lengths, probs, name="allowed", marker=kept)
    bars(forbidden, lengths, probs, name="forbidden", marker=hatched(theme), textfont=grey)
    bars(allowed, masked, masked, xaxis="x2", showlegend=False, marker=kept)
    for i, token in enumerate(tokens):
        if token.token_id == chosen_id:
            _outline(figure, len(tokens) - 1 - i, theme)  # the axis counts from below
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=names[::-1],
        tickvals=names,
        ticktext=[plain(token.label[:16]) for token in tokens],
        tickfont={"family": MONO, "size": 13, "color": colour("ink", theme)},
        showgrid=False,
        range=[-0.6, len(tokens) - 0.4],
    )
    figure.update_layout(
        height=21 * len(tokens) + 92,
        barmode="overlay",
        xaxis={
            "type": "log",
            "domain": LEFT,
            "range": [floor, 0.62],
            "dtick": 1 if floor > -5 else 2,
            "exponentformat": "power",
            "tickfont": {"size": 11},
            "title": {"text": "the model’s probability (log)"},
        },
        xaxis2={
            "domain": RIGHT,
            "range": [0, 1.5],
            "tickvals": [0, 1],
            "ticktext": ["0", "100 %"],
            "tickangle": 0,
            "title": {"text": f"masked, at T = {temperature:g}"},
            "anchor": "y",
        },
    )
    caption = (
        f"Measured: the constraint allows {count(distribution.n_allowed)} of "
        f"{count(distribution.n_vocab)} tokens, which together have {percent(distribution.mass)} "
        f"of the probability. The mask removes {percent(max(0.0, 1 - distribution.mass))}, and the "
        "rest is scaled up to 100 %."
    )
    return Chart(figure, caption, f"The mask over the distribution. {caption}")


def _outline(figure: go.Figure, y: int, theme: Theme) -> None:
    """Draws the outline of the chosen token around its row, on both sides."""
    for axis in ("x domain", "x2 domain"):
        line = {"color": colour("chosen", theme), "width": 2.2}
        box = {"x0": 0, "x1": 1, "y0": y - 0.47, "y1": y + 0.47}
        figure.add_shape(type="rect", xref=axis, line=line, **box)


def mass_figure(steps: Sequence[ConstrainedStep], theme: Theme = "light") -> Chart:
    """Draws how much of each distribution the mask removed, token after token.

    Args:
        steps: at least one.
        theme: Light or dark.
    """
    figure = new_figure(theme)
    x = list(range(1, len(steps) + 1))
    figure.add_bar(
        x=x,
        y=[step.mass for step in steps],
        name="allowed",
        marker=filled(colour("kept", theme), 1.2),
        hoverinfo="skip",
    )
    figure.add_bar(
        x=x,
        y=[1 - step.mass for step in steps],
        name="removed",
        marker=hatched(theme),
        hovertext=[
            f"generated: {plain(step.label)} ({percent(step.prob)})<br>"
            f"most likely: {plain(step.wanted)} ({percent(step.wanted_prob)})<br>"
            f"removed: {_removed(step)}, allowed: {percent(step.mass)}"
            for step in steps
        ],
        hoverinfo="text",
    )
    is_crowded = len(steps) > MAX_LEVEL_LABELS
    if len(steps) <= MAX_LABELS:
        _name_masses(figure, steps, theme)
    figure.update_xaxes(
        tickvals=x,
        ticktext=[plain(step.label[:10]) for step in steps],
        tickfont={"family": MONO, "size": 13, "color": colour("ink", theme)},
        tickangle=-60 if is_crowded else 0,
        range=[0.4, max(len(steps), MAX_LEVEL_LABELS) + 0.6],
        ticks="",
    )
    figure.update_yaxes(
        tickvals=[0, 0.5, 1],
        ticktext=["0", "50 %", "100 %"],
        range=[0, 1.42 if MAX_LEVEL_LABELS < len(steps) <= MAX_LABELS else 1.14],
    )
    figure.update_layout(height=290, barmode="stack", bargap=0.35, legend_traceorder="normal")
    caption = _mass_caption(steps)
    return Chart(figure, caption, f"Probability removed at each token. {caption}")


def _removed(step: ConstrainedStep) -> str:
    return percent(max(0.0, 1 - step.mass))


def _name_masses(figure: go.Figure, steps: Sequence[ConstrainedStep], theme: Theme) -> None:
    """Writes above each column what was removed, upright where columns stand close."""
    for place, step in enumerate(steps, start=1):
        is_dead_end = step.mass < DEAD_END_MASS
        figure.add_annotation(
            x=place,
            y=1.02,
            yanchor="bottom",
            textangle=-90 if len(steps) > MAX_LEVEL_LABELS else 0,
            text=f"<b>{_removed(step)}</b>" if is_dead_end else _removed(step),
            showarrow=False,
            font={"size": 12, "color": colour("error" if is_dead_end else "ink", theme)},
        )


def _mass_caption(steps: Sequence[ConstrainedStep]) -> str:
    product = math.prod(step.mass for step in steps)
    dead_ends = [i for i, step in enumerate(steps, start=1) if step.mass < DEAD_END_MASS]
    words = (
        f" Dead end at token {dead_ends[0]}: all allowed tokens together have "
        f"{percent(steps[dead_ends[0] - 1].mass)}. A token at a dead end is red and dashed in the "
        f"text: less than {percent(DEAD_END_MASS)} was allowed."
        if dead_ends
        else ""
    )
    return (
        "Measured: the probability that the mask removed at each token. Without it the model would "
        f"have stayed within the constraint with {percent(product)}, the product of what was "
        f"allowed along this path.{words}"
    )

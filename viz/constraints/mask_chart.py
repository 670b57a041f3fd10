"""What a constraint does: the mask over a distribution, and the mass that it throws away.

Probabilities under a constraint differ by many powers of ten, so those of the model alone stand on
a logarithmic axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from model.constraints.records import ConstrainedStep, MaskedDistribution
from viz.chart import Chart, new_figure, sheer
from viz.format import count, percent
from viz.labels import plain
from viz.palette import MONO, Theme, colour

LEFT, RIGHT = (0.0, 0.56), (0.67, 1.0)  # the model's own distribution, and what is left of it
LEAST_DECADE = -9
CORNER = 0.01  # allowed mass below which a step is called a corner
FEW = 6  # columns that have room for level labels
MOST_LABELS = 24


def mask_figure(
    distribution: MaskedDistribution,
    chosen_id: int | None,
    theme: Theme = "light",
    *,
    temperature: float = 1.0,
) -> Chart:
    """Draws the model's distribution with the mask over it, and beside it what is left.

    Args:
        distribution: of the next token, or of the one that was just written.
        chosen_id: the token that was taken; it gets the dark outline. None where none was yet.
        theme: Light or dark.
        temperature: by which what is left was drawn sharper or flatter; 0 is argmax.
    """
    tokens = distribution.tokens
    names = [str(i) for i in range(len(tokens))]
    floor = min(
        [-2.0, *(math.log10(max(t.prob, 10.0**LEAST_DECADE)) - 0.4 for t in tokens if t.prob > 0)]
    )
    figure = new_figure(theme)
    for is_allowed, words in ((True, "allowed"), (False, "forbidden")):
        rows = [i for i, token in enumerate(tokens) if token.is_allowed == is_allowed]
        figure.add_bar(
            y=[names[i] for i in rows],
            x=[max(tokens[i].prob, 10.0 ** (floor + 0.05)) for i in rows],
            name=words,
            text=[percent(tokens[i].prob) for i in rows],
            **_bars(theme, is_allowed=is_allowed),
        )
    kept = [i for i, token in enumerate(tokens) if token.is_allowed]
    figure.add_bar(
        y=[names[i] for i in kept],
        x=[tokens[i].masked_prob for i in kept],
        xaxis="x2",
        showlegend=False,
        text=[percent(tokens[i].masked_prob) for i in kept],
        **_bars(theme, is_allowed=True),
    )
    for i, token in enumerate(tokens):
        if token.token_id == chosen_id:
            _outline(figure, i, theme)
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
        f"{count(distribution.n_vocab)} tokens, which have {percent(distribution.mass)} of the "
        f"probability together; {percent(max(0.0, 1 - distribution.mass))} is thrown away, and "
        "what is left is scaled up to 100 %."
    )
    return Chart(figure, caption, f"The mask over the distribution. {caption}")


def _bars(theme: Theme, *, is_allowed: bool) -> dict[str, Any]:
    """Gives what all bars of one kind share: rose-gold, or grey and hatched."""
    tone = colour("kept" if is_allowed else "rejected", theme)
    return {
        "orientation": "h",
        "width": 0.78,
        "textposition": "outside",
        "cliponaxis": False,
        "hoverinfo": "skip",
        "textfont": {"size": 12, "color": colour("ink" if is_allowed else "muted", theme)},
        "marker": {
            "color": sheer(tone) if is_allowed else colour("rejected-tint", theme),
            "line": {"color": tone, "width": 1.2},
            "pattern": {} if is_allowed else {"shape": "/", "fgcolor": tone, "size": 5},
        },
    }


def _outline(figure: go.Figure, row: int, theme: Theme) -> None:
    line = {"color": colour("chosen", theme), "width": 2.2}
    for axis, span in (("x domain", (0, 1)), ("x2 domain", (0, 1))):
        figure.add_shape(
            type="rect",
            xref=axis,
            x0=span[0],
            x1=span[1],
            y0=_category(figure, row) - 0.47,
            y1=_category(figure, row) + 0.47,
            line=line,
        )


def _category(figure: go.Figure, row: int) -> float:
    """Returns where a row stands on the category axis, which counts from below."""
    n_rows = len(figure.data[0].y) + len(figure.data[1].y)
    return float(n_rows - 1 - row)


def mass_figure(steps: Sequence[ConstrainedStep], theme: Theme = "light") -> Chart:
    """Draws how much of each distribution the constraint threw away, token after token.

    Args:
        steps: at least one.
        theme: Light or dark.
    """
    figure = new_figure(theme)
    x = list(range(1, len(steps) + 1))
    kept, out = colour("kept", theme), colour("rejected", theme)
    figure.add_bar(
        x=x,
        y=[step.mass for step in steps],
        name="left",
        marker={"color": sheer(kept), "line": {"color": kept, "width": 1.2}},
        hoverinfo="skip",
    )
    figure.add_bar(
        x=x,
        y=[1 - step.mass for step in steps],
        name="thrown away",
        marker={
            "color": colour("rejected-tint", theme),
            "line": {"color": out, "width": 1.2},
            "pattern": {"shape": "/", "fgcolor": out, "size": 6},
        },
        hovertext=[
            f"written: {plain(step.label)} ({percent(step.prob)})<br>"
            f"wanted: {plain(step.wanted)} ({percent(step.wanted_prob)})<br>"
            f"thrown away: {_thrown(step)}, left: {percent(step.mass)}"
            for step in steps
        ],
        hoverinfo="text",
    )
    is_crowded = len(steps) > FEW
    if len(steps) <= MOST_LABELS:
        _name_masses(figure, steps, theme)
    figure.update_xaxes(
        tickvals=x,
        ticktext=[plain(step.label[:10]) for step in steps],
        tickfont={"family": MONO, "size": 13, "color": colour("ink", theme)},
        tickangle=-60 if is_crowded else 0,
        range=[0.4, max(len(steps), FEW) + 0.6],
        ticks="",
    )
    figure.update_yaxes(
        tickvals=[0, 0.5, 1],
        ticktext=["0", "50 %", "100 %"],
        range=[0, 1.42 if FEW < len(steps) <= MOST_LABELS else 1.14],
    )
    figure.update_layout(height=290, barmode="stack", bargap=0.35, legend_traceorder="normal")
    caption = _mass_caption(steps)
    return Chart(figure, caption, f"Mass thrown away at each token. {caption}")


def _thrown(step: ConstrainedStep) -> str:
    return percent(max(0.0, 1 - step.mass))


def _name_masses(figure: go.Figure, steps: Sequence[ConstrainedStep], theme: Theme) -> None:
    """Writes above each column what was thrown away, upright where columns stand close."""
    for place, step in enumerate(steps, start=1):
        is_corner = step.mass < CORNER
        figure.add_annotation(
            x=place,
            y=1.02,
            yanchor="bottom",
            textangle=-90 if len(steps) > FEW else 0,
            text=f"<b>{_thrown(step)}</b>" if is_corner else _thrown(step),
            showarrow=False,
            font={"size": 12, "color": colour("error" if is_corner else "ink", theme)},
        )


def _mass_caption(steps: Sequence[ConstrainedStep]) -> str:
    together = math.prod(step.mass for step in steps)
    tight = [i for i, step in enumerate(steps, start=1) if step.mass < CORNER]
    corner = (
        f" In a corner at token {tight[0]}: all that is allowed there has "
        f"{percent(steps[tight[0] - 1].mass)}. Every token in a corner is red and dashed in the "
        f"text: less than {percent(CORNER)} was left."
        if tight
        else ""
    )
    return (
        "Measured: the probability that the constraint threw away at each token. Free, the model "
        f"would have stayed within it with {percent(together)}, the product of what was left along "
        f"this way.{corner}"
    )

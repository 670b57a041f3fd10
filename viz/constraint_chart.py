"""What a constraint does: the mask over a distribution, the mass it throws away, the ways out.

Probabilities under a constraint differ by many powers of ten, so those of the model alone stand on
a logarithmic axis.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from model.records.constraints import ConstrainedStep, MaskedDistribution, WayOut
from viz.chart import Chart, empty_chart, new_figure, sheer
from viz.palette import MONO, Theme, colour
from viz.units import count, digits, duration, nats, percent, plural

LEFT, RIGHT = (0.0, 0.56), (0.67, 1.0)  # the model's own distribution, and what is left of it
LEAST_DECADE = -9
CORNER = 0.01  # allowed mass below which a step is called a corner


def mask_figure(
    distribution: MaskedDistribution, chosen_id: int | None, theme: Theme = "light"
) -> Chart:
    """Draws the model's distribution with the mask over it, and beside it what is left.

    Args:
        distribution: of the next token, or of the one that was just written.
        chosen_id: the token that was taken; it gets the dark outline. None where none was yet.
        theme: Light or dark.
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
        ticktext=[html.escape(token.label[:16], quote=False) for token in tokens],
        tickfont={"family": MONO, "size": 13, "color": colour("ink", theme)},
        showgrid=False,
        range=[-0.6, len(tokens) - 0.4],
    )
    figure.update_layout(
        height=23 * len(tokens) + 105,
        barmode="overlay",
        xaxis={
            "type": "log",
            "domain": LEFT,
            "range": [floor, 0.62],
            "dtick": 1 if floor > -5 else 2,
            "exponentformat": "power",
            "tickfont": {"size": 11},
            "title": {"text": "the model’s probability, logarithmic"},
        },
        xaxis2={
            "domain": RIGHT,
            "range": [0, 1.5],
            "tickvals": [0, 0.5, 1],
            "ticktext": ["0", "50 %", "100 %"],
            "title": {"text": "after the mask and the temperature"},
            "anchor": "y",
        },
    )
    caption = (
        f"Measured: the constraint allows {count(distribution.n_allowed)} of "
        f"{count(distribution.n_vocab)} tokens, which have {percent(distribution.mass)} of the "
        f"probability together; {percent(max(0.0, 1 - distribution.mass))} is thrown away, and "
        "what is left is scaled up to 100 %."
    )
    return Chart(figure, caption, f"The mask over the distribution. {caption}", "measured")


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
    """Draws how much of each distribution the constraint left, token after token."""
    if not steps:
        return empty_chart(theme, "Nothing has been written yet: press Step.")
    figure = new_figure(theme)
    x = list(range(1, len(steps) + 1))
    kept, out = colour("kept", theme), colour("rejected", theme)
    figure.add_bar(
        x=x,
        y=[step.mass for step in steps],
        name="allowed",
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
            f"written: {html.escape(step.label, quote=False)} ({percent(step.prob)})<br>"
            f"wanted: {html.escape(step.wanted, quote=False)} ({percent(step.wanted_prob)})"
            for step in steps
        ],
        hoverinfo="text",
    )
    if len(steps) <= 24:
        for place, step in zip(x, steps, strict=True):
            figure.add_annotation(
                x=place,
                y=1.0,
                yanchor="bottom",
                text=f"<b>{percent(step.mass)}</b>" if step.mass < CORNER else percent(step.mass),
                showarrow=False,
                font={"size": 12, "color": colour("error" if step.mass < CORNER else "ink", theme)},
            )
    figure.update_xaxes(
        tickvals=x,
        ticktext=[html.escape(step.label[:10], quote=False) for step in steps],
        tickfont={"family": MONO, "size": 13, "color": colour("ink", theme)},
        tickangle=0 if len(steps) <= 12 else -50,
        range=[0.4, max(len(steps), 6) + 0.6],
        ticks="",
    )
    figure.update_yaxes(tickvals=[0, 0.5, 1], ticktext=["0", "50 %", "100 %"], range=[0, 1.14])
    figure.update_layout(height=270, barmode="stack", bargap=0.35)
    together = math.prod(step.mass for step in steps)
    tight = [i for i, step in enumerate(steps, start=1) if step.mass < CORNER]
    corner = (
        f" In a corner at token {tight[0]}: all that is allowed there has "
        f"{percent(steps[tight[0] - 1].mass)}."
        if tight
        else ""
    )
    caption = (
        "Measured: probability of all that was allowed at each token, above its column. Free, the "
        f"model would have stayed within the constraint with {percent(together)}, the product "
        f"along this way.{corner}"
    )
    return Chart(figure, caption, f"Mass kept at each token. {caption}", "measured")


def ways_figure(ways: Sequence[WayOut], theme: Theme = "light") -> Chart:
    """Draws how often each way got out of the corner, how far it agrees, how likely its text is."""
    figure = new_figure(theme)
    names = [way.name for way in ways]
    for name, role, values, offset in (
        ("likelier than argmax’s text", "kept", [way.escaped for way in ways], -0.4),
        ("two texts agree", "muted", [way.agreement for way in ways], 0.0),
    ):
        tone = colour(role, theme)
        figure.add_bar(
            x=names,
            y=values,
            name=name,
            offset=offset,
            width=0.38,
            marker={
                "color": sheer(tone),
                "line": {"color": tone, "width": 1.2},
                "pattern": {"shape": "." if role == "muted" else "", "fgcolor": tone},
            },
            text=[percent(value) for value in values],
            textposition="outside",
            cliponaxis=False,
            textfont={"size": 12, "color": colour("ink", theme)},
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=names,
        y=[way.logprob for way in ways],
        yaxis="y2",
        xaxis="x2",
        mode="markers+text",
        marker={"size": 13, "color": colour("kept", theme), "symbol": "diamond"},
        text=[f"{way.logprob:.1f}".replace("-", "−") for way in ways],
        textposition="top center",
        textfont={"size": 12, "color": colour("ink", theme)},
        showlegend=False,
        hoverinfo="skip",
    )
    lowest = min(way.logprob for way in ways)
    figure.update_layout(
        height=330,
        xaxis={"domain": [0, 0.6], "ticks": ""},
        xaxis2={"domain": [0.68, 1], "anchor": "y2", "ticks": ""},
        yaxis={"range": [0, 1.16], "tickvals": [0, 0.5, 1], "ticktext": ["0", "50 %", "100 %"]},
        yaxis2={
            "range": [lowest * 1.15, max(-lowest * 0.15, 0.5)],
            "anchor": "x2",
            "title": {"text": "mean log p of the text, nats"},
        },
    )
    caption = _ways_caption(ways)
    return Chart(figure, caption, f"Ways out of the corner. {caption}", "measured")


def _ways_caption(ways: Sequence[WayOut]) -> str:
    """Says what temperature and the beam came to, the claim's failure included."""
    argmax, rest = ways[0], ways[1:]
    warm = [way for way in rest if way.temperature is not None and 0 < way.temperature <= 0.3]
    beam = next((way for way in rest if way.temperature is None), None)
    words = f"Measured: argmax writes “{_plain(argmax.best)}”, {nats(argmax.logprob)}."
    if warm:
        best = max(warm, key=lambda way: way.escaped)
        gets_out = f"gets out in {percent(best.escaped)} of {plural(best.n_texts, 'text')}"
        fails = "does not get out: the corner is the likelier turn by far"
        is_out = best.escaped > 0
        words += f" A little temperature ({best.name}) {gets_out if is_out else fails}"
        words += f", and two texts agree in {percent(best.agreement)} of pairs." if is_out else "."
    if beam is not None:
        found = "finds" if beam.escaped else "agrees with argmax on"
        words += f" The beam {found} “{_plain(beam.best)}”, {nats(beam.logprob)}."
    return words


def ways_table(ways: Sequence[WayOut]) -> pd.DataFrame:
    """Writes the ways with the text that came most often."""
    return pd.DataFrame(
        [
            (
                way.name,
                way.n_texts,
                _plain(way.best),
                percent(way.escaped),
                percent(way.agreement),
                digits(way.logprob).replace("-", "−"),
                duration(way.seconds / way.n_texts),
            )
            for way in ways
        ],
        columns=[
            "way",
            "texts",
            "most often",
            "likelier than argmax’s",
            "two agree",
            "mean log p",
            "time per text",
        ],
    )


def _plain(text: str) -> str:
    return text.strip().replace("\n", "⏎")

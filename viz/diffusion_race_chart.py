"""One prompt, written three ways, on one clock: every pass a piece as long as it took."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from model.records.diffusion import Finisher
from viz.chart import Chart, empty_chart, new_figure, sheer
from viz.palette import Theme, colour
from viz.units import digits, duration, plural

NOTHING_YET = "Nothing has been measured yet: press Start."


def ways_figure(ways: Sequence[Finisher], where: str, theme: Theme = "light") -> Chart:
    """Draws each way as a row and each of its passes as a piece of the row, as long as it took."""
    if not ways:
        return empty_chart(theme, NOTHING_YET)
    figure = new_figure(theme)
    tone, paper = colour("generated", theme), colour("paper", theme)
    for row, way in enumerate(ways):
        starts = np.cumsum([0.0, *way.pass_seconds])[:-1]
        figure.add_bar(
            y=[row] * way.n_passes,
            x=[1000 * one for one in way.pass_seconds],
            base=(1000 * starts).tolist(),
            orientation="h",
            width=0.55,
            marker={"color": sheer(tone), "line": {"color": paper, "width": 1}},
            hovertemplate="one pass, %{x:.1f} ms<extra>"
            + html.escape(way.name, quote=False)
            + "</extra>",
            showlegend=False,
        )
        figure.add_annotation(
            x=1000 * way.seconds,
            y=row,
            text=f" {plural(way.n_passes, 'pass', 'es')}, {duration(way.seconds)}",
            showarrow=False,
            xanchor="left",
        )
    longest = 1000 * max(way.seconds for way in ways)
    figure.update_xaxes(title_text="milliseconds of the model", range=[0, 1.28 * longest])
    figure.update_yaxes(
        tickvals=list(range(len(ways))),
        ticktext=[html.escape(way.name, quote=False) for way in ways],
        range=[len(ways) - 0.4, -0.6],
        showgrid=False,
        tickfont={"size": 13, "color": colour("ink", theme)},
    )
    figure.update_layout(height=90 + 52 * len(ways), showlegend=False, barmode="overlay")
    said = "; ".join(
        f"{way.name}: {plural(way.n_passes, 'pass', 'es')}, {duration(way.seconds)}, "
        f"{digits(way.n_tokens / way.n_passes, 2)} tokens a pass"
        for way in ways
    )
    caption = (
        f"Measured on {where}, one run each after a warm-up: {said}. Every piece is one pass, and "
        "no pass begins before the one before it has ended."
    )
    return Chart(figure, caption, f"Three ways on one clock. {caption}", "measured")

"""One prompt, decoded three ways, on one clock: every pass a piece as long as it took."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.diffusion.records import DecodingRun
from viz.chart import Chart, new_figure, sheer
from viz.format import digits, duration, plural
from viz.labels import plain
from viz.palette import Theme, colour


def runs_figure(runs: Sequence[DecodingRun], where: str, theme: Theme = "light") -> Chart:
    """Draws each run as a row and each of its passes as a piece of the row, as long as it took."""
    figure = new_figure(theme)
    tone, paper = colour("generated", theme), colour("paper", theme)
    for row, run in enumerate(runs):
        starts = np.cumsum([0.0, *run.pass_seconds])[:-1]
        figure.add_bar(
            y=[row] * run.n_passes,
            x=[1000 * one for one in run.pass_seconds],
            base=(1000 * starts).tolist(),
            orientation="h",
            width=0.5,
            marker={"color": sheer(tone), "line": {"color": paper, "width": 1}},
            hovertemplate="one pass, %{x:.1f} ms<extra>" + plain(run.name) + "</extra>",
            showlegend=False,
        )
        figure.add_annotation(  # above its row, so that a narrow screen has room for the bars
            x=0,
            y=row - 0.3,
            text=f"{plain(run.name)}: {plural(run.n_passes, 'pass', 'es')}, "
            f"{duration(run.seconds)}",
            showarrow=False,
            xanchor="left",
            yanchor="bottom",
            font={"size": 13, "color": colour("ink", theme)},
        )
    longest = 1000 * max(run.seconds for run in runs)
    figure.update_xaxes(title_text="milliseconds of the model", range=[0, 1.02 * longest])
    figure.update_yaxes(range=[len(runs) - 0.6, -0.85], showgrid=False, showticklabels=False)
    figure.update_layout(height=76 + 50 * len(runs), showlegend=False, barmode="overlay")
    said = "; ".join(
        f"{run.name}: {plural(run.n_passes, 'pass', 'es')}, {duration(run.seconds)}, "
        f"{tokens_a_pass(run)} a pass"
        for run in runs
    )
    caption = (
        f"Measured on {where}, one run each after a warm-up. Every piece is one pass, and no pass "
        "begins before the one before it has ended."
    )
    return Chart(figure, caption, f"Three ways on one clock: {said}. {caption}")


def tokens_a_pass(run: DecodingRun) -> str:
    """Says how many tokens each pass gave on average."""
    a_pass = run.n_tokens / run.n_passes
    return "1 token" if a_pass == 1 else f"{digits(a_pass, 2)} tokens"

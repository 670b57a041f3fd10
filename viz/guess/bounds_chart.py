"""Shannon's estimate as a figure: for every predictor the interval in which the entropy lies."""

from __future__ import annotations

from collections.abc import Sequence

from model.guess.records import EntropyBounds
from viz.chart import Chart, new_figure, place_rows, sheer
from viz.format import count, round_steps
from viz.guess.score_charts import MAX_NAME, look
from viz.labels import plain
from viz.palette import Theme, colour


def bounds_figure(bounds: Sequence[EntropyBounds], theme: Theme = "light") -> Chart:
    """Draws for every predictor the interval of Shannon's estimate, and the log score."""
    figure = new_figure(theme)
    tones = [look(bound.name, [], theme)[0] for bound in bounds]
    places = list(range(len(bounds)))
    figure.add_bar(
        x=[bound.upper - bound.lower for bound in bounds],
        base=[bound.lower for bound in bounds],
        y=places,
        orientation="h",
        name="Shannon’s bounds",
        marker={"color": [sheer(t) for t in tones], "line": {"color": tones, "width": 2}},
        text=[f"{bound.lower:.1f} to {bound.upper:.1f}" for bound in bounds],
        textposition="inside",
        insidetextanchor="middle",
        textfont={"color": colour("ink", theme)},
        hovertemplate="%{text} bits<extra></extra>",
    )
    figure.add_scatter(
        x=[bound.scored for bound in bounds],
        y=places,
        mode="markers",
        name="log score",
        marker={
            "symbol": "line-ns",
            "size": 26,
            "line": {"color": colour("ink", theme), "width": 4},
        },
        hovertemplate="%{x:.2f} bits<extra>log score</extra>",
    )
    top = max(max(bound.upper, bound.scored) for bound in bounds)
    ticks = round_steps(top)
    figure.update_xaxes(title_text="bits per token", tickvals=ticks, range=[0, 1.04 * ticks[-1]])
    place_rows(figure, [plain(bound.name, MAX_NAME) for bound in bounds])
    figure.update_layout(height=110 + 54 * len(bounds), bargap=0.4)
    caption = "Derived from the ranks: " + "; ".join(_bounds_words(bound) for bound in bounds) + "."
    return Chart(figure, caption, f"Shannon’s estimate. {caption}")


def _bounds_words(bound: EntropyBounds) -> str:
    interval = f"{bound.name} {bound.lower:.2f} to {bound.upper:.2f} bits"
    n_missed, n_rounds = count(bound.n_missed), count(bound.n_rounds)
    missed = f", {n_missed} of {n_rounds} missed" if bound.n_missed else ""
    return f"{interval}, log score {bound.scored:.2f}{missed}"

"""What it takes to deal with a bad token: tokens kept, discarded, written again."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from model.snowball.records import RewindStrategy
from viz.chart import Chart, new_figure
from viz.format import duration, nats, percent, plural
from viz.palette import Theme, colour


def work_figure(strategies: Sequence[RewindStrategy], theme: Theme = "light") -> Chart:
    """Draws the tokens that each strategy wrote, and which of them were discarded."""
    figure = new_figure(theme)
    names = [strategy.name for strategy in strategies]
    hatched = {
        "color": colour("rejected-tint", theme),
        "line": {"color": colour("rejected", theme), "width": 1},
        "pattern": {"shape": "/", "fgcolor": colour("rejected", theme)},
    }
    discarded = [strategy.n_discarded for strategy in strategies]
    again = [strategy.n_kept if strategy.n_discarded else 0 for strategy in strategies]
    left = [0 if strategy.n_discarded else strategy.n_kept for strategy in strategies]
    for name, lengths, marker, hover in (
        ("discarded", discarded, hatched, "%{x} tokens discarded"),
        ("written after the rewind", again, {"color": colour("generated", theme)}, "%{x} kept"),
        ("written after the bad token", left, {"color": colour("error", theme)}, "%{x} kept"),
    ):
        figure.add_bar(
            y=names,
            x=lengths,
            orientation="h",
            name=name,
            marker=marker,
            hovertemplate=f"{hover}<extra></extra>",
        )
    figure.update_layout(barmode="stack", height=90 + 44 * len(names), bargap=0.35)
    figure.update_xaxes(title_text="tokens written from the bad place on")
    figure.update_yaxes(autorange="reversed", showgrid=False, rangemode="normal")
    costs = "; ".join(
        f"{strategy.name}: {plural(strategy.n_discarded, 'token')} discarded, "
        f"{plural(strategy.n_passes, 'pass', 'es')}, {duration(strategy.seconds)}"
        for strategy in strategies
    )
    caption = f"Measured: {costs}. One pass of each rewind reads the last kept token again."
    return Chart(figure, caption, f"Work of each strategy. {caption}")


def strategies_table(strategies: Sequence[RewindStrategy]) -> pd.DataFrame:
    """Writes what each strategy took, and what it gave."""
    return pd.DataFrame(
        {
            "strategy": strategy.name,
            "discarded": strategy.n_discarded,
            "passes": strategy.n_passes,
            "time": duration(strategy.seconds),
            "surprise per token": nats(strategy.surprise),
            "distinct pairs": percent(strategy.distinct),
            "as without it": "yes" if strategy.is_restored else "no",
            "text from there on": strategy.text.strip(),
        }
        for strategy in strategies
    )

"""What it takes to deal with a bad token: tokens kept, discarded, written again."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from model.snowball.records import RewindStrategy
from viz.chart import Chart, hatched, name_rows, new_figure
from viz.format import duration, nats, percent, plural
from viz.palette import Theme, colour


def work_figure(strategies: Sequence[RewindStrategy], theme: Theme = "light") -> Chart:
    """Draws the tokens that each strategy wrote, and which of them were discarded."""
    names = [strategy.name for strategy in strategies]
    figure = new_figure(theme, 90 + 44 * len(names), "tokens written from the bad place on")
    kept = [strategy.n_kept for strategy in strategies]
    discarded = [strategy.n_discarded for strategy in strategies]
    again = [n if taken else 0 for n, taken in zip(kept, discarded, strict=True)]
    left = [0 if taken else n for n, taken in zip(kept, discarded, strict=True)]
    for name, lengths, marker, what in (
        ("discarded", discarded, hatched(theme), "tokens discarded"),
        ("written after the rewind", again, {"color": colour("generated", theme)}, "kept"),
        ("written after the bad token", left, {"color": colour("error", theme)}, "kept"),
    ):
        hover = "%{x} " + what + "<extra></extra>"
        look = {"orientation": "h", "marker": marker, "hovertemplate": hover}
        figure.add_bar(y=names, x=lengths, name=name, **look)
    figure.update_layout(barmode="stack", bargap=0.35)
    name_rows(figure, names, theme)
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

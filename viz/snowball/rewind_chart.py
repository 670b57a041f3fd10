"""What it takes to deal with a bad token: tokens kept, thrown away, written anew."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from model.snowball.records import SecondChoice
from viz.chart import Chart, new_figure
from viz.format import duration, nats, percent, plural
from viz.palette import Theme, colour


def work_figure(choices: Sequence[SecondChoice], n_tokens: int, theme: Theme = "light") -> Chart:
    """Draws the tokens that each way wrote, and which of them were thrown away."""
    figure = new_figure(theme)
    names = [choice.name for choice in choices]
    thrown = [choice.n_thrown for choice in choices]
    figure.add_bar(
        y=names,
        x=thrown,
        orientation="h",
        name="thrown away",
        marker={
            "color": colour("rejected-tint", theme),
            "line": {"color": colour("rejected", theme), "width": 1},
            "pattern": {"shape": "/", "fgcolor": colour("rejected", theme)},
        },
        hovertemplate="%{x} tokens thrown away<extra></extra>",
    )
    figure.add_bar(
        y=names,
        x=[n_tokens if choice.n_thrown else 0 for choice in choices],
        orientation="h",
        name="written after choosing again",
        marker={"color": colour("generated", theme)},
        hovertemplate="%{x} tokens kept<extra></extra>",
    )
    figure.add_bar(
        y=names,
        x=[0 if choice.n_thrown else n_tokens for choice in choices],
        orientation="h",
        name="written on the bad token",
        marker={"color": colour("error", theme)},
        hovertemplate="%{x} tokens kept<extra></extra>",
    )
    figure.update_layout(barmode="stack", height=90 + 44 * max(1, len(names)), bargap=0.35)
    figure.update_xaxes(title_text="tokens written from the bad place on")
    figure.update_yaxes(autorange="reversed", showgrid=False, rangemode="normal")
    caption = "Measured: " + "; ".join(
        f"{choice.name}: {plural(choice.n_thrown, 'token')} thrown away, "
        f"{plural(choice.n_passes, 'pass', 'es')}, {duration(choice.seconds)}"
        for choice in choices
    )
    caption += ". One of the passes of a rewind reads the last token that stays again."
    return Chart(figure, caption, f"Work of each way. {caption}")


def choices_table(choices: Sequence[SecondChoice]) -> pd.DataFrame:
    """Writes what each way took, and what it gave."""
    rows = [
        (
            choice.name,
            choice.n_thrown,
            choice.n_passes,
            duration(choice.seconds),
            nats(choice.surprise),
            percent(choice.distinct),
            "yes" if choice.is_restored else "no",
            choice.text.strip(),
        )
        for choice in choices
    ]
    names = ["way", "thrown away", "passes", "time", "surprise per token", "distinct pairs"]
    return pd.DataFrame(rows, columns=[*names, "as if never bad", "text from there on"])

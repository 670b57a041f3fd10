"""Filling a page: every pass as a row, and few passes against many.

What the model wrote is generated's colour throughout; two kinds of page differ by their line and
their marker, and the loop, which they are compared with, is drawn in ink.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from model.diffusion.records import DenoiseHistory, Fill, Finisher
from viz.chart import Chart, empty_chart, new_figure, sheer
from viz.format import duration, nats, percent, plural
from viz.labels import plain
from viz.palette import Theme, colour

NOTHING_YET = "Nothing has been measured yet: press Start."
OPEN = "·"  # where no token stands yet
NO_PASS_YET = "No pass has run yet: press Step."
ROW, MOST_ROWS_TALL, MOST_LABELS = 20, 400, 72  # pixels of a pass, of all; tokens named below


# Every pass as a row


def history_figure(history: DenoiseHistory, theme: Theme = "light") -> Chart:
    """Draws one row for each pass and one column for each position, filled from the top down."""
    n_rows, length = history.confidence.shape
    if not n_rows:
        return empty_chart(theme, NO_PASS_YET)
    figure = new_figure(theme)
    numbers = np.arange(1, n_rows + 1)[:, None]
    filled = history.filled_in[None, :]
    is_settled = (filled > 0) & (filled < numbers)
    shade = np.where(is_settled, 1.0, 0.62 * np.nan_to_num(history.confidence))
    figure.add_heatmap(
        x=np.arange(length),
        y=numbers[:, 0],
        z=np.round(shade, 3),
        zmin=0,
        zmax=1,
        colorscale=[[0, colour("generated-tint", theme)], [1, colour("generated", theme)]],
        showscale=False,
        xgap=1,
        ygap=1,
        hovertext=_cells(history, is_settled),
        hoverinfo="text",
        name="probability of what is proposed; dark: filled before",
    )
    places = np.flatnonzero(history.filled_in)
    figure.add_scatter(
        x=places,
        y=history.filled_in[places],
        mode="markers",
        marker={
            "symbol": "square-open",
            "size": 11 if length <= 64 else 7,
            "color": colour("stage", theme),
            "line": {"width": 2.5},
        },
        hoverinfo="skip",
        name="filled in this pass",
    )
    shown = range(0, length, max(1, -(-length // MOST_LABELS)))
    figure.update_xaxes(
        tickvals=list(shown),
        ticktext=[plain(history.labels[i][:12]) if history.filled_in[i] else OPEN for i in shown],
        tickangle=-55,
        ticks="",
        range=[-0.5, length - 0.5],
    )
    figure.update_yaxes(
        title_text="pass",
        range=[history.n_planned + 0.5, 0.5],
        tickvals=_few(history.n_planned),
        showgrid=False,
    )
    figure.update_layout(height=110 + min(MOST_ROWS_TALL, max(90, ROW * history.n_planned)))
    caption = _history_words(history)
    return Chart(figure, caption, f"Every pass as a row. {caption}")


def _cells(history: DenoiseHistory, is_settled: np.ndarray) -> list[list[str]]:
    n_rows, length = history.confidence.shape
    return [
        [
            f"<b>pass {row + 1}, position {place}</b><br>"
            + (
                f"{plain(history.labels[place])}, since pass {history.filled_in[place]}"
                if is_settled[row, place]
                else f"proposes {plain(history.proposals[row][place])}, "
                f"{percent(float(history.confidence[row, place]))}"
            )
            for place in range(length)
        ]
        for row in range(n_rows)
    ]


def _history_words(history: DenoiseHistory) -> str:
    n_rows = history.confidence.shape[0]
    first = float(np.nanmean(history.confidence[0]))
    words = (
        f"Measured: {plural(n_rows, 'pass', 'es')} from the top down. The stronger an open cell’s "
        "colour, the surer the model is of what it proposes there; a framed cell is filled in that "
        f"pass and stays. In the first pass it is {percent(first)} sure on average"
    )
    last = history.confidence[-1]
    if n_rows > 1 and not np.isnan(last).all():
        words += f", in the last one {percent(float(np.nanmean(last)))} of what was left"
    return words + "."


def _few(n: int) -> list[int]:
    step = next(step for step in (1, 2, 4, 8, 16, 32, 64, 128, 256, n) if n / step <= 16)
    return [1, *range(step if step > 1 else 2, n + 1, step)]


# Few passes against many


@dataclass(frozen=True)
class Measure:
    """One thing that is measured of every fill, and the words for it."""

    title: str  # of the axis
    of: Callable[[Fill], float | None]
    of_loop: Callable[[Finisher], float | None] | None
    write: Callable[[float], str]
    is_share: bool = False


def _clash_share(fill: Fill) -> float | None:
    n_clashes = fill.clashes.n_clashes
    return None if n_clashes is None else n_clashes / fill.length


def _loop_clash_share(loop: Finisher) -> float | None:
    n_clashes = loop.clashes.n_clashes
    return None if n_clashes is None else n_clashes / loop.n_tokens


MEASURES = {
    "clashes": Measure(
        "tokens that clash", _clash_share, _loop_clash_share, percent, is_share=True
    ),
    "logprob": Measure(
        "nats per token, by the judge",
        lambda fill: fill.clashes.logprob,
        lambda loop: loop.clashes.logprob,
        nats,
    ),
    "order": Measure(
        "pairs with the left one first",
        lambda fill: fill.left_first,
        lambda _: 1.0,
        percent,
        is_share=True,
    ),
    "seconds": Measure("seconds", lambda fill: fill.seconds, lambda loop: loop.seconds, duration),
    "repeated": Measure(
        "pairs of tokens repeated",
        lambda fill: fill.clashes.repeated,
        lambda loop: loop.clashes.repeated,
        percent,
        is_share=True,
    ),
}
LINES = (("solid", "circle"), ("dot", "diamond-open"))


def sweep_figure(
    fills: Sequence[Fill], loop: Finisher | None, measure: str, theme: Theme = "light"
) -> Chart:
    """Draws one measure of every fill over the number of passes."""
    if not fills:
        return empty_chart(theme, NOTHING_YET)
    what = MEASURES[measure]
    figure = new_figure(theme)
    figure.update_layout(height=290)
    ticks = sorted({*(1 << i for i in range(fills[0].length.bit_length())), fills[0].length})
    for place, (dash, symbol) in zip(_places(fills), LINES, strict=False):
        _add_line(
            figure, [f for f in fills if f.place == place], what, (place, dash, symbol), theme
        )
    level = what.of_loop(loop) if loop is not None and what.of_loop is not None else None
    if level is not None:
        figure.add_scatter(
            x=[ticks[0], ticks[-1]],
            y=[level, level],
            mode="lines",
            line={"color": colour("ink", theme), "width": 1.5, "dash": "dash"},
            name="one token at a time",
            hovertemplate=f"one token at a time: {what.write(level)}<extra></extra>",
        )
    figure.update_xaxes(
        type="log",
        title_text="passes",
        tickvals=ticks,
        ticktext=[str(n) for n in ticks],
        range=[-0.06, math.log10(ticks[-1]) + 0.06],
    )
    figure.update_yaxes(title_text=what.title, tickformat=".0%" if what.is_share else None)
    if measure == "logprob":
        figure.update_yaxes(rangemode="normal")
    if measure == "order":
        figure.update_yaxes(range=[0, 1.04], dtick=0.25)
    caption = _sweep_words(fills, measure, level)
    return Chart(figure, caption, f"{what.title} over passes. {caption}")


def _add_line(
    figure: go.Figure,
    fills: Sequence[Fill],
    what: Measure,
    look: tuple[str, str, str],
    theme: Theme,
) -> None:
    """Draws every fill as a point, and a line through the means."""
    place, dash, symbol = look
    tone = colour("generated", theme)
    points = [(fill.n_passes, value) for fill in fills if (value := what.of(fill)) is not None]
    means = means_of(points)
    figure.add_scatter(
        x=[n for n, _ in points],
        y=[value for _, value in points],
        mode="markers",
        marker={"symbol": symbol, "size": 6, "color": sheer(tone)},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=list(means),
        y=list(means.values()),
        mode="lines+markers",
        line={"color": tone, "width": 2.5, "dash": dash},
        marker={"symbol": symbol, "size": 8, "color": tone},
        text=[what.write(value) for value in means.values()],
        name=place,
        hovertemplate="%{x} passes: %{text}<extra>" + place + "</extra>",
    )


def means_of(points: Sequence[tuple[int, float]]) -> dict[int, float]:
    """Gives the mean of the values for each number of passes, fewest first."""
    numbers = sorted({n for n, _ in points})
    return {n: fmean(value for m, value in points if m == n) for n in numbers}


def _places(fills: Sequence[Fill]) -> list[str]:
    return list(dict.fromkeys(fill.place for fill in fills))


def _sweep_words(fills: Sequence[Fill], measure: str, level: float | None) -> str:
    what = MEASURES[measure]
    said = []
    for place in _places(fills):
        points = [
            (f.n_passes, v) for f in fills if f.place == place and (v := what.of(f)) is not None
        ]
        means = means_of(points)
        if means:
            (few, at_few), (many, at_many) = next(iter(means.items())), list(means.items())[-1]
            said.append(
                f"{place} {what.write(at_few)} in {plural(few, 'pass', 'es')}"
                + (f" and {what.write(at_many)} in {many}" if many != few else "")
            )
    if level is not None:
        said.append(f"{what.write(level)} where the loop writes one token at a time")
    return f"Measured: {'; '.join(said)}." if said else "Measured: nothing to compare yet."


def sweep_table(fills: Sequence[Fill], loop: Finisher | None) -> pd.DataFrame:
    """Writes what was measured of every fill, and of the loop's own text."""
    rows = [_row(f.place, f.n_passes, f.seconds, f.left_first, f.length, f) for f in fills]
    if loop is not None:
        rows.append(_row(loop.name, loop.n_passes, loop.seconds, 1.0, loop.n_tokens, loop))
    names = ["page", "passes", "seconds", "left first", "clashes", "judge, a token", "of the end"]
    names += ["doubled", "repeated", "names", "names known", "text"]
    return pd.DataFrame(rows, columns=names)


def _row(
    place: str,
    n_passes: int,
    seconds: float,
    left: float | None,
    length: int,
    one: Fill | Finisher,
) -> tuple[object, ...]:
    found = one.clashes
    clashes = "" if found.n_clashes is None else f"{found.n_clashes} of {length}"
    return (
        place,
        n_passes,
        duration(seconds),
        "" if left is None else percent(left),
        clashes,
        nats(found.logprob),
        "" if found.ending_logprob is None else nats(found.ending_logprob),
        found.n_doubled,
        percent(found.repeated),
        found.n_names,
        "" if found.agreement is None else percent(found.agreement),
        one.text,
    )

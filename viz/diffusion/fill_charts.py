"""Filling a page: every pass as a row, and few passes against many.

What the model wrote is generated's colour throughout; two kinds of page differ by their line and
their marker, and the loop, which they are compared with, is drawn in ink.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from model.diffusion.records import DecodingRun, DenoiseHistory, Fill, Sweep
from viz.chart import Chart, new_figure, sheer
from viz.format import duration, nats, percent, plural
from viz.labels import plain
from viz.palette import Theme, colour

OPEN = "·"  # where no token stands yet
ROW, MAX_ROWS_TALL, MAX_LABELS = 20, 400, 72  # pixels of a pass, of all; tokens named below


# Every pass as a row


def history_figure(history: DenoiseHistory, theme: Theme = "light") -> Chart:
    """Draws one row for each pass and one column for each position, filled from the top down."""
    n_rows, length = history.confidence.shape
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
    shown = range(0, length, max(1, -(-length // MAX_LABELS)))
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
    figure.update_layout(height=110 + min(MAX_ROWS_TALL, max(90, ROW * history.n_planned)))
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
        f"Measured: {plural(n_rows, 'pass', 'es')} from the top down. The stronger the colour of "
        "an open cell, the more confident the model is in what it proposes there; a framed cell is "
        f"filled in that pass and stays. Mean confidence in the first pass: {percent(first)}"
    )
    last = history.confidence[-1]
    if n_rows > 1 and not np.isnan(last).all():
        words += f", in the last one {percent(float(np.nanmean(last)))}"
    return words + "."


def _few(n: int) -> list[int]:
    step = next(step for step in (1, 2, 4, 8, 16, 32, 64, 128, 256, n) if n / step <= 16)
    return [1, *range(step if step > 1 else 2, n + 1, step)]


# Few passes against many


@dataclass(frozen=True)
class Measure:
    """One thing that is measured of every fill and of the loop's own text."""

    title: str  # of the axis
    of: Callable[[Fill | DecodingRun], float | None]
    write: Callable[[float], str]
    axis: Mapping[str, object] = field(default_factory=dict)


def _clash_share(text: Fill | DecodingRun) -> float | None:
    n_clashes = text.clashes.n_clashes
    return None if n_clashes is None else n_clashes / text.n_tokens


def _left_first(text: Fill | DecodingRun) -> float | None:
    return text.left_first if isinstance(text, Fill) else 1.0


SHARE = {"tickformat": ".0%"}
MEASURES = {
    "clashes": Measure("tokens that clash", _clash_share, percent, SHARE),
    "logprob": Measure(
        "nats per token, by the judge",
        lambda text: text.clashes.logprob,
        nats,
        {"rangemode": "normal"},
    ),
    "order": Measure(
        "pairs with the left one first",
        _left_first,
        percent,
        SHARE | {"range": [0, 1.04], "dtick": 0.25},
    ),
    "seconds": Measure("seconds", lambda text: text.seconds, duration),
}
LINES = (("solid", "circle"), ("dot", "diamond-open"))


def sweep_figure(sweep: Sweep, measure: str, theme: Theme = "light") -> Chart:
    """Draws one measure of every fill over the number of passes."""
    fills, what = sweep.fills, MEASURES[measure]
    figure = new_figure(theme)
    figure.update_layout(height=290)
    n_tokens = fills[0].n_tokens
    ticks = sorted({*(1 << i for i in range(n_tokens.bit_length())), n_tokens})
    said = []
    for place, (dash, symbol) in zip(_places(fills), LINES, strict=False):
        chosen = [fill for fill in fills if fill.place == place]
        points = [(f.n_passes, value) for f in chosen if (value := what.of(f)) is not None]
        if points:
            means = means_of(points)
            _add_line(figure, points, means, what, (place, dash, symbol), theme)
            said.append(_line_words(place, means, what))
    level = what.of(sweep.loop)
    if level is not None:
        figure.add_scatter(
            x=[ticks[0], ticks[-1]],
            y=[level, level],
            mode="lines",
            line={"color": colour("ink", theme), "width": 1.5, "dash": "dash"},
            name="one token at a time",
            hovertemplate=f"one token at a time: {what.write(level)}<extra></extra>",
        )
        said.append(f"{what.write(level)} where the loop writes one token at a time")
    figure.update_xaxes(
        type="log",
        title_text="passes",
        tickvals=ticks,
        ticktext=[str(n) for n in ticks],
        range=[-0.06, math.log10(ticks[-1]) + 0.06],
    )
    figure.update_yaxes(title_text=what.title, **what.axis)
    caption = f"Measured: {'; '.join(said) or 'nothing to compare yet'}."
    return Chart(figure, caption, f"{what.title} over passes. {caption}")


def _add_line(
    figure: go.Figure,
    points: Sequence[tuple[int, float]],
    means: Mapping[int, float],
    what: Measure,
    look: tuple[str, str, str],
    theme: Theme,
) -> None:
    """Draws every fill as a point, and a line through the means."""
    place, dash, symbol = look
    tone = colour("generated", theme)
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


def _line_words(place: str, means: Mapping[int, float], what: Measure) -> str:
    few, many = min(means), max(means)
    said = f"{place} {what.write(means[few])} in {plural(few, 'pass', 'es')}"
    return said if many == few else f"{said} and {what.write(means[many])} in {many}"


def sweep_table(sweep: Sweep) -> pd.DataFrame:
    """Writes what was measured of every fill, and of the loop's own text."""
    rows = [_row(fill.place, fill) for fill in sweep.fills]
    return pd.DataFrame([*rows, _row(sweep.loop.name, sweep.loop)])


def _row(name: str, text: Fill | DecodingRun) -> dict[str, object]:
    clashes, left = text.clashes, _left_first(text)
    n_clashes, ending, agreement = clashes.n_clashes, clashes.ending_logprob, clashes.agreement
    return {
        "page": name,
        "passes": text.n_passes,
        "seconds": duration(text.seconds),
        "left first": "" if left is None else percent(left),
        "clashes": "" if n_clashes is None else f"{n_clashes} of {text.n_tokens}",
        "judge, a token": nats(clashes.logprob),
        "of the end": "" if ending is None else nats(ending),
        "doubled": clashes.n_doubled,
        "repeated": percent(clashes.repeated),
        "names": clashes.n_names,
        "names known": "" if agreement is None else percent(agreement),
        "text": text.text,
    }

"""Filling a page: every pass as a row, every position as a column."""

import numpy as np

from model.diffusion.records import DenoiseHistory
from viz.chart import Chart, add_cells, add_points, new_figure
from viz.figure import Style
from viz.format import percent, plural, round_steps
from viz.labels import plain, token_ticks
from viz.palette import colour

OPEN = "·"  # where no token stands yet
ROW, MAX_ROWS_TALL, MAX_LABELS = 20, 400, 72  # pixels of a pass, of all; tokens named below


def history_figure(history: DenoiseHistory) -> Chart:
    """Draws one row for each pass and one column for each position, filled from the top down."""
    n_rows, length = history.confidence.shape
    height = 110 + min(MAX_ROWS_TALL, max(90, ROW * history.n_planned))
    figure = new_figure(height, y="pass")
    numbers = np.arange(1, n_rows + 1)[:, None]
    filled = history.filled_in[None, :]
    is_settled = (filled > 0) & (filled < numbers)
    shade = np.where(is_settled, 1.0, 0.62 * np.nan_to_num(history.confidence))
    cells: Style = {"x": np.arange(length), "y": numbers[:, 0], "xgap": 1, "ygap": 1}
    cells["name"] = "probability of what is proposed; dark: filled before"
    tones, hovers = (colour("generated-tint"), colour("generated")), _cells(history, is_settled)
    add_cells(figure, np.round(shade, 3), tones, hovers, **cells)
    places, size = np.flatnonzero(history.filled_in), 11 if length <= 64 else 7
    look = {"symbol": "square-open", "color": colour("stage"), "line": {"width": 2.5}}
    marker = look | {"size": size}
    add_points(figure, "filled in this pass", places, history.filled_in[places], marker)
    labels = [label if n else OPEN for label, n in zip(history.labels, filled[0], strict=True)]
    figure.update_xaxes(range=[-0.5, length - 0.5], **token_ticks(labels, MAX_LABELS))
    ticks = sorted({max(1, round(tick)) for tick in round_steps(history.n_planned, 12)})
    figure.update_yaxes(range=[history.n_planned + 0.5, 0.5], tickvals=ticks, showgrid=False)
    return Chart(figure, "Every pass as a row", _history_words(history))


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

"""A class's answers as bars: two for each token, or as many as its votes.

People have the colour of the prompt, the model that of generated text, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from model.classroom.records import ClassRound
from viz.chart import (
    Chart,
    add_bars,
    add_line,
    add_points,
    empty_chart,
    filled,
    log_axis,
    new_figure,
)
from viz.figure import Style
from viz.format import count, in_full, percent, plural
from viz.labels import name_rows, plain
from viz.palette import colour

MAX_NAME = 18  # characters of a token
MAX_ROWS = 6  # tokens
ROW_HEIGHT = 50  # pixels, of two bars
DOT, N_PLACES = 16, 60  # pixels of a dot that stands for a number, and how many have room in a row
MAX_HEIGHT = 250  # pixels; more dots than that in a column overlap
WIDE = 1000  # times the least number is the largest: their axis is logarithmic


def class_figure(found: ClassRound, true_id: int | None = None) -> Chart:
    """Draws what the class and the model gave each token; the one that came is marked."""
    weighty = sorted(found.rows, key=lambda row: -max(row.class_prob, row.model_prob))
    kept = {row.token_id for row in weighty[:MAX_ROWS]}
    rows = [row for row in found.rows if row.token_id in kept or row.token_id == true_id]
    names = [plain(row.label, MAX_NAME) for row in rows]
    names = [
        f"<b>{name}</b> ✓" if row.token_id == true_id else name
        for name, row in zip(names, rows, strict=True)
    ]
    of_class = [row.class_prob for row in rows]
    of_model = [row.model_prob for row in rows]
    return _bars(
        names,
        [("the model", of_model, "generated"), ("the class", of_class, "prompt")],
        f"Measured: the class is the mean of {plural(found.n_answers, 'answer')}, each with the "
        "confidence that its phone gave; the rest is spread evenly over all other tokens.",
    )


def draws_figure(labels: Sequence[str], shares: Sequence[float], landed: Sequence[int]) -> Chart:
    """Draws how many of a class's random numbers fell on each token, beside its probability.

    The last label is that of all other tokens together.
    """
    n = max(1, sum(landed))
    return _bars(
        [plain(name, MAX_NAME) for name in labels],
        [
            ("the model’s probability", list(shares), "generated"),
            ("share of the class’s draws", [k / n for k in landed], "prompt"),
        ],
        f"Measured: {plural(sum(landed), 'random number')}, one for each phone. With more draws "
        "the shares come closer to the probabilities.",
    )


def votes_figure(
    options: Sequence[str], votes: Sequence[int], earlier: Sequence[int] | None
) -> Chart:
    """Draws the votes of a question, and those of the first time where it was asked twice."""
    series = [("now", [float(n) for n in votes], "prompt")]
    if earlier is not None:
        series.insert(0, ("before the discussion", [float(n) for n in earlier], "rejected"))
    caption = f"Measured: {plural(sum(votes), 'vote')}."
    return _bars([plain(o, 40) for o in options], series, caption, is_share=False)


def numbers_figure(
    written: Sequence[tuple[str, int]],
    earlier: Sequence[tuple[str, int]],
    truth: float | None,
) -> Chart:
    """Draws the numbers that a class wrote as stacked dots, those of an earlier time below them.

    Args:
        written: Each number, and how many wrote it.
        earlier: The same of the first time, where it was asked twice, else nothing.
        truth: The true number, where it is known.
    """
    now, before = _numbers(written), _numbers(earlier)
    if not now:
        return empty_chart("Nobody wrote a number.")
    every = [*now, *before, *([] if truth is None else [truth])]
    low, high = min(every), max(every)
    is_log = low > 0 and high >= WIDE * low
    wide = (math.log(high / low) if is_log else high - low) / N_PLACES
    above, below = (_stacked(numbers, wide, is_log=is_log) for numbers in (now, before))
    ends = [-max(below, default=0) - 0.7, max(above) + 0.7]
    figure = new_figure(round(min(MAX_HEIGHT, 80 + DOT * (ends[1] - ends[0]))))
    look = {"size": DOT - 2, "color": colour("prompt")}
    add_points(figure, "now", now, above, look, "%{x}")
    if before:
        look |= {"color": colour("rejected"), "symbol": "x"}
        down = [-height for height in below]
        add_points(figure, "before the discussion", before, down, look, "%{x}")
    middle = float(np.median(now))
    lines = [(f"median {in_full(middle)}", middle, "prompt", "dash")]
    if truth is not None:
        lines.append((f"true {in_full(truth)}", truth, "generated", "solid"))
    for name, value, role, dash in lines:
        add_line(figure, name, [value, value], ends, colour(role), dash=dash)
    figure.update_yaxes(visible=False, range=ends)
    if is_log:
        figure.update_xaxes(**log_axis(low / 1.5, high * 1.5, ""))
    else:
        room = 0.06 * (high - low) or 1
        figure.update_xaxes(range=[low - room, high + room])
    first, third = np.quantile(now, [0.25, 0.75])
    caption = (
        f"Measured: {plural(len(now), 'number')}, median {in_full(middle)}, the middle half from "
        f"{in_full(first)} to {in_full(third)}."
    )
    if truth is not None:
        caption += f" The true number is {in_full(truth)}."
    return Chart(figure, "The numbers of the class", caption)


def _numbers(written: Sequence[tuple[str, int]]) -> list[float]:
    return sorted(float(number) for number, n in written for _ in range(n))


def _stacked(numbers: Sequence[float], wide: float, *, is_log: bool) -> list[int]:
    """Returns a height for each number, rising ones: the lowest where no dot is in the way."""
    lasts: list[float] = []  # at each height, where the last dot stands
    heights: list[int] = []
    for number in numbers:
        place = math.log(number) if is_log else number
        free = (i for i, last in enumerate(lasts) if place > last + wide)
        height = next(free, len(lasts))
        lasts[height : height + 1] = [place]
        heights.append(height + 1)
    return heights


def _bars(
    names: Sequence[str],
    series: Sequence[tuple[str, list[float], str]],
    caption: str,
    *,
    is_share: bool = True,
) -> Chart:
    """Draws a group of bars for each name; series are given from the lowest bar up."""
    figure = new_figure()

    def write(value: float) -> str:
        return percent(value) if is_share else count(round(value))

    for title, values, role in reversed(series):
        marker = filled(colour(role), shape="/" if role == "rejected" else "")
        look: Style = {"marker": marker, "textfont": {"size": 15}, "hover": "%{y}: %{text}"}
        add_bars(figure, title, names, values, list(map(write, values)), **look)
    top = max((max(values, default=0) for _, values, _ in series), default=0) or 1.0
    figure.update_xaxes(range=[0, 1.2 * top], visible=False)
    name_rows(figure, names, size=15)
    figure.update_layout(
        height=70 + ROW_HEIGHT * len(names), bargap=0.25, legend={"traceorder": "reversed"}
    )
    said = "; ".join(
        f"{name}: {', '.join(f'{title} {write(values[i])}' for title, values, _ in series)}"
        for i, name in enumerate(names)
    )
    return Chart(figure, said, caption)

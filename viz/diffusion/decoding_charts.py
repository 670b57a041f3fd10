"""What decoding in few passes or many takes and gives, beside the loop and beam search.

What a model wrote is generated's colour throughout; two kinds of page differ by their line and
their marker, and the loop, which they are compared with, is drawn in ink.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from statistics import fmean
from typing import Any

from model.diffusion.records import DecodingRun, Sweep
from viz.chart import Chart, Table, add_bars, add_line, add_points, new_figure, write_at
from viz.format import digits, duration, nats, percent, plural
from viz.labels import name_lines, plain
from viz.palette import colour, sheer

# Three ways on one clock


def runs_figure(runs: Sequence[DecodingRun], where: str) -> Chart:
    """Draws each run as a row and each of its passes as a piece of the row, as long as it took."""
    figure = new_figure(76 + 50 * len(runs), "milliseconds of the model")
    tone, paper = colour("generated"), colour("paper")
    for row, run in enumerate(runs):
        lengths, name = [1000 * one for one in run.pass_seconds], plain(run.name)
        marker = {"color": sheer(tone), "line": {"color": paper, "width": 1}}
        look: dict[str, Any] = {"base": [0.0, *accumulate(lengths[:-1])], "width": 0.5}
        hover = "one pass, %{x:.1f} ms"
        add_bars(figure, name, [row] * run.n_passes, lengths, hover=hover, marker=marker, **look)
        words = f"{name}: {plural(run.n_passes, 'pass', 'es')}, {duration(run.seconds)}"
        # above its row, so that a narrow screen has room for the bars
        write_at(figure, 0, row - 0.3, words, 12, xanchor="left", yanchor="bottom")
    longest = 1000 * max(run.seconds for run in runs)
    figure.update_xaxes(range=[0, 1.02 * longest])
    figure.update_yaxes(range=[len(runs) - 0.6, -0.85], showgrid=False, showticklabels=False)
    figure.update_layout(showlegend=False, barmode="overlay")
    caption = (
        f"Measured on {where}, one run each after a warm-up. Every piece is one pass, and no pass "
        "begins before the one before it has ended."
    )
    return Chart(figure, "Three ways on one clock", caption)


def tokens_a_pass(run: DecodingRun) -> str:
    """Says how many tokens each pass gave on average."""
    a_pass = run.n_tokens / run.n_passes
    return "1 token" if a_pass == 1 else f"{digits(a_pass, 2)} tokens"


# Few passes against many


@dataclass(frozen=True)
class Measure:
    """One thing that is measured of every fill and of the loop's own text."""

    title: str  # of the axis
    of: Callable[[DecodingRun], float | None]
    write: Callable[[float], str]
    axis: Mapping[str, object] = field(default_factory=dict)


def _clash_share(run: DecodingRun) -> float | None:
    n_clashes = run.clashes.n_clashes
    return None if n_clashes is None else n_clashes / run.n_tokens


QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
SHARE = {"tickvals": QUARTERS, "ticktext": [f"{100 * share:.0f} %" for share in QUARTERS]}
MEASURES = {
    "clashes": Measure("tokens that clash", _clash_share, percent, SHARE),
    "logprob": Measure(
        "nats per token, by the judge",
        lambda run: run.clashes.logprob,
        nats,
        {"rangemode": "normal"},
    ),
    "order": Measure(
        "pairs with the left one first",
        lambda run: run.left_first,
        percent,
        SHARE | {"range": [0, 1.04]},
    ),
    "seconds": Measure("seconds", lambda run: run.seconds, duration),
}
LINES = (("solid", "circle"), ("dot", "diamond-open"))


def sweep_figure(sweep: Sweep, measure: str) -> Chart:
    """Draws one measure of every fill over the number of passes: points, and their means."""
    fills, what = sweep.fills, MEASURES[measure]
    figure = new_figure(290, "passes", what.title)
    n_tokens = fills[0].n_tokens
    ticks = sorted({*(1 << i for i in range(n_tokens.bit_length())), n_tokens})
    tone, said = colour("generated"), []
    places = dict.fromkeys(fill.name for fill in fills)
    for place, (dash, symbol) in zip(places, LINES, strict=False):
        chosen = [fill for fill in fills if fill.name == place]
        points = [(f.n_passes, value) for f in chosen if (value := what.of(f)) is not None]
        if not points:
            continue
        marker = {"symbol": symbol, "size": 6, "color": sheer(tone)}
        x, y = zip(*points, strict=True)
        add_points(figure, "", x, y, marker)
        means = means_of(points)
        values = list(means.values())
        words = [what.write(value) for value in values]
        hover = "%{x} passes: %{text}"
        look: dict[str, Any] = {"dash": dash, "symbol": symbol, "hover": hover, "text": words}
        add_line(figure, place, list(means), values, tone, **look)
        said.append(f"{place} {words[0]} in {plural(min(means), 'pass', 'es')}")
        if len(words) > 1:
            said[-1] += f" and {words[-1]} in {max(means)}"
    level, name = what.of(sweep.loop), "one token at a time"
    if level is not None:
        ends, hover = [ticks[0], ticks[-1]], f"{name}: {what.write(level)}"
        ink = colour("ink")
        add_line(figure, name, ends, [level, level], ink, dash="dash", hover=hover)
        said.append(f"{what.write(level)} where the loop writes one token at a time")
    figure.update_xaxes(
        type="log",
        tickvals=ticks,
        ticktext=[str(n) for n in ticks],
        range=[-0.06, math.log10(ticks[-1]) + 0.06],
    )
    figure.update_yaxes(what.axis)
    name_lines(figure)
    caption = f"Measured: {'; '.join(said) or 'nothing to compare yet'}."
    return Chart(figure, f"{what.title} over passes", caption)


def means_of(points: Sequence[tuple[int, float]]) -> dict[int, float]:
    """Gives the mean of the values for each number of passes, fewest first."""
    numbers = sorted({n for n, _ in points})
    return {n: fmean(value for m, value in points if m == n) for n in numbers}


def sweep_table(sweep: Sweep) -> Table:
    """Writes what was measured of every fill, and of the loop's own text."""
    return [_row(run) for run in (*sweep.fills, sweep.loop)]


def _row(run: DecodingRun) -> dict[str, object]:
    clashes, left = run.clashes, run.left_first
    n_clashes, ending, agreement = clashes.n_clashes, clashes.ending_logprob, clashes.agreement
    return {
        "page": run.name,
        "passes": run.n_passes,
        "seconds": duration(run.seconds),
        "left first": "" if left is None else percent(left),
        "clashes": "" if n_clashes is None else f"{n_clashes} of {run.n_tokens}",
        "judge, a token": nats(clashes.logprob),
        "of the end": "" if ending is None else nats(ending),
        "doubled": clashes.n_doubled,
        "repeated": percent(clashes.repeated),
        "names": clashes.n_names,
        "names known": "" if agreement is None else percent(agreement),
        "text": run.text,
    }

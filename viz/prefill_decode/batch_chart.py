"""Batching: tokens a second against batch size, what each reader waits, and padding drawn."""

import math
from itertools import pairwise

from model.prefill_decode.records import BatchRun, Padding
from viz.chart import Chart, Table, add_line, log_axis, new_figure, number_axis
from viz.figure import Figure, Style
from viz.format import count, digits, duration
from viz.labels import name_lines
from viz.palette import colour
from viz.prefill_decode.phase_charts import medians
from viz.prefill_decode.roofline_chart import busy_words, utilisation

HEIGHT = 340  # pixels
ENOUGH = 1.5  # times the tokens that twice the sequences give while they share


def throughput_figure(run: BatchRun) -> Chart:
    """Draws the tokens per second of each batch, beside those if no step took longer."""
    figure = new_figure(HEIGHT, "sequences in the batch")
    batches = [point.n_batch for point in run.points]
    rates = [point.tokens_per_second for point in run.points]
    promised = [rates[0] * n / batches[0] for n in batches]
    muted = colour("muted")
    add_line(figure, "if a step took no longer", batches, promised, muted, width=2, dash="dash")
    name, tone = "tokens a second, all together", colour("generated")
    gains: Style = {
        "mode": "lines+markers+text",
        "marker": {"size": 10, "symbol": "diamond"},
        "text": ["", *(f"{digits(rate / rates[0], 2)}×" for rate in rates[1:])],
        # the last one's right is the line's name's
        "textposition": [*["bottom right"] * (len(rates) - 1), "top left"],
        "textfont": {"size": 12, "color": colour("ink")},
        "cliponaxis": False,
    }
    hover = "batch %{x}: %{y:.3s} tokens a second"
    add_line(figure, name, batches, rates, tone, width=3, hover=hover, **gains)
    _batch_axis(figure, batches)
    figure.update_yaxes(log_axis(min(rates) / 1.5, max(rates) * 3, "tokens a second"))
    name_lines(figure)
    last = run.points[-1]
    caption = (
        f"Measured on {run.machine.where}, {run.machine.model}, by {last.engine}, "
        f"{count(last.n_past)} tokens in each cache, medians of {last.seconds.n} steps: batch "
        f"{last.n_batch} gives {digits(rates[-1])} tokens a second, "
        f"{digits(rates[-1] / rates[0], 2)} times batch "
        f"{batches[0]}. {_knee(run)} {busy_words(run.points)}"
    ).strip()
    return Chart(figure, "Throughput against batch size", caption)


def _knee(run: BatchRun) -> str:
    """Says from which batch on twice the sequences always give less than half as much again."""
    gains = [b.tokens_per_second / a.tokens_per_second for a, b in pairwise(run.points)]
    n_late = next((n for n, gain in enumerate(reversed(gains)) if gain >= ENOUGH), len(gains))
    if not n_late:
        return "The last doubling still gave half as much again or more."
    one, other = run.points[-n_late - 1], run.points[-n_late]
    return (
        f"From batch {one.n_batch} to {other.n_batch} the gain is only "
        f"{digits(gains[-n_late], 2)} times: the weights’ one reading is shared, arithmetic and "
        "the caches are not."
    )


def batch_table(run: BatchRun) -> Table:
    """Writes one row per batch: throughput, each reader's wait, how well memory is used."""
    first = run.points[0].tokens_per_second
    return [
        {
            "batch": point.n_batch,
            "decodes by": point.engine,
            "tokens a second": digits(point.tokens_per_second),
            "gain": f"{digits(point.tokens_per_second / first, 2)}×",
            "a step (TPOT)": duration(point.seconds.median),
            "range": f"{duration(point.seconds.low)} to {duration(point.seconds.high)}",
            "MBU": utilisation(point.bytes_per_second / run.copy),
        }
        for point in run.points
    ]


def wait_figure(run: BatchRun) -> Chart:
    """Draws what a step takes, which is what every reader of the batch waits for a token."""
    figure = new_figure(HEIGHT, "sequences in the batch")
    batches = [point.n_batch for point in run.points]
    timed = [point.seconds for point in run.points]
    y, spreads = medians(timed, unit=1000)
    look: Style = {"width": 3, "symbol": "diamond", "error_y": spreads}
    add_line(figure, "", batches, y, colour("generated"), hover="batch %{x}: %{y:.3g} ms", **look)
    _batch_axis(figure, batches)
    top = 1000 * max(runs.high for runs in timed)
    figure.update_yaxes(number_axis(top, "milliseconds a step: each reader’s gap (TPOT)", room=1))
    first, last = run.points[0], run.points[-1]
    caption = (
        f"Measured in the same run: a reader waits {duration(first.seconds.median)} for a token at "
        f"batch {first.n_batch}, {duration(last.seconds.median)} at batch {last.n_batch}. The copy "
        f"bandwidth is {digits(run.copy / 1e9)} GB/s."
    )
    return Chart(figure, "Time of a step against batch size", caption)


def _batch_axis(figure: Figure, batches: list[int]) -> None:
    figure.update_xaxes(
        type="log",
        tickvals=batches,
        range=[math.log10(batches[0] / 1.25), math.log10(batches[-1] * 1.25)],
    )


def padding_table(padding: Padding) -> Table:
    """Writes one row per way: the largest gap of the logits, and how many best tokens stayed."""
    return [
        {
            "how": way.name,
            "largest gap of logits": _gap(max(way.gaps)),
            "same best token": f"{sum(way.same_best)} of {len(padding.labels)}",
        }
        for way in padding.ways
    ]


def _gap(gap: float) -> str:
    return f"{gap:.1e}" if gap < 1e-3 else digits(gap, 2)

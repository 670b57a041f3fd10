"""What the cache saves: seconds and arithmetic of each step.

Without a cache every pass reads the whole text, so its colour is prefill's; with it, decode's.
"""

from collections.abc import Sequence
from itertools import accumulate

from model.kv_cache.records import FlopCheck, RaceStep
from model.records import Flops
from viz.chart import Chart, Table, add_line, new_figure, number_axis
from viz.figure import Figure
from viz.format import digits, duration, percent, plural
from viz.labels import name_lines
from viz.palette import colour

SIDES = {"without the cache": "prompt", "with the cache": "generated"}
HEIGHT = 320  # pixels


def per_step_figure(steps: Sequence[RaceStep], where: str) -> Chart:
    """Draws the median milliseconds of each step on both sides."""
    sides = [
        [1000 * step.recomputed_seconds for step in steps],
        [1000 * step.cached_seconds for step in steps],
    ]
    figure = _lines(_lengths(steps), sides, "milliseconds per step")
    last = steps[-1]
    caption = (
        f"Measured on {where}: at {plural(last.n_tokens, 'token')} a step takes "
        f"{duration(last.recomputed_seconds)} without the cache and "
        f"{duration(last.cached_seconds)} with it, "
        f"{digits(last.recomputed_seconds / last.cached_seconds, 2)} to 1."
    )
    return Chart(figure, "Time of each step", caption)


def so_far_figure(steps: Sequence[RaceStep], where: str) -> Chart:
    """Draws the seconds that the text took up to each length on both sides."""
    sides = [
        list(accumulate(step.recomputed_seconds for step in steps)),
        list(accumulate(step.cached_seconds for step in steps)),
    ]
    figure = _lines(_lengths(steps), sides, "seconds so far")
    caption = (
        f"Measured on {where}: {plural(steps[-1].n_tokens, 'token')} took "
        f"{duration(sides[0][-1])} without the cache and {duration(sides[1][-1])} with it, sums "
        "of the steps’ medians."
    )
    return Chart(figure, "Time up to each length", caption)


def work_figure(recomputed: Sequence[Flops], cached: Sequence[Flops]) -> Chart:
    """Draws the arithmetic up to each length, from 1 on, on both sides."""
    sides = [
        [flops / 1e9 for flops in accumulate(float(work.total) for work in side)]
        for side in (recomputed, cached)
    ]
    figure = _lines(range(1, len(cached) + 1), sides, "billion FLOPs so far")
    without, with_cache = (sum(work.total for work in side) for side in (recomputed, cached))
    caption = (
        f"Derived for {plural(len(cached), 'token')}, by the formula that torch’s counter is held "
        "against: "
        f"{digits(without / 1e9)} billion FLOPs without the cache, {digits(with_cache / 1e9)} "
        f"billion with it, {digits(without / with_cache)} to 1."
    )
    if sum(work.attention for work in recomputed):
        caption += (
            " Attention keeps a term that grows with the square of the length on both sides: with "
            f"the cache it is {percent(_of_attention(cached))} of the work here, without it "
            f"{percent(_of_attention(recomputed))}."
        )
    return Chart(figure, "Arithmetic up to each length", caption)


def _of_attention(side: Sequence[Flops]) -> float:
    """Returns attention's share of the work."""
    return sum(work.attention for work in side) / sum(work.total for work in side)


def checks_table(checks: Sequence[FlopCheck]) -> Table:
    """Writes what torch counted beside what the formula says, pass by pass."""
    return [
        {
            "side": f"{'with' if c.n_past or c.n_input == 1 else 'without'} the cache",
            "tokens in": c.n_input,
            "tokens cached": c.n_past,
            "linear, counted": c.counted.linear,
            "linear, formula": c.predicted.linear,
            "attention, counted": c.counted.attention,
            "attention, formula": c.predicted.attention,
            "difference": c.counted.total - c.predicted.total,
        }
        for c in checks
    ]


def _lengths(steps: Sequence[RaceStep]) -> list[int]:
    return [step.n_tokens for step in steps]


def _lines(lengths: Sequence[int], sides: Sequence[Sequence[float]], title: str) -> Figure:
    """Draws what both sides take at each length."""
    figure = new_figure(HEIGHT, "tokens in the text")
    for (name, role), heights in zip(SIDES.items(), sides, strict=True):
        dash = "solid" if role == "generated" else "dash"
        hover = "%{x} tokens: %{y:.3g}"
        add_line(figure, name, lengths, heights, colour(role), dash=dash, hover=hover)
    figure.update_xaxes(range=[0, lengths[-1]])
    figure.update_yaxes(number_axis(max(map(max, sides)), title))
    name_lines(figure)
    return figure

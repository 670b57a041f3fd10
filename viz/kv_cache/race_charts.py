"""One text with the cache and without it: seconds per step, seconds so far, arithmetic so far.

Without a cache every pass reads the whole text, so its colour is prefill's; with it, decode's. The
arithmetic is drawn on logarithmic axes, where a power of the length is a straight line and its
exponent the slope.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import pandas as pd
import plotly.graph_objects as go

from model.kv_cache.records import FlopCheck, RaceStep
from viz.chart import Chart, new_figure
from viz.format import digits, duration, log_ticks, plural, round_steps
from viz.palette import Theme, colour

SIDES = {"without the cache": "prompt", "with the cache": "generated"}
HEIGHT = 320  # pixels
POWERS = range(0, 25)  # of ten, as marks of FLOPs; of characters, as Plotly's own are larger
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def per_step_figure(steps: Sequence[RaceStep], where: str, theme: Theme = "light") -> Chart:
    """Draws the median milliseconds of each step on both sides."""
    sides = [
        [1000 * step.recomputed_seconds for step in steps],
        [1000 * step.cached_seconds for step in steps],
    ]
    figure = _lines(steps, sides, theme)
    _axes(figure, steps, max(map(max, sides)), "milliseconds per step")
    last = steps[-1]
    caption = (
        f"Measured on {where}: at {plural(last.n_tokens, 'token')} a step takes "
        f"{duration(last.recomputed_seconds)} without the cache and "
        f"{duration(last.cached_seconds)} with it, "
        f"{digits(last.recomputed_seconds / last.cached_seconds, 2)} to 1."
    )
    return Chart(figure, caption, f"Time of each step. {caption}")


def so_far_figure(steps: Sequence[RaceStep], where: str, theme: Theme = "light") -> Chart:
    """Draws the seconds that the text took up to each length on both sides."""
    sides = [
        list(accumulate(step.recomputed_seconds for step in steps)),
        list(accumulate(step.cached_seconds for step in steps)),
    ]
    figure = _lines(steps, sides, theme)
    _axes(figure, steps, sides[0][-1], "seconds so far")
    caption = (
        f"Measured on {where}: {plural(steps[-1].n_tokens, 'token')} took "
        f"{duration(sides[0][-1])} without the cache and {duration(sides[1][-1])} with it, sums "
        "of the steps’ medians."
    )
    return Chart(figure, caption, f"Time up to each length. {caption}")


def work_figure(steps: Sequence[RaceStep], theme: Theme = "light") -> Chart:
    """Draws the arithmetic up to each length, the linear and the attention terms apart."""
    figure = new_figure(theme)
    n_tokens = [step.n_tokens for step in steps]
    for (side, role), flops in zip(
        SIDES.items(),
        ([s.recomputed_flops for s in steps], [s.cached_flops for s in steps]),
        strict=True,
    ):
        for term, dash in (("linear", "solid"), ("attention", "dot")):
            figure.add_scatter(
                x=n_tokens,
                y=list(accumulate(float(getattr(work, term)) for work in flops)),
                mode="lines",
                line={"color": colour(role, theme), "width": 2.5, "dash": dash},
                name=f"{term}, {side}",
                hovertemplate="%{x} tokens: %{y:.3s} FLOPs<extra>%{fullData.name}</extra>",
            )
    end = max(n_tokens[-1], 2)
    ticks, labels = log_ticks(1, end)
    figure.update_xaxes(type="log", title_text="tokens", tickvals=ticks, ticktext=labels)
    figure.update_yaxes(
        type="log",
        title_text="FLOPs so far",
        tickvals=[10.0**n for n in POWERS],
        ticktext=[f"10{str(n).translate(RAISED)}" for n in POWERS],
        rangemode="normal",
    )
    figure.update_layout(height=HEIGHT)
    without = sum(step.recomputed_flops.total for step in steps)
    with_cache = sum(step.cached_flops.total for step in steps)
    caption = (
        "Derived, by the formula that torch’s counter is held against: "
        f"{digits(without / 1e9)} billion FLOPs without the cache, {digits(with_cache / 1e9)} "
        f"billion with it, {digits(without / with_cache)} to 1. Attention keeps a term that grows "
        "with the square of the length on both sides: with the cache it is small."
    )
    return Chart(figure, caption, f"Arithmetic up to each length. {caption}")


def checks_table(checks: Sequence[FlopCheck]) -> pd.DataFrame:
    """Writes what torch counted beside what the formula says, pass by pass."""
    rows = [
        (
            "with the cache" if check.n_past or check.n_input == 1 else "without the cache",
            check.n_input,
            check.n_past,
            check.counted.linear,
            check.predicted.linear,
            check.counted.attention,
            check.predicted.attention,
            check.counted.total - check.predicted.total,
        )
        for check in checks
    ]
    names = ["side", "tokens in", "tokens cached", "linear, counted", "linear, formula"]
    names += ["attention, counted", "attention, formula", "difference"]
    return pd.DataFrame(rows, columns=names)


def _lines(steps: Sequence[RaceStep], sides: Sequence[Sequence[float]], theme: Theme) -> go.Figure:
    figure = new_figure(theme)
    for (name, role), heights in zip(SIDES.items(), sides, strict=True):
        figure.add_scatter(
            x=[step.n_tokens for step in steps],
            y=heights,
            mode="lines",
            line={
                "color": colour(role, theme),
                "width": 2.5,
                "dash": "solid" if role == "generated" else "dash",
            },
            name=name,
            hovertemplate="%{x} tokens: %{y:.3g}<extra>" + name + "</extra>",
        )
    figure.update_layout(height=HEIGHT)
    return figure


def _axes(figure: go.Figure, steps: Sequence[RaceStep], top: float, title: str) -> None:
    ticks = round_steps(top)
    figure.update_xaxes(title_text="tokens in the text", range=[0, steps[-1].n_tokens])
    figure.update_yaxes(title_text=title, tickvals=ticks, range=[0, 1.06 * ticks[-1] or 1])

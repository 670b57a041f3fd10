"""The two phases: what reading takes and what writing takes, request by request, gap by gap.

Prefill is drawn in the prompt's colour and decode in the generated text's, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import plotly.graph_objects as go

from model.prefill_decode.records import PhaseRun, Request, Timed
from model.records import Machine
from viz.chart import Chart, empty_chart, filled, name_rows, new_figure
from viz.format import count, digits, duration, plural, round_steps
from viz.palette import Theme, colour

HEIGHT = 330  # pixels
BIG = 15  # pixels of what is read from the back row


def spread(timed: Timed) -> str:
    """Writes a median with how far the runs lie apart."""
    if timed.n == 1:
        return f"{duration(timed.median)} (one run)"
    return f"{duration(timed.median)} ({duration(timed.low)} to {duration(timed.high)})"


def as_recorded(chart: Chart, machine: Machine) -> Chart:
    """Returns a figure of another machine's run, which says so."""
    told = f"Recorded {machine.date[:10]} on {machine.where}"
    words = [
        text.replace(f"Measured on {machine.where}", told).replace("Measured in", f"{told}, in")
        for text in (chart.caption, chart.alt)
    ]
    return replace(chart, caption=words[0], alt=words[1])


def typical(requests: Sequence[Request]) -> Request:
    """Returns the request whose total is the median, the longest ones alone compared."""
    longest = max(request.n_out for request in requests)
    whole = sorted((r for r in requests if r.n_out == longest), key=lambda r: r.seconds)
    return whole[(len(whole) - 1) // 2]


def pace_figure(run: PhaseRun, theme: Theme = "light", recorded: PhaseRun | None = None) -> Chart:
    """Draws the seconds that n tokens take: read as a prompt, and written as an answer."""
    if not run.readings:
        return empty_chart(theme, "No prompt has been read yet.")
    figure = new_figure(theme)
    _reading_line(figure, run, theme)
    tops = [run.readings[-1].seconds.high]
    words = [f"{plural(run.readings[-1].n_tokens, 'token')} read in {_read_words(run)}"]
    if any(request.gaps for request in run.long_out):
        request = typical(run.long_out)
        _writing_line(figure, request, theme)
        tops.append(sum(request.gaps))
        words.append(
            f"{plural(len(request.gaps), 'token')} written in {duration(sum(request.gaps))}"
        )
    if recorded is not None:
        _recorded_lines(figure, recorded, theme)
        machine = recorded.machine
        words.append(f"dotted, {machine.model} as recorded on {machine.where}, {machine.date[:10]}")
    ticks = round_steps(max(tops))
    end = max([run.readings[-1].n_tokens, *(r.n_out for r in run.long_out)])
    figure.update_xaxes(title_text="tokens", range=[0, end * 1.02])
    figure.update_yaxes(title_text="seconds", tickvals=ticks, range=[0, 1.06 * ticks[-1]])
    figure.update_layout(height=HEIGHT)
    caption = f"Measured on {run.machine.where}, by {run.engine}: {'; '.join(words)}."
    return Chart(figure, caption, f"Seconds against tokens, read and written. {caption}")


def _read_words(run: PhaseRun) -> str:
    last = run.readings[-1].seconds
    return f"{spread(last)}, median of {last.n}" if last.n > 1 else spread(last)


def _reading_line(figure: go.Figure, run: PhaseRun, theme: Theme) -> None:
    tone = colour("prompt", theme)
    figure.add_scatter(
        x=[reading.n_tokens for reading in run.readings],
        **medians([reading.seconds for reading in run.readings]),
        line={"color": tone, "width": 3},
        marker={"size": 9},
        name="reading a prompt: all in one pass",
        text=[duration(reading.seconds.median / reading.n_tokens) for reading in run.readings],
        hovertemplate="%{x} tokens read in %{y:.3g} s, %{text} each<extra></extra>",
    )


def medians(timed: Sequence[Timed], unit: float = 1.0) -> dict[str, object]:
    """Describes points at medians, with bars from the quickest to the slowest run.

    Args:
        timed: One for each point.
        unit: What seconds are multiplied by.
    """
    spreads = {
        "array": [unit * (runs.high - runs.median) for runs in timed],
        "arrayminus": [unit * (runs.median - runs.low) for runs in timed],
    }
    bars = {"type": "data", "symmetric": False, "thickness": 1.5, "width": 4, **spreads}
    y = [unit * runs.median for runs in timed]
    return {"y": y, "error_y": bars, "mode": "lines+markers"}


def _writing_line(figure: go.Figure, request: Request, theme: Theme) -> None:
    figure.add_scatter(
        x=list(range(1, request.n_out)),
        y=list(accumulate(request.gaps)),
        mode="lines",
        line={"color": colour("generated", theme), "width": 3.5, "dash": "dash"},
        name="writing an answer: one pass a token",
        hovertemplate="%{x} tokens written in %{y:.3g} s<extra></extra>",
    )


def _recorded_lines(figure: go.Figure, run: PhaseRun, theme: Theme) -> None:
    """Lays the same lines of another machine behind, thin and dotted."""
    lines: list[tuple[str, list[int], list[float], str]] = [
        (
            "prompt",
            [reading.n_tokens for reading in run.readings],
            [reading.seconds.median for reading in run.readings],
            "reading, recorded",
        )
    ]
    if run.long_out:
        request = typical(run.long_out)
        sums = list(accumulate(request.gaps))
        lines.append(("generated", list(range(1, request.n_out)), sums, "writing, recorded"))
    for role, x, y, name in lines:
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": colour(role, theme), "width": 2, "dash": "dot"},
            opacity=0.7,
            name=name,
            hovertemplate="%{x} tokens: %{y:.3g} s<extra>" + name + "</extra>",
        )


def swap_figure(requests: Sequence[Request], where: str, theme: Theme = "light") -> Chart:
    """Draws two requests that swap what goes in and what comes out, as the time they take.

    Args:
        requests: One of each kind, much in first; one that still runs may be among them.
        where: Device and number format.
        theme: Light or dark.
    """
    figure = new_figure(theme)
    names = [f"<b>{count(r.n_in)} in</b>, {count(r.n_out)} out" for r in requests]
    parts = (
        ("prompt", "prefill: until the first token", [r.first_seconds for r in requests], ""),
        ("generated", "decode: all tokens after it", [sum(r.gaps) for r in requests], "/"),
    )
    for role, name, seconds, shape in parts:
        tone = colour(role, theme)
        figure.add_bar(
            y=names,
            x=seconds,
            orientation="h",
            width=0.55,
            name=name,
            marker=filled(tone, shape=shape),
            hovertemplate="%{x:.3g} s<extra>" + name + "</extra>",
        )
    for name, request in zip(names, requests, strict=True):
        figure.add_annotation(
            x=request.seconds,
            y=name,
            text=f"<b>{duration(request.seconds)}</b>",
            showarrow=False,
            xanchor="left",
            xshift=6,
            font={"size": BIG + 1, "color": colour("ink", theme)},
        )
    ticks = round_steps(max(request.seconds for request in requests))
    figure.update_layout(barmode="stack", height=HEIGHT, legend_traceorder="normal")
    figure.update_xaxes(title_text="seconds", tickvals=ticks, range=[0, 1.18 * ticks[-1]])
    name_rows(figure, names, theme, BIG)
    caption = f"Measured on {where}. {_swap_words(requests)}"
    return Chart(figure, caption, f"Two requests and their time. {caption}")


def _swap_words(requests: Sequence[Request]) -> str:
    if len(requests) < 2:
        return "The first of the two requests."
    much_in, much_out = requests[0], requests[1]
    words = (
        f"As many tokens in all, but {count(much_in.n_in)} in and {count(much_in.n_out)} out took "
        f"{duration(much_in.seconds)}, {count(much_out.n_in)} in and {count(much_out.n_out)} out "
        f"{duration(much_out.seconds)}"
    )
    if much_in.n_in + much_in.n_out != much_out.n_in + much_out.n_out:
        return words.replace("As many tokens in all, but ", "So far: ") + "."
    return f"{words}: {digits(much_out.seconds / much_in.seconds, 2)} to 1."

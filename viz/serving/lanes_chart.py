"""Requests as lanes: who waits, who is read, who writes, in every pass of the model."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from typing import TypeAlias

import numpy as np

from model.serving.records import Comparison, ServerRun, ServingRun, State
from viz.chart import Chart, Table, add_line, new_figure, number_axis, write_at
from viz.figure import Figure, Style
from viz.format import count, digits, duration, percent, plural
from viz.labels import name_lines, place_rows
from viz.palette import colour, sheer

ROW_HEIGHT, HALF = 13, 0.36  # pixels of a lane; of a lane, half the height of its bar
LOOKS: dict[State, tuple[str, str, str]] = {  # name, role and hatch of each state
    "waiting": ("waits", "rejected", "/"),
    "prefill": ("reads", "prompt", ""),
    "decode": ("writes", "generated", ""),
    "stalled": ("waits", "rejected", "/"),
    "held": ("idle", "muted", "."),
}
SECONDS, PASSES = "seconds", "passes"

Box: TypeAlias = tuple[int, float, float]  # its row, and from where to where it reaches


def lanes_figure(
    runs: Sequence[ServingRun],
    where: str,
    axis: str = SECONDS,
    top: float = 0.0,
    *,
    n_covered: int = 0,
) -> Chart:
    """Draws a lane for each request, the runs below each other over one axis.

    Args:
        runs: of the same requests.
        where: they were measured.
        axis: seconds or passes.
        top: that the axis reaches at least, as that of a figure beside it.
        n_covered: how many of the last runs have their names alone.
    """
    figure, labels, spans = new_figure(), list[str](), list[tuple[int, State, float, float]]()
    shown = runs[: len(runs) - n_covered]
    end = max(top, *(end_of(run, axis) for run in runs))
    for n, run in enumerate(runs):
        n_head = _n_head(run)
        first = len(labels) + n_head  # row of its first lane
        is_shown = n < len(shown)
        if is_shown:
            own = _spans(run, axis)
            spans += [(first + lane, state, start, stop) for lane, state, start, stop in own]
        labels += [""] * n_head + [str(n) for n in range(1, len(run.requests) + 1)]
        _write_head(figure, first - n_head, run, is_shown)
    for name, role, hatch in dict.fromkeys(LOOKS.values()):
        boxes = [(row, start, stop) for row, kind, start, stop in spans if LOOKS[kind][0] == name]
        add_boxes(figure, name, boxes, role, hatch)
    place_rows(figure, labels)
    figure.update_yaxes(
        range=[len(labels) - 0.5, -0.5], autorange=False
    )  # the covered ones have their room
    figure.update_yaxes(ticklabelstandoff=4, title={"text": "request", "standoff": 2})
    figure.update_xaxes(number_axis(end, axis, room=1.02))
    figure.update_xaxes(title={"standoff": 0})
    legend = {"itemwidth": 30}  # one line on a phone
    figure.update_layout(height=92 + ROW_HEIGHT * len(labels), legend=legend)
    told = " ".join(f"{_capital(run.policy.name)}: {_numbers(run)}" for run in shown)
    names = " and ".join(run.policy.name for run in runs)
    return Chart(figure, f"Lanes of {names}", f"Measured on {where}. {told}")


def _write_head(figure: Figure, row: int, run: ServingRun, is_shown: bool) -> None:
    """Writes a run's name and rate above its lanes, and below them by what else it differs."""
    side: Style = {"xanchor": "left", "xref": "paper"}
    rate, more = run_words(run) if is_shown else ("? tokens/s", "")
    write_at(figure, 0, row, f"<b>{_capital(run.policy.name)}: {rate}</b>", 15, **side)
    if more:
        write_at(figure, 0, row + 1, more, 12, **side)


def still_share(runs: Sequence[ServingRun], n_still: int) -> float:
    """Returns how much of the lanes' height those of the first runs take, down to the next head."""
    if not n_still:
        return 0.0
    ends = list(accumulate(_n_head(run) + len(run.requests) for run in runs))
    top, bottom = _n_head(runs[0]) - HALF, ends[-1] - 1 + HALF
    return (ends[n_still - 1] - top) / (bottom - top)


def _n_head(run: ServingRun) -> int:
    """Returns how many rows a run's name and numbers take."""
    return 2 if run_words(run)[1] else 1


def _capital(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"


def end_of(run: ServingRun, axis: str) -> float:
    """Returns where the lanes of a run end."""
    return float(len(run.passes)) if axis == PASSES else run.passes[-1].ended


def run_words(run: ServingRun) -> tuple[str, str]:
    """Writes a run's rate, and how often or how long its requests were held up, if they were."""
    rate, more = f"{digits(run.tokens_per_second)} tokens/s", ""
    stalls = [end - start for _, state, start, end in _spans(run, SECONDS) if state == "stalled"]
    if run.n_preempted:
        more = plural(run.n_preempted, "preemption")
    elif stalls:
        more = f"stops for up to {duration(max(stalls))} while a prompt is read"
    return rate, more


def _numbers(run: ServingRun) -> str:
    if run.policy.is_remote:
        return f"{plural(run.n_tokens, 'token')}."
    longest = max(one.seconds for one in run.passes if "prefill" in one.states)
    passes = plural(len(run.passes), "pass", "es")
    return f"{plural(run.n_tokens, 'token')} in {passes}, the longest prefill {duration(longest)}."


def _spans(run: ServingRun, axis: str) -> Iterator[tuple[int, State, float, float]]:
    """Yields the stretches of each lane: its row, what it did, from where to where."""
    for lane, request in enumerate(run.requests):
        seen = groupby(range(len(run.passes)), key=lambda n: run.passes[n].states[lane])
        since = request.arrives  # it waits from then on, until a pass takes it
        for state, group in seen:
            numbers = list(group)
            first, last = run.passes[numbers[0]], run.passes[numbers[-1]]
            if not state:
                continue
            if axis == PASSES:
                yield lane, state, numbers[0], numbers[-1] + 1
            elif state == "waiting":
                yield lane, state, min(since, first.started), last.ended
            else:
                if since < first.started:
                    yield lane, "waiting", since, first.started
                yield lane, state, first.started, last.ended
            since = last.ended


def add_boxes(figure: Figure, name: str, boxes: Sequence[Box], role: str, hatch: str = "") -> None:
    """Draws boxes as one path, filled or hatched: an element for each would be too many."""
    if not boxes:
        return
    x = [x for _, start, end in boxes for x in (start, end, end, start, start, None)]
    y: list[float | None] = []
    for row, _, _ in boxes:
        y += [row - HALF, row - HALF, row + HALF, row + HALF, row - HALF, None]
    tone = colour(role)
    look: Style = {"fill": "toself", "fillcolor": sheer(tone, 0.85)}
    if hatch:
        lines = {"shape": hatch, "fgcolor": tone, "bgcolor": "rgba(0,0,0,0)"}
        look["fillpattern"] = lines | {"size": 6, "solidity": 0.2}
    add_line(figure, name, x, y, tone, width=1, **look)


def server_figure(run: ServerRun, top: float) -> Chart:
    """Draws how many requests the server had in its batch, and how many in line.

    Args:
        run: as the server told it.
        top: seconds that the axis reaches, as that of the lanes above it.
    """
    figure = new_figure(240)
    figure.update_xaxes(number_axis(top, SECONDS, room=1.02))
    seconds = [moment.seconds for moment in run.moments]
    for name, role, counts in (
        ("running", "generated", [moment.n_running for moment in run.moments]),
        ("waiting", "rejected", [moment.n_waiting for moment in run.moments]),
    ):
        add_line(figure, name, seconds, counts, colour(role), shape="hv")
    most = max(max(moment.n_running, moment.n_waiting) for moment in run.moments)
    figure.update_yaxes(number_axis(max(most, 1), "requests"))
    name_lines(figure)
    caption = (
        "Measured by the server, of all its readers: its KV cache was at most "
        f"{percent(max(moment.cache_share for moment in run.moments))} full"
    )
    if run.n_asked:
        share = percent(run.n_hit / run.n_asked)
        caption += (
            f"; of {plural(run.n_asked, 'prompt token')} its prefix cache had {count(run.n_hit)}, "
            f"{share}"
        )
    return Chart(figure, "Requests on the server", f"{caption}.")


def runs_table(comparison: Comparison) -> Table:
    """Writes what each policy gave its readers, the requests alone last."""
    alone = () if comparison.alone is None else (comparison.alone,)
    return [_row(run) for run in (*comparison.runs, *alone) if run.n_tokens]


def _percentile(seconds: Sequence[float], percent: float) -> str:
    """Writes a percentile; a dash where nothing was measured."""
    return duration(float(np.percentile(seconds, percent))) if seconds else "–"


def _row(run: ServingRun) -> dict[str, object]:
    first, gaps = run.first_seconds, run.gaps
    return {
        "policy": run.policy.name,
        "tokens/s": digits(run.tokens_per_second),
        "TTFT p50": _percentile(first, 50),
        "TTFT p95": _percentile(first, 95),
        "ITL p50": _percentile(gaps, 50),
        "ITL p95": _percentile(gaps, 95),
        "passes": "–" if run.policy.is_remote else count(len(run.passes)),
        "preempted": "–" if run.policy.is_remote else count(run.n_preempted),
    }

"""Requests as lanes: who waits, who is read, who writes, in every pass of the model."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

import numpy as np

from model.serving.records import Comparison, Request, ServerRun, ServingRun, State
from viz.chart import Chart, Table, add_line, add_points, new_figure, number_axis, write_at
from viz.figure import Figure, Style
from viz.format import count, digits, duration, percent, plural
from viz.labels import name_lines, place_rows
from viz.palette import colour, sheer

ROW_HEIGHT, HALF = 16, 0.36  # pixels of a lane; of a lane, half the height of its bar
LOOKS: dict[State, tuple[str, str, str]] = {  # name, role and hatch of each state
    "waiting": ("waits", "rejected", "/"),
    "prefill": ("reads", "prompt", ""),
    "decode": ("writes", "generated", ""),
    "stalled": ("waits", "rejected", "/"),
    "held": ("done, keeps its slot", "muted", "."),
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
    numbers: list[tuple[int, str]] = []  # rows and words
    for n, run in enumerate(runs):
        first = len(labels) + 2  # row of its first lane, below its name and numbers
        is_shown = n < len(shown)
        if is_shown:
            own = _spans(run, axis)
            spans += [(first + lane, state, start, stop) for lane, state, start, stop in own]
        lanes = map(_lane_name, range(1, len(run.requests) + 1), run.requests)
        labels += ["", "", *lanes]
        side: Style = {"xanchor": "left", "xref": "paper"}
        write_at(figure, 0, first - 2, f"<b>{_capital(run.policy.name)}</b>", 15, **side)
        numbers.append((first - 1, run_words(run) if is_shown else "? tokens/s"))
    for name, role, hatch in dict.fromkeys(LOOKS.values()):
        boxes = [(row, start, stop) for row, kind, start, stop in spans if LOOKS[kind][0] == name]
        add_boxes(figure, name, boxes, role, hatch)
    _write_numbers(figure, end, numbers)
    place_rows(figure, labels)
    figure.update_yaxes(
        range=[len(labels) - 0.5, -0.5], autorange=False
    )  # the covered ones have their room
    figure.update_yaxes(ticklabelstandoff=8)
    figure.update_xaxes(number_axis(end, axis, room=1.02))
    figure.update_layout(height=100 + ROW_HEIGHT * len(labels))
    told = " ".join(f"{_capital(run.policy.name)}: {_numbers(run)}" for run in shown)
    names = " and ".join(run.policy.name for run in runs)
    return Chart(figure, f"Lanes of {names}", f"Measured on {where}. {told}")


def _write_numbers(figure: Figure, end: float, numbers: Sequence[tuple[int, str]]) -> None:
    """Writes the numbers of the runs among the lanes: lanes that fill come to them at their end."""
    rows, words = zip(*numbers, strict=True)
    more: Style = {"mode": "markers+text", "text": words, "textposition": "middle left"}
    more |= {"textfont": {"size": 14, "color": colour("ink")}, "cliponaxis": False}
    add_points(figure, "", [end] * len(rows), rows, {"size": 1, "opacity": 0}, **more)


def _lane_name(number: int, request: Request) -> str:
    return f"{number}: reads {len(request.prompt_ids)}, writes {request.n_out}"


def _capital(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"


def end_of(run: ServingRun, axis: str) -> float:
    """Returns where the lanes of a run end."""
    return float(len(run.passes)) if axis == PASSES else run.passes[-1].ended


def run_words(run: ServingRun) -> str:
    """Writes the numbers by which a run differs from the one beside it, few enough for a phone."""
    words = [f"{digits(run.tokens_per_second)} tokens/s"]
    stalls = [end - start for _, state, start, end in _spans(run, SECONDS) if state == "stalled"]
    if run.n_preempted:
        words.append(plural(run.n_preempted, "preemption"))
    elif stalls:
        words.append(f"stalled for up to {duration(max(stalls))}")
    return ", ".join(words)


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

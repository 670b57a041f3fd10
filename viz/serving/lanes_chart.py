"""Requests as lanes: who waits, who is read, who writes, in every pass of the model."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from typing import TypeAlias

import numpy as np

from model.serving.records import Comparison, ServerRun, ServingRun, State
from viz.chart import Chart, Table, add_line, new_figure, number_axis, write_at
from viz.figure import Figure, Style
from viz.format import THIN, count, digits, duration, in_full, percent, plural, round_steps
from viz.labels import name_lines, place_rows
from viz.palette import colour, sheer

ROW_HEIGHT, HALF = 17, 0.42  # pixels of a lane; of a lane, half the height of its bar
LOOKS: dict[State, tuple[str, str, str]] = {  # name, role and hatch of each state
    "waiting": ("waits", "rejected", "/"),
    "prefill": ("reads", "prompt", ""),
    "decode": ("writes", "generated", ""),
    "stalled": ("waits", "rejected", "/"),
    "held": ("idle", "muted", "."),
}
SECONDS, PASSES = "seconds", "passes"
LEFT: Style = {"xanchor": "left", "xref": "paper"}
RIGHT: Style = {"xanchor": "right", "xref": "paper"}

Box: TypeAlias = tuple[int, float, float]  # its row, and from where to where it reaches


def lanes_figure(
    runs: Sequence[ServingRun],
    where: str,
    axis: str = SECONDS,
    top: float = 0.0,
    *,
    n_covered: int = 0,
    compares: bool = False,
) -> Chart:
    """Draws a lane for each request, the runs below each other over one axis.

    Args:
        runs: of the same requests.
        where: they were measured.
        axis: seconds or passes.
        top: that the axis reaches at least, as that of a figure beside it.
        n_covered: how many of the last runs have their names alone.
        compares: whether the lanes of later runs say how much sooner or later than in the first
            their request has all of its tokens, in place of what else a run differs by.
    """
    figure, labels, spans = new_figure(), list[str](), list[tuple[int, State, float, float]]()
    heads = list[tuple[int, ServingRun, bool]]()  # row of the first lane, whose, and if it is shown
    shown = runs[: len(runs) - n_covered]
    end = max(top, *(end_of(run, axis) for run in runs))
    for n, run in enumerate(runs):
        n_head = _n_head(run, n, compares=compares)
        first = len(labels) + n_head  # row of its first lane
        is_shown = n < len(shown)
        if is_shown:
            own = _spans(run, axis)
            spans += [(first + lane, state, start, stop) for lane, state, start, stop in own]
        labels += [""] * n_head + [str(n) for n in range(1, len(run.requests) + 1)]
        heads.append((first, run, is_shown))
    for first, run, _ in heads:  # of all runs, before any number
        name = f"<b>{_capital(run.policy.name)}</b>"
        write_at(figure, 0, first - _n_title(run, compares=compares), name, 15, **LEFT)
    held = list[Box]()
    for first, run, is_shown in heads:
        if not is_shown:
            continue
        (rate, more), row = run_words(run), first - _n_title(run, compares=compares)
        write_at(figure, 1, row, f"<b>{rate}</b>", 15, **RIGHT)
        if more and not compares:
            write_at(figure, 0, first - 1, more, 14, **LEFT)
        if compares and run is not runs[0]:
            held += _write_gaps(figure, first, runs[0], run, axis)
    for name, role, hatch in dict.fromkeys(LOOKS.values()):
        boxes = [(row, start, stop) for row, kind, start, stop in spans if LOOKS[kind][0] == name]
        add_boxes(figure, name, boxes, role, hatch)
    for box in held:
        _outline(figure, box)
    place_rows(figure, labels)
    gap = heads[-1][0] - _n_head(runs[-1], len(runs) - 1, compares=compares)  # row of the empty one
    _lay_out(figure, len(labels), end, axis, gap if compares else None)
    told = " ".join(f"{_capital(run.policy.name)}: {_numbers(run)}" for run in shown)
    names = " and ".join(run.policy.name for run in runs)
    return Chart(figure, f"Lanes of {names}", f"Measured on {where}. {told}")


def _lay_out(figure: Figure, n_rows: int, end: float, axis: str, gap: int | None) -> None:
    """Lays out the axes; the legend stands above them, or in an empty row between two runs."""
    # the covered ones have their room
    figure.update_yaxes(range=[n_rows - 0.5, -0.5], autorange=False, ticklabelstandoff=4)
    room = 1.02 if gap is None else 1.12  # for the words behind the last lane, on a phone
    figure.update_xaxes(number_axis(end, "" if axis == SECONDS else axis, room=room))
    figure.update_xaxes(title={"standoff": 0})
    if axis == SECONDS:
        words = [f"{in_full(tick)}{THIN}s" if tick else "0" for tick in round_steps(end)]
        figure.update_xaxes(ticktext=words)
    legend: Style = {"itemwidth": 30}  # one line on a phone
    if gap is not None:
        legend |= {
            "y": 1 - (gap + 0.5) / n_rows,
            "yanchor": "middle",
            "x": 0.5,
            "xanchor": "center",
        }
    figure.update_layout(height=(70 if gap is None else 45) + ROW_HEIGHT * n_rows, legend=legend)


def _write_gaps(
    figure: Figure, first: int, before: ServingRun, after: ServingRun, axis: str
) -> list[Box]:
    """Writes at the end of each lane by how much its request is done sooner, or later, and why.

    Returns:
        What the reason is to be seen by: a wait, and what is read meanwhile.
    """
    boxes = list[Box]()
    ends = {lane: stop for lane, _, _, stop in _spans(after, axis)}
    gaps = gaps_between(before, after)
    why = next((lane for lane, gap in enumerate(gaps) if gap > 0), None)  # told once
    for lane, gap in enumerate(gaps):
        words = f"{_seconds(abs(gap))} {'later' if gap > 0 else 'sooner'}"
        shown = f"<b>{words}</b>" if gap > 0 else words
        if lane == why and (held := held_up(after, lane, axis)) is not None:
            reader, start, stop = held
            shown += f", as {reader + 1} is read"
            boxes = [(first + row, start, stop) for row in (lane, reader)]
        font = {"size": 14, "color": colour("error" if gap > 0 else "ink")}
        write_at(figure, ends[lane], first + lane, shown, xanchor="left", xshift=4, font=font)
    return boxes


def _seconds(seconds: float) -> str:
    """Writes a time in the unit of the axis, unless that would be none."""
    return f"{seconds:.2f}{THIN}s" if seconds >= 0.005 else duration(seconds)


def _outline(figure: Figure, box: Box) -> None:
    row, start, end = box
    low, high = row - HALF, row + HALF
    across, down = [start, end, end, start, start], [low, low, high, high, low]
    add_line(figure, "", across, down, colour("error"), width=3)


def held_up(run: ServingRun, lane: int, axis: str) -> tuple[int, float, float] | None:
    """Finds the longest stretch in which a lane stands still since another request is read.

    Returns:
        The lane of that request, and from where to where; None where nothing holds this one up.
    """
    spans = list(_spans(run, axis))
    stops = [
        (end - start, start, end)
        for n, state, start, end in spans
        if state == "stalled" and n == lane
    ]
    if not stops:
        return None
    _, start, end = max(stops)
    read = (n for n, state, begun, done in spans if state == "prefill" and start <= begun < end)
    reader = next(read, None)
    return None if reader is None else (reader, start, end)


def gaps_between(before: ServingRun, after: ServingRun) -> list[float]:
    """Returns by how many seconds later each request has its last token in the second run."""
    pairs = zip(before.outputs, after.outputs, strict=True)
    return [late.times[-1] - soon.times[-1] for soon, late in pairs]


def still_share(runs: Sequence[ServingRun], n_still: int, *, compares: bool = False) -> float:
    """Returns how much of the lanes' height those of the first runs take, down to the next head."""
    if not n_still:
        return 0.0
    heads = [_n_head(run, n, compares=compares) for n, run in enumerate(runs)]
    ends = list(accumulate(h + len(run.requests) for h, run in zip(heads, runs, strict=True)))
    top, bottom = heads[0] - HALF, ends[-1] - 1 + HALF
    return (ends[n_still - 1] - top) / (bottom - top)


def _n_title(run: ServingRun, *, compares: bool) -> int:
    """Returns how many rows a run's name and numbers take."""
    return 2 if run_words(run)[1] and not compares else 1


def _n_head(run: ServingRun, number: int, *, compares: bool) -> int:
    """Returns how many rows stand above a run's lanes: an empty one below those of another run."""
    return _n_title(run, compares=compares) + (number > 0)


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

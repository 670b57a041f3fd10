"""The two phases: what reading takes and what writing takes, request by request, gap by gap.

Prefill is drawn in the prompt's colour and decode in the generated text's, as everywhere.
"""

from collections.abc import Sequence
from itertools import accumulate

from model.prefill_decode.records import PhaseRun, RequestTiming, Timed
from viz.chart import (
    Chart,
    add_bars,
    add_line,
    empty_chart,
    filled,
    new_figure,
    number_axis,
    write_at,
)
from viz.figure import Figure, Style
from viz.format import count, digits, duration, plural
from viz.labels import name_lines, name_rows
from viz.palette import colour

PHASE_ROLES = {"prefill": "prompt", "decode": "generated"}
HEIGHT = 330  # pixels
BIG = 15  # pixels of what is read from the back row


def spread(timed: Timed) -> str:
    """Writes a median with how far the runs lie apart."""
    if timed.n == 1:
        return f"{duration(timed.median)} (one run)"
    return f"{duration(timed.median)} ({duration(timed.low)} to {duration(timed.high)})"


def typical(requests: Sequence[RequestTiming]) -> RequestTiming:
    """Returns the request whose total is the median, the longest ones alone compared."""
    longest = max(request.n_out for request in requests)
    whole = sorted((r for r in requests if r.n_out == longest), key=lambda r: r.seconds)
    return whole[(len(whole) - 1) // 2]


def pace_figure(run: PhaseRun, recorded: PhaseRun | None = None) -> Chart:
    """Draws the seconds that n tokens take, read and written; a recorded run behind, dotted."""
    if not run.readings:
        return empty_chart("No prompt has been read yet.")
    figure, last = new_figure(HEIGHT, "tokens"), run.readings[-1]
    tones = {phase: colour(role) for phase, role in PHASE_ROLES.items()}
    lengths = [reading.n_tokens for reading in run.readings]
    y, spreads = medians([reading.seconds for reading in run.readings])
    each = [duration(seconds / n) for seconds, n in zip(y, lengths, strict=True)]
    name, hover = (
        "reading a prompt: all in one pass",
        "%{x} tokens read in %{y:.3g} s, %{text} each",
    )
    look: Style = {"width": 3, "symbol": "circle", "text": each, "error_y": spreads}
    add_line(figure, name, lengths, y, tones["prefill"], hover=hover, **look)
    runs = f", median of {last.seconds.n}" if last.seconds.n > 1 else ""
    words = [f"{plural(last.n_tokens, 'token')} read in {spread(last.seconds)}{runs}"]
    written = _written(run)
    if written:
        name, hover = "writing an answer: one pass a token", "%{x} tokens written in %{y:.3g} s"
        look = {"width": 3.5, "dash": "dash", "hover": hover}
        add_line(figure, name, range(1, len(written) + 1), written, tones["decode"], **look)
        words.append(f"{plural(len(written), 'token')} written in {duration(written[-1])}")
    if recorded is not None:
        read = [reading.seconds.median for reading in recorded.readings]
        lengths = [reading.n_tokens for reading in recorded.readings]
        look = {"width": 2, "dash": "dot", "opacity": 0.7, "hover": "%{x} tokens: %{y:.3g} s"}
        add_line(figure, "reading, recorded", lengths, read, tones["prefill"], **look)
        behind = _written(recorded)
        places = range(1, len(behind) + 1)
        add_line(figure, "writing, recorded", places, behind, tones["decode"], **look)
        machine = recorded.machine
        words.append(f"dotted, {machine.model} as recorded on {machine.where}, {machine.date[:10]}")
    end = max([last.n_tokens, *(request.n_out for request in run.long_out)])
    figure.update_xaxes(range=[0, end * 1.02])
    figure.update_yaxes(number_axis(max([last.seconds.high, *written[-1:]]), "seconds"))
    name_lines(figure)
    caption = f"Measured on {run.machine.where}, by {run.engine}: {'; '.join(words)}."
    return Chart(figure, "Seconds against tokens, read and written", caption)


def _written(run: PhaseRun) -> list[float]:
    """Returns the seconds after which each further token of the second request was written."""
    return list(accumulate(typical(run.long_out).gaps)) if run.long_out else []


def medians(timed: Sequence[Timed], unit: float = 1.0) -> tuple[list[float], Style]:
    """Gives the medians, and describes bars from the quickest to the slowest run."""
    spreads = {
        "array": [unit * (runs.high - runs.median) for runs in timed],
        "arrayminus": [unit * (runs.median - runs.low) for runs in timed],
    }
    bars = {"type": "data", "symmetric": False, "thickness": 1.5, "width": 4, **spreads}
    return [unit * runs.median for runs in timed], bars


def phase_bars(
    names: Sequence[str], prefill: Sequence[float], decode: Sequence[float], words: str
) -> Figure:
    """Draws what reading and writing take of each request, in the unit that the axis names."""
    figure = new_figure()
    for name, phase, lengths, shape in (
        ("prefill: until the first token", "prefill", prefill, ""),
        ("decode: all tokens after it", "decode", decode, "/"),
    ):
        marker = filled(colour(PHASE_ROLES[phase]), shape=shape)
        add_bars(figure, name, names, lengths, hover="%{x:.3g}", width=0.55, marker=marker)
    top = max(sum(pair) for pair in zip(prefill, decode, strict=True))
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"})
    figure.update_xaxes(number_axis(top, words, room=1.18))
    name_rows(figure, names, BIG)
    return figure


def swap_figure(requests: Sequence[RequestTiming], where: str) -> Chart:
    """Draws two requests that swap what goes in and what comes out; much in comes first."""
    names = [f"<b>{count(r.n_in)} in</b>, {count(r.n_out)} out" for r in requests]
    first, later = [r.first_seconds for r in requests], [sum(r.gaps) for r in requests]
    figure = phase_bars(names, first, later, "seconds")
    for name, request in zip(names, requests, strict=True):
        total = f"<b>{duration(request.seconds)}</b>"
        write_at(figure, request.seconds, name, total, BIG + 1, xanchor="left", xshift=6)
    figure.update_layout(height=HEIGHT)
    caption = f"Measured on {where}. {swap_words(requests)}"
    return Chart(figure, "Two requests and their time", caption)


def swap_words(requests: Sequence[RequestTiming]) -> str:
    """Says what two requests took that swap what goes in and what comes out."""
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

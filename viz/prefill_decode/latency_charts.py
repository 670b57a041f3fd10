"""What a reader waits for: the first token, the gap before each other one, all of them in hand.

TTFT is from the request to the first token, ITL each gap after it, TPOT their mean: all by the
clock on the wall, until the id of a token is known.
"""

import math
from collections.abc import Sequence
from statistics import median

from model.prefill_decode.records import PhaseRun, RequestTiming
from viz.chart import Chart, Table, add_line, log_axis, new_figure, number_axis, write_at
from viz.figure import Figure, Style
from viz.format import count, digits, duration, percent, plural
from viz.labels import name_lines
from viz.palette import colour, sheer
from viz.prefill_decode.phase_charts import BIG, HEIGHT, spread, typical

MAX_STRETCHES = 60  # of gaps, each with its middle and its spread
FELT = 1.05  # times as long: less may be chance
WAYS = {
    "plain": "Launched kernel by kernel a step takes",
    "graph": "captured as one graph",
    "compiled": "compiled and captured",
}


def gaps_figure(request: RequestTiming, where: str) -> Chart:
    """Draws the wait for the first token, and the gap before each one after it."""
    figure = new_figure(HEIGHT, "token of the answer")
    gaps = [1000 * gap for gap in request.gaps]
    typical_gap, first = median(gaps), 1000 * request.first_seconds
    low, high = min(*gaps, first) / 2, 2 * max(*gaps, first)
    tone, name = colour("prompt"), f"first token (TTFT): {duration(request.first_seconds)}"
    marker: Style = {"size": [0, 11], "color": tone, "symbol": "circle"}
    look: Style = {"width": 4, "symbol": "circle", "marker": marker, "showlegend": False}
    hover = "after %{y:.3g} ms"
    add_line(figure, name, [1, 1], [low, first], tone, hover=hover, **look)
    beside: Style = {"xanchor": "left", "xshift": 9, "font": {"size": 12, "color": tone}}
    write_at(figure, 1, math.log10(first), name, **beside)
    _add_band(figure, gaps)
    name, ink = f"median gap: {duration(typical_gap / 1000)}", colour("ink")
    ends = [2, request.n_out]
    add_line(figure, name, ends, [typical_gap] * 2, ink, width=1.5, dash="dash")
    figure.update_xaxes(range=[0, request.n_out + 1])
    figure.update_yaxes(log_axis(low, high, "milliseconds"))
    name_lines(figure)
    slowest = quantile(request.gaps, 0.95)
    per_output = request.per_output or 0.0
    caption = (
        f"Measured on {where}: {count(request.n_in)} tokens in; 95 % of {plural(len(gaps), 'gap')} "
        f"under {duration(slowest)}; TPOT, (total − TTFT) ÷ (tokens − 1), {duration(per_output)}. "
        f"{_growth(request.gaps)}"
    )
    return Chart(figure, "The wait before each token", caption)


def _add_band(figure: Figure, gaps: Sequence[float]) -> None:
    """Draws the gaps as a band, from the tenth that is quickest to the tenth that is slowest.

    Each is the middle of those around it: one by one they are a fog in which nothing can be read.
    """
    size = max(1, -(-len(gaps) // MAX_STRETCHES))
    stretches = [gaps[i : i + size] for i in range(0, len(gaps), size)]
    places = [2 + size * i + (len(one) - 1) / 2 for i, one in enumerate(stretches)]
    tone = colour("generated")
    name, hover = "gap before each further token (ITL)", "about token %{x:.0f}: %{y:.3g} ms"
    middles = [median(one) for one in stretches]
    add_line(figure, name, places, middles, tone, width=2, hover=hover)
    low, high = ([quantile(one, share) for one in stretches] for share in (0.1, 0.9))
    add_line(figure, "", places, low, tone, width=0)
    band: Style = {"fill": "tonexty", "fillcolor": sheer(tone, 0.22)}
    add_line(figure, "of ten gaps, eight lie within", places, high, tone, width=0, **band)


def _growth(gaps: Sequence[float]) -> str:
    """Says whether gaps grew with the text, whose cache each pass reads."""
    quarter = len(gaps) // 4
    if quarter < 5:
        return ""
    early, late = median(gaps[:quarter]), median(gaps[-quarter:])
    grown = late > FELT * early
    return (
        f"Median of the first quarter {duration(early)}, of the last {duration(late)}: each pass "
        f"reads the cache, which grows{'' if grown else '; here that is not felt'}."
    )


def quantile(values: Sequence[float], fraction: float) -> float:
    """Returns the smallest value that at least this fraction of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]


def stream_figure(request: RequestTiming, where: str) -> Chart:
    """Draws how many tokens are in hand at each moment: streamed, and as a whole at the end."""
    figure = new_figure(HEIGHT, "seconds after the request")
    n_out, tone, at = request.n_out, colour("generated"), request.arrivals
    end = at[-1] * 1.04
    ground = {"fill": "tozeroy", "fillcolor": sheer(tone, 0.18)}
    x, y = [0, *at, end], [0, *range(1, n_out + 1), n_out]
    name, hover = "streamed: each token as it is ready", "%{y} tokens after %{x:.3g} s"
    add_line(figure, name, x, y, tone, width=3, shape="hv", hover=hover, **ground)
    x, y, ink = [0, at[-1], at[-1], end], [0, 0, n_out, n_out], colour("ink")
    add_line(figure, "the whole: all tokens at the end", x, y, ink, width=2, dash="dash")
    words = f"<b>first token: {duration(request.first_seconds)}</b>"
    # above the curve, where there is room at any width
    arrow: Style = {"showarrow": True, "arrowcolor": colour("muted"), "xanchor": "left"}
    arrow |= {"axref": "x", "ayref": "y", "ax": 0.02 * end, "ay": n_out}
    write_at(figure, request.first_seconds, 1, words, BIG, **arrow)
    figure.update_xaxes(range=[0, end])
    figure.update_yaxes(number_axis(n_out, "tokens in hand"))
    name_lines(figure)
    caption = (
        f"Measured on {where}: {plural(request.n_out, 'token')} from a prompt of "
        f"{count(request.n_in)}; the first was ready after {duration(request.first_seconds)}, the "
        f"last after {duration(request.seconds)}. Streaming makes nothing faster: it hands over "
        f"early, here {digits(request.seconds / request.first_seconds, 2)} times as early."
    )
    return Chart(figure, "Tokens in hand against time", caption)


def phase_rows(run: PhaseRun) -> list[tuple[str, str, str]]:
    """Writes the table of both phases, once both were seen: what a row is of, prefill, decode."""
    reading, request = run.readings[-1], typical(run.long_out)
    n_tokens, seconds, gap = reading.n_tokens, reading.seconds, median(request.gaps)
    each, late = seconds.median / n_tokens, duration(quantile(request.gaps, 0.95))
    return [
        ("reads", f"all {plural(n_tokens, 'token')} at once", "the newest token alone"),
        ("passes", "1", "1 for each token"),
        ("one pass", spread(seconds), f"{duration(gap)} with its choice, 95 % under {late}"),
        ("one token", f"**{duration(each)}**", f"**{duration(gap)}**"),
        ("tokens a second", f"**{digits(1 / each)}**", f"**{digits(1 / gap)}**"),
        ("the weights are read", f"once for {plural(n_tokens, 'token')}", "once for each token"),
        ("determines", "time to first token", "time between tokens"),
    ]


def phase_ratio(run: PhaseRun) -> float:
    """Returns how many times more a written token takes than one read, once both were seen."""
    reading, request = run.readings[-1], typical(run.long_out)
    return median(request.gaps) / (reading.seconds.median / reading.n_tokens)


def trial_rows(run: PhaseRun) -> Table:
    """Writes what each way of carrying out a step took, its warm-up apart."""
    return [
        {
            "way": trial.way,
            "a step": "" if trial.step_seconds is None else duration(trial.step_seconds),
            "warm-up": "" if trial.step_seconds is None else duration(trial.warmup_seconds),
            "largest gap of logits": "" if trial.gap is None else f"{trial.gap:.1e}",
            "why not": trial.reason,
        }
        for trial in run.trials
    ]


def launch_words(run: PhaseRun) -> str:
    """Says what launching every kernel by itself costs; nothing where no other way ran."""
    steps = {t.way: t.step_seconds for t in run.trials if t.step_seconds is not None}
    plain, graph = steps.get("plain"), steps.get("graph")
    words = [f"{how} {duration(steps[way])}" for way, how in WAYS.items() if way in steps]
    if plain is None or len(words) < 2:
        return ""
    said = ", ".join(words)
    if graph is None or graph >= plain:
        return f"{said}."
    return f"{said}: {percent(1 - graph / plain)} of the first went into launching."

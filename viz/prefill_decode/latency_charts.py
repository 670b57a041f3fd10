"""What a reader waits for: the first token, the gap before each other one, all of them in hand.

TTFT is from the request to the first token, ITL each gap after it, TPOT their mean: all by the
clock on the wall, until the id of a token is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from statistics import median

import pandas as pd

from model.prefill_decode.records import PhaseRun, Request
from viz.chart import Chart, new_figure, sheer
from viz.format import count, digits, duration, log_ticks, percent, plural, round_steps
from viz.palette import Theme, colour
from viz.prefill_decode.phase_charts import BIG, HEIGHT, spread, typical
from viz.strip import element

FELT = 1.05  # times as long: less may be chance


def gaps_figure(request: Request, where: str, theme: Theme = "light") -> Chart:
    """Draws the wait for the first token, and the gap before each one after it."""
    figure = new_figure(theme)
    gaps = [1000 * gap for gap in request.gaps]
    typical_gap, first = median(gaps), 1000 * request.first_seconds
    figure.add_scatter(
        x=[1, 1],
        y=[min(min(gaps), first) / 2, first],
        mode="lines+markers",
        line={"color": colour("prompt", theme), "width": 4},
        marker={"size": [0, 11], "color": colour("prompt", theme)},
        name=f"first token (TTFT): {duration(request.first_seconds)}",
        hovertemplate="first token after %{y:.3g} ms<extra></extra>",
    )
    figure.add_scatter(
        x=list(range(2, request.n_out + 1)),
        y=gaps,
        mode="markers" if len(gaps) < 400 else "lines",
        line={"color": colour("generated", theme), "width": 1},
        marker={"size": 5, "color": colour("generated", theme), "symbol": "diamond"},
        name="gap before each further token (ITL)",
        hovertemplate="token %{x}: %{y:.3g} ms<extra></extra>",
    )
    figure.add_scatter(
        x=[2, request.n_out],
        y=[typical_gap, typical_gap],
        mode="lines",
        line={"color": colour("ink", theme), "width": 1.5, "dash": "dash"},
        name=f"median gap: {duration(typical_gap / 1000)}",
        hoverinfo="skip",
    )
    figure.update_layout(height=HEIGHT)
    figure.update_xaxes(title_text="token of the answer", range=[0, request.n_out + 1])
    ticks, labels = log_ticks(min(gaps) / 2, 2 * max(first, *gaps))
    figure.update_yaxes(
        type="log", title_text="milliseconds", tickvals=ticks, ticktext=labels, rangemode="normal"
    )
    slowest = quantile(request.gaps, 0.95)
    per_output = request.per_output or 0.0
    caption = (
        f"Measured on {where}: {count(request.n_in)} tokens in, TTFT "
        f"{duration(request.first_seconds)}; {plural(len(gaps), 'gap')}, median "
        f"{duration(typical_gap / 1000)}, 95 % of them under {duration(slowest)}; TPOT, (total − "
        f"TTFT) ÷ (tokens − 1), {duration(per_output)}. {_growth(request.gaps)}"
    )
    return Chart(figure, caption, f"The wait before each token. {caption}")


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


def stream_figure(request: Request, where: str, theme: Theme = "light") -> Chart:
    """Draws how many tokens are in hand at each moment: streamed, and as a whole at the end."""
    figure = new_figure(theme)
    at = list(accumulate(request.gaps, initial=request.first_seconds))
    tone = colour("generated", theme)
    figure.add_scatter(
        x=[0, *at, at[-1] * 1.04],
        y=[0, *range(1, request.n_out + 1), request.n_out],
        mode="lines",
        line={"shape": "hv", "color": tone, "width": 3},
        fill="tozeroy",
        fillcolor=sheer(tone).replace("0.6", "0.18"),
        name="streamed: each token as it is ready",
        hovertemplate="%{y} tokens after %{x:.3g} s<extra></extra>",
    )
    figure.add_scatter(
        x=[0, at[-1], at[-1], at[-1] * 1.04],
        y=[0, 0, request.n_out, request.n_out],
        mode="lines",
        line={"color": colour("ink", theme), "width": 2, "dash": "dash"},
        name="the whole: all tokens at the end",
        hoverinfo="skip",
    )
    figure.add_annotation(
        x=request.first_seconds,
        y=1,
        text=f"<b>first token: {duration(request.first_seconds)}</b>",
        showarrow=True,
        arrowcolor=colour("muted", theme),
        ax=70,
        ay=-46,
        font={"size": BIG, "color": colour("ink", theme)},
    )
    ticks = round_steps(request.n_out)
    figure.update_layout(height=HEIGHT)
    figure.update_xaxes(title_text="seconds after the request", range=[0, at[-1] * 1.04])
    figure.update_yaxes(title_text="tokens in hand", tickvals=ticks, range=[0, 1.05 * ticks[-1]])
    caption = (
        f"Measured on {where}: {plural(request.n_out, 'token')} from a prompt of "
        f"{count(request.n_in)}; the first was ready after {duration(request.first_seconds)}, the "
        f"last after {duration(request.seconds)}. Streaming makes nothing faster: it hands over "
        f"early, here {digits(request.seconds / request.first_seconds, 2)} times as early."
    )
    return Chart(figure, caption, f"Tokens in hand against time. {caption}")


def phase_rows(run: PhaseRun) -> list[tuple[str, str, str]]:
    """Writes the table of the two phases: what each row is of, prefill, decode."""
    if not run.readings or not any(request.gaps for request in run.long_out):
        return []
    reading, request = run.readings[-1], typical(run.long_out)
    n_tokens, seconds, gap = reading.n_tokens, reading.seconds, median(request.gaps)
    each = seconds.median / n_tokens
    return [
        ("reads", f"all {plural(n_tokens, 'token')} at once", "the newest token alone"),
        ("passes", "1", "1 for each token"),
        ("one pass", spread(seconds), f"{duration(gap)} with its choice, {_late(request)}"),
        ("one token", element("b", duration(each)), element("b", duration(gap))),
        ("tokens a second", element("b", digits(1 / each)), element("b", digits(1 / gap))),
        ("the weights are read", f"once for {plural(n_tokens, 'token')}", "once for each token"),
        ("determines", "time to first token", "time between tokens"),
    ]


def _late(request: Request) -> str:
    return f"95 % under {duration(quantile(request.gaps, 0.95))}"


def phase_ratio(run: PhaseRun) -> float:
    """Returns how many times more a written token takes than one that is read.

    Args:
        run: With a reading, and with an answer of two tokens or more.
    """
    reading, request = run.readings[-1], typical(run.long_out)
    return median(request.gaps) / (reading.seconds.median / reading.n_tokens)


def trial_rows(run: PhaseRun) -> pd.DataFrame:
    """Writes what each way of carrying out a step took, its warm-up apart."""
    rows = [
        (
            trial.way,
            "" if trial.step_seconds is None else duration(trial.step_seconds),
            duration(trial.warmup_seconds) if trial.step_seconds is not None else "",
            "" if trial.gap is None else f"{trial.gap:.1e}",
            trial.reason,
        )
        for trial in run.trials
    ]
    names = ["way", "a step", "warm-up", "largest gap of logits", "why not"]
    return pd.DataFrame(rows, columns=names)


def launch_words(run: PhaseRun) -> str:
    """Says what launching every kernel by itself costs; nothing where no other way ran."""
    steps = {t.way: t.step_seconds for t in run.trials if t.step_seconds is not None}
    plain, graph, compiled = (steps.get(way) for way in ("plain", "graph", "compiled"))
    if plain is None or (graph is None and compiled is None):
        return ""
    words = [f"Launched kernel by kernel a step takes {duration(plain)}"]
    if graph is not None:
        words.append(f"captured as one graph {duration(graph)}")
    if compiled is not None:
        words.append(f"compiled and captured {duration(compiled)}")
    said = ", ".join(words)
    if graph is None or graph >= plain:
        return f"{said}."
    return f"{said}: {percent(1 - graph / plain)} of the first went into launching."

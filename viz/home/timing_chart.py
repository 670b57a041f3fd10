"""Seconds of every pass: prefill first, then one decode pass for every token.

Prefill reads all tokens of the prompt at once, decode one token a pass; the caption puts both on
one scale, seconds per token. A median of few passes says how few.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from viz.chart import AnyPass, Chart, add_columns, empty_chart, new_figure
from viz.format import count, duration, plural, round_steps
from viz.palette import Theme, colour

NOTHING_YET = "No pass has been timed yet."
FEW = 5  # passes below which a median says little


def timing_figure(passes: Sequence[AnyPass], theme: Theme = "light", where: str = "") -> Chart:
    """Draws the milliseconds of each pass, and the median of the decode passes.

    Args:
        passes: Steps, or passes, in the order of the text.
        theme: Light or dark.
        where: Device and number format, such as "cpu, float32"; the caption names them.
    """
    if not passes:
        return empty_chart(theme, NOTHING_YET)
    heights = [1000 * run.seconds for run in passes]
    spans = [(i - 0.45, i + 0.45) for i in range(len(passes))]
    decodes = [run.seconds for run in passes if run.phase == "decode"]
    figure = new_figure(theme)
    names = {"prefill": _prefill_words(passes), "decode": "decode: one token a pass"}
    if len(decodes) > 1:
        names["decode"] = f"decode: median {duration(median(decodes))} (dashed)"
    add_columns(figure, passes, spans, heights, names, theme)
    if len(decodes) > 1:
        first = next(i for i, run in enumerate(passes) if run.phase == "decode")
        typical = 1000 * median(decodes)
        figure.add_scatter(
            x=[first - 0.45, len(passes) - 0.55],
            y=[typical, typical],
            mode="lines",
            line={"color": colour("ink", theme), "width": 1.5, "dash": "dash"},
            hoverinfo="skip",
            showlegend=False,
        )
    ticks = round_steps(max(heights))
    n_shown = max(len(passes), FEW)  # so that a first pass is a column, not a wall
    every = max(1, round(round_steps(n_shown, 8)[1]))
    figure.update_xaxes(title_text="pass", range=[-0.6, n_shown - 0.4], dtick=every, tick0=0)
    figure.update_yaxes(
        title_text="milliseconds", tickvals=ticks, range=[0, 1.06 * ticks[-1] or 1.0]
    )
    caption = _caption(passes, decodes, where)
    alt = f"Time of each of {plural(len(passes), 'pass', 'es')}. {caption}"
    return Chart(figure, caption, alt)


def _prefill_words(passes: Sequence[AnyPass]) -> str:
    """Says what prefill cost, and what that is for one token."""
    first = next((run for run in passes if run.phase == "prefill"), None)
    if first is None:
        return "prefill: before these passes"
    words = f"prefill: {plural(first.n_input, 'token')} in {duration(first.seconds)}"
    if first.n_input == 1:
        return words
    return f"{words}, {duration(first.seconds / first.n_input)} a token"


def _decode_words(decodes: Sequence[float]) -> str:
    """Says what a decoded token cost, and of how many that is the median."""
    if not decodes:
        return "decode: no pass yet"
    if len(decodes) == 1:
        return f"decode: {duration(decodes[0])}, one pass so far"
    few = ", too few to be sure of" if len(decodes) < FEW else ""
    return f"decode: {duration(median(decodes))} a token, median of {count(len(decodes))}{few}"


def _caption(passes: Sequence[AnyPass], decodes: Sequence[float], where: str) -> str:
    parts = [_prefill_words(passes), _decode_words(decodes)]
    n_again = sum(run.phase == "prefill" for run in passes[1:])
    if passes[-1].cache_tokens == 0:
        parts.append("this model keeps no cache, so every pass reads the whole text")
    elif n_again:
        parts.append(f"the cache was filled again {plural(n_again, 'time')}")
    told = f"Measured on {where}" if where else "Measured"
    return f"{told}: {'; '.join(parts)}."

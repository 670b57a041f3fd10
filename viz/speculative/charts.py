"""Figures of speculative decoding: both distributions, acceptance, the arithmetic, the speed-up.

The draft is drawn open and dashed, the target filled, both in the colour of what models write; what
is predicted is a line, what was measured a mark. Knows numbers and names, not how they were made.
"""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from model.speculative.records import (
    FORCED_LENGTH,
    Bar,
    DraftReport,
    RoundCost,
    Speed,
    SpeedReport,
)
from viz.chart import Chart, new_figure
from viz.format import count, digits, duration, percent, plural, round_steps
from viz.labels import plain
from viz.palette import Theme, colour

DASHES = ("solid", "dash", "dot", "dashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up")
MIN_TESTED = 5  # tokens at a place whose acceptance is drawn


def distributions_figure(
    bars: Sequence[Bar],
    rest: tuple[float, float, float],
    theme: Theme = "light",
    *,
    has_draft: bool = True,
    is_rejected: bool = False,
) -> Chart:
    """Draws what both models say of one position, and what the draft leaves of the target's.

    Args:
        bars: The likeliest tokens.
        rest: Target, draft and residual of all other tokens.
        theme: Light or dark.
        has_draft: Whether the draft was asked here.
        is_rejected: Whether the target drew from the residual here.
    """
    figure = new_figure(theme)
    names = [plain(bar.label, 16) + _marks(bar) for bar in bars]
    others = sum(rest) > 0
    if others:
        names.append("all other tokens")
    places = list(range(len(names)))
    tone = colour("generated", theme)
    series: list[tuple[str, int, dict[str, object], list[float]]] = [
        ("target", 0, {"color": tone}, [bar.target_prob for bar in bars])
    ]
    if has_draft:
        open_bar: dict[str, object] = {
            "color": "rgba(0,0,0,0)",
            "line": {"color": tone, "width": 1.5},
        }
        series.insert(0, ("draft", 1, open_bar, [bar.draft_prob for bar in bars]))
        left: dict[str, object] = {"color": colour("kept", theme)}
        series.append(("residual", 2, left, [b.residual_prob for b in bars]))
    for name, column, marker, values in series:
        shown = [*values, rest[column]] if others else values
        figure.add_bar(
            x=shown,
            y=places,
            orientation="h",
            name=name,
            marker=marker,
            text=[f"{value:.2f}" if value >= 0.005 else "" for value in shown],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{x:.4f}<extra>" + name + "</extra>",
        )
    top = max([*(max(b.target_prob, b.draft_prob, b.residual_prob) for b in bars), *rest])
    figure.update_xaxes(title_text="probability", range=[0, min(1.12, 1.18 * top)])
    figure.update_yaxes(
        tickvals=places,
        ticktext=names,
        tickfont={"size": 14, "color": colour("ink", theme)},
        autorange="reversed",
        showgrid=False,
        rangemode="normal",
    )
    figure.update_layout(barmode="group", bargap=0.25, height=90 + 52 * len(names))
    said = _said(has_draft, is_rejected)
    return Chart(figure, said, f"What both models say of one position. {said}")


def _said(has_draft: bool, is_rejected: bool) -> str:
    if not has_draft:
        return "Measured: the target’s own distribution after the masks; nothing was drafted here."
    said = (
        "Measured: both distributions after the same masks. Where the draft gives a token more "
        "than the target does, it is accepted only with the ratio of the two; what the target has "
        "beyond the draft is the residual."
    )
    return (
        f"{said} The draft token was rejected: the next one was drawn from the residual."
        if is_rejected
        else said
    )


def _marks(bar: Bar) -> str:
    words = ["drafted"] * bar.is_proposed + ["drawn"] * bar.is_drawn
    return f"  ({', '.join(words)})" if words else ""


def acceptance_figure(reports: Sequence[DraftReport], theme: Theme = "light") -> Chart:
    """Draws, for each draft, how many of the tested tokens were accepted, by place."""
    figure = new_figure(theme)
    for index, report in enumerate(reports):
        n_tested, rates = report.acceptance.n_tested, report.acceptance.by_place
        places = [i for i, n in enumerate(n_tested) if n >= MIN_TESTED]
        tone = colour("generated" if index == 0 else "muted", theme)
        figure.add_scatter(
            x=[place + 1 for place in places],
            y=[100 * rates[place] for place in places],
            mode="lines+markers",
            name=f"{report.name}: {percent(report.acceptance.rate)}",
            line={"color": tone, "width": 2.5, "dash": DASHES[index % 4]},
            marker={"symbol": SYMBOLS[index % 4], "size": 9},
            customdata=[n_tested[place] for place in places],
            hovertemplate="token %{x}: %{y:.1f} % of %{customdata}<extra></extra>",
        )
    figure.update_xaxes(title_text="place of the token in its round", dtick=1)
    figure.update_yaxes(title_text="accepted of those tested, %", range=[0, 105])
    best = max(reports, key=lambda one: one.acceptance.rate)
    caption = (
        f"Measured: {best.name} is accepted most often, {percent(best.acceptance.rate)} of "
        f"{count(sum(best.acceptance.n_tested))} tested tokens; that gives "
        f"{digits(best.n_tokens / best.n_rounds)} tokens for each pass of the target. A token is "
        "tested where all before it in its round were accepted; places with fewer than five are "
        "left out."
    )
    return Chart(figure, caption, f"Acceptance by place. {caption}")


def speed_figure(report: SpeedReport, where: str, theme: Theme = "light") -> Chart:
    """Draws the speed-up of every draft length: measured, predicted, and by the textbook."""
    fixed = [(one.n_draft, one) for one in report.speeds if one.n_draft is not None]
    lengths = [length for length, _ in fixed]
    adaptive = [one.measured for one in report.speeds if one.n_draft is None]
    figure = new_figure(theme)
    ink, tone = colour("muted", theme), colour("generated", theme)
    for name, curve, dash, shade in (
        ("textbook formula", [one.textbook for _, one in fixed], "dot", ink),
        ("predicted from the parts", [one.predicted for _, one in fixed], "dash", tone),
    ):
        figure.add_scatter(
            x=lengths,
            y=curve,
            mode="lines",
            name=name,
            line={"color": shade, "width": 2.5, "dash": dash},
            hovertemplate="%{x} draft tokens: %{y:.2f}<extra>" + name + "</extra>",
        )
    measured = [one.measured for _, one in fixed]
    # away from the line, so that it crosses no number
    sides = ["bottom" if one.measured < (one.predicted or 0) else "top" for _, one in fixed]
    _add_marks(figure, "measured", lengths, measured, tone, positions=sides)
    last = lengths[-1] + len(adaptive)
    _add_marks(figure, "measured, adaptive", [last] * len(adaptive), adaptive, tone, "square")
    if report.extremes:
        best, worst = report.extremes
        figure.add_scatter(
            x=[FORCED_LENGTH, FORCED_LENGTH],
            y=[best, worst],
            mode="markers+text",
            text=[f"all accepted {best:.2f}", f"none accepted {worst:.2f}"],
            textposition="middle right",
            marker={"size": 11, "symbol": "x", "color": colour("ink", theme)},
            name="measured, best and worst case",
            hovertemplate="%{text}<extra></extra>",
        )
    figure.add_hline(y=1, line={"color": colour("ink", theme), "width": 1})
    figure.update_xaxes(
        title_text="draft tokens per round",
        tickvals=[*lengths, *[last] * len(adaptive)],
        ticktext=[*map(str, lengths), *["adaptive"] * len(adaptive)],
    )
    top = max(
        *measured, *adaptive, *(one.textbook or 0 for _, one in fixed), *report.extremes or ()
    )
    figure.update_yaxes(
        title_text="times as fast as plain decoding", range=[0, 1.15 * top], rangemode="tozero"
    )
    figure.update_layout(height=380)
    caption = _speed_words(report.speeds, where)
    return Chart(figure, caption, f"Speed-up by draft length. {caption}")


def _add_marks(
    figure: go.Figure,
    name: str,
    lengths: Sequence[int],
    values: Sequence[float],
    tone: str,
    symbol: str = "circle",
    positions: Sequence[str] = ("top",),
) -> None:
    """Marks what was measured, each with its number."""
    if values:
        figure.add_scatter(
            x=list(lengths),
            y=list(values),
            mode="markers+text",
            name=name,
            text=[f"{value:.2f}" for value in values],
            textposition=[f"{position} center" for position in positions],
            marker={"size": 12, "symbol": symbol, "color": tone},
            hovertemplate="%{x} draft tokens: %{y:.2f}<extra>" + name + "</extra>",
        )


def _speed_words(speeds: Sequence[Speed], where: str) -> str:
    best = max(speeds, key=lambda one: one.measured)
    length = "an adaptive draft" if best.n_draft is None else plural(best.n_draft, "draft token")
    fixed = [one for one in speeds if one.n_draft is not None]
    near = min(fixed, key=lambda one: abs(one.measured - best.measured))
    off = (near.predicted or 0) / near.measured - 1
    return (
        f"Measured on {where}, greedy: with {length} per round, decoding is {best.measured:.2f} "
        f"times as fast as plain decoding, {digits(best.tokens_per_round)} tokens for each pass of "
        f"the target. Derived: at {plural(near.n_draft or 0, 'draft token')} the measured parts "
        f"predict {near.predicted or 0:.2f}, {abs(off) * 100:.0f} % "
        f"{'above' if off > 0 else 'below'} what was measured."
    )


def round_figure(cost: RoundCost, where: str, theme: Theme = "light") -> Chart:
    """Draws one round beside the target steps that would write as many tokens, as time."""
    figure = new_figure(theme)
    tone, milli = colour("generated", theme), 1000.0
    rows = ["as many by target steps", "one round"]
    draft = {"color": "rgba(0,0,0,0)", "line": {"color": tone, "width": 1.5}}
    filled = {"color": tone, "line": {"color": colour("paper", theme), "width": 1.5}}
    for step in range(cost.n_draft):
        _piece(figure, rows[1], milli * cost.draft_seconds, draft, "draft step", step == 0)
    _piece(figure, rows[1], milli * cost.verify_seconds, filled, "target pass", True)
    if cost.overhead_seconds:
        grey = {"color": colour("rejected", theme)}
        _piece(figure, rows[1], milli * cost.overhead_seconds, grey, "between the passes", True)
    for _ in range(cost.n_draft + 1):
        _piece(figure, rows[0], milli * cost.target_seconds, filled, "target pass", False)
    plain = (cost.n_draft + 1) * cost.target_seconds
    if cost.tokens_per_round is not None:
        average = milli * cost.tokens_per_round * cost.target_seconds
        figure.add_annotation(
            x=average,
            y=rows[0],
            text=f"{cost.tokens_per_round:.2f} tokens: what a round gives on average",
            ay=-44,
            ax=0,
            yshift=22,
            arrowcolor=colour("ink", theme),
            font={"size": 13, "color": colour("ink", theme)},
        )
    ticks = round_steps(milli * max(cost.seconds, plain), 6)
    figure.update_xaxes(title_text="milliseconds", tickvals=ticks, range=[0, 1.02 * ticks[-1]])
    figure.update_yaxes(showgrid=False, rangemode="normal", tickfont={"size": 14})
    figure.update_layout(barmode="stack", height=280, bargap=0.55)
    source = (
        f"Measured on {where}"
        if cost.tokens_per_round is not None
        else "Illustrative, no model was run"
    )
    caption = (
        f"{source}: {plural(cost.n_draft, 'draft step')} of {duration(cost.draft_seconds)} and one "
        f"target pass over {plural(cost.n_draft + 1, 'token')} of "
        f"{duration(cost.verify_seconds)} make {duration(cost.seconds)} a round; at best, with the "
        f"bonus, it gives {plural(cost.n_draft + 1, 'token')}, for which the target alone takes "
        f"{duration(plain)}: {digits(plain / cost.seconds)} to 1. If every draft token is rejected "
        f"it gives 1 token: {digits(cost.target_seconds / cost.seconds, 2)} to 1."
    )
    return Chart(figure, caption, f"The arithmetic of a round. {caption}")


def _piece(
    figure: go.Figure, row: str, width: float, marker: object, name: str, in_legend: bool
) -> None:
    figure.add_bar(
        x=[width],
        y=[row],
        orientation="h",
        marker=marker,
        name=name,
        legendgroup=name,
        showlegend=in_legend,
        hovertemplate="%{x:.2f} ms<extra>" + name + "</extra>",
    )

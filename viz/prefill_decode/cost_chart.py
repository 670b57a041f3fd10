"""What tokens cost: per million in and out, one request in two parts, and a pass against a loop.

Prices are derived from measured times and a price that the reader types; they have no currency.
"""

from __future__ import annotations

import plotly.graph_objects as go

from model.prefill_decode.records import Prices, Scoring
from viz.chart import Chart, add_lying_bar, filled, new_figure, sheer
from viz.format import count, digits, duration, percent, plural, round_steps
from viz.labels import plain
from viz.palette import Theme, colour
from viz.prefill_decode.phase_charts import spread


def price_figure(prices: Prices, note: str, theme: Theme = "light") -> Chart:
    """Draws the price of a million tokens, read and written."""
    figure = new_figure(theme)
    for name, price, role in (
        ("a million tokens in", prices.per_million_in, "prompt"),
        ("a million tokens out", prices.per_million_out, "generated"),
    ):
        add_lying_bar(figure, name, price, digits(price), colour(role, theme), size=16)
    _bars(figure, max(prices.per_million_in, prices.per_million_out), "price", theme)
    shared = (
        f", {plural(prices.n_batch, 'sequence')} sharing each step" if prices.n_batch > 1 else ""
    )
    caption = (
        f"Derived: price per hour ÷ 3600 × seconds of a token × 1 000 000{shared}. An output token "
        f"costs {digits(prices.ratio, 2)} input tokens. {note}"
    )
    return Chart(figure, caption, f"Price of a million tokens. {caption}")


def request_figure(
    rows: list[tuple[str, float, float]], saved: float, theme: Theme = "light"
) -> Chart:
    """Draws what a request costs, reading and writing apart, without and with a budget.

    Args:
        rows: Name, price of the prompt, price of the answer.
        saved: Fraction that the last row saves of the first.
        theme: Light or dark.
    """
    figure = new_figure(theme)
    parts = (("prompt", "reading the prompt", 1, ""), ("generated", "writing the answer", 2, "/"))
    for role, name, column, shape in parts:
        tone = colour(role, theme)
        figure.add_bar(
            y=[row[0] for row in rows],
            x=[row[column] for row in rows],
            orientation="h",
            width=0.55,
            name=name,
            marker=filled(tone, shape=shape),
            hovertemplate="%{x:.3g}<extra>" + name + "</extra>",
        )
    top = max(row[1] + row[2] for row in rows)
    _bars(figure, top, "price of a thousand requests", theme)
    figure.update_layout(barmode="stack", showlegend=True, height=260, legend_traceorder="normal")
    caption = f"Derived from the prices beside it: the budget saves {percent(saved)} of a request."
    return Chart(figure, caption, f"Price of a thousand requests. {caption}")


def scoring_figure(scoring: Scoring, where: str, theme: Theme = "light") -> Chart:
    """Draws the time of one vector, one scoring pass, and an answer that was written."""
    written = scoring.written
    rows = (
        ("one vector: one pass", scoring.vector_seconds.median, "prompt"),
        (
            f"{plural(len(scoring.choices), 'choice')} scored: one pass",
            scoring.score_seconds.median,
            "prompt",
        ),
        (f"{plural(written.n_out, 'token')} written", written.seconds, "generated"),
    )
    figure = new_figure(theme)
    for name, seconds, role in rows:
        add_lying_bar(figure, name, 1000 * seconds, duration(seconds), colour(role, theme))
    _bars(figure, max(1000 * seconds for _, seconds, _ in rows), "milliseconds", theme)
    figure.update_layout(height=240)
    caption = (
        f"Measured on {where}, a prompt of {plural(scoring.n_prompt, 'token')}: a vector of "
        f"{count(scoring.vector_size)} numbers {spread(scoring.vector_seconds)}, the scores "
        f"{spread(scoring.score_seconds)}, the written answer {duration(written.seconds)}, "
        f"{digits(written.seconds / scoring.score_seconds.median, 2)} times the scoring pass."
    )
    return Chart(figure, caption, f"A pass against a loop. {caption}")


def choices_figure(scoring: Scoring, theme: Theme = "light") -> Chart:
    """Draws how likely the model finds each choice, among the choices."""
    figure = new_figure(theme)
    ranked = sorted(scoring.choices, key=lambda choice: -choice.share)
    tone = colour("kept", theme)
    figure.add_bar(
        y=[plain(choice.text) for choice in ranked],
        x=[100 * choice.share for choice in ranked],
        orientation="h",
        width=0.55,
        marker={
            "color": sheer(tone),
            "line": {
                "color": [colour("chosen", theme), *[tone] * (len(ranked) - 1)],
                "width": [3, *[1] * (len(ranked) - 1)],
            },
        },
        text=[f"<b>{percent(choice.share)}</b>" for choice in ranked],
        textposition="outside",
        textfont={"size": 15},
        cliponaxis=False,
        hoverinfo="skip",
    )
    _bars(figure, 100, "share among the choices, %", theme)
    figure.update_layout(height=100 + 46 * len(ranked))
    caption = (
        "Measured: log-probability of each choice after the prompt, per token, made to sum to 1 "
        "over the choices. One pass says it for all of them, and no token was written."
    )
    return Chart(figure, caption, f"How likely each choice is. {caption}")


def _bars(figure: go.Figure, top: float, title: str, theme: Theme) -> None:
    """Gives horizontal bars their axes."""
    ticks = round_steps(top)
    figure.update_xaxes(title_text=title, tickvals=ticks, range=[0, 1.15 * (ticks[-1] or 1)])
    font = {"size": 14, "color": colour("ink", theme)}
    figure.update_yaxes(autorange="reversed", showgrid=False, tickfont=font)
    figure.update_layout(height=210, showlegend=False)

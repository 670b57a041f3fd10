"""What tokens cost: per million in and out, one request in two parts, and a pass against a loop.

Prices are derived from measured times and a price that the reader types; they have no currency.
"""

from model.prefill_decode.records import Prices, Scoring
from viz.bars import lying_bars
from viz.chart import Chart
from viz.format import count, digits, duration, percent, plural
from viz.labels import plain
from viz.palette import colour
from viz.prefill_decode.phase_charts import phase_bars, spread


def price_figure(prices: Prices, note: str) -> Chart:
    """Draws the price of a million tokens, read and written."""
    rows = (
        ("a million tokens in", prices.per_million_in, "prompt"),
        ("a million tokens out", prices.per_million_out, "generated"),
    )
    figure = lying_bars([(name, x, digits(x), role) for name, x, role in rows], "price")
    shared = (
        f", {plural(prices.n_batch, 'sequence')} sharing each step" if prices.n_batch > 1 else ""
    )
    caption = (
        f"Derived: price per hour ÷ 3600 × seconds of a token × 1 000 000{shared}. An output token "
        f"costs {digits(prices.ratio, 2)} input tokens. {note}"
    )
    return Chart(figure, "Price of a million tokens", caption)


def request_figure(rows: list[tuple[str, float, float]], words: str) -> Chart:
    """Draws what a request costs, each row a name, the price of the prompt and of the answer."""
    names, read, written = zip(*rows, strict=True)
    figure = phase_bars(names, read, written, "price of a thousand requests")
    figure.update_layout(height=260)
    caption = f"Derived from the prices beside it: {words}"
    return Chart(figure, "Price of a thousand requests", caption)


def scoring_figure(scoring: Scoring, where: str) -> Chart:
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
    bars = [(name, 1000 * seconds, duration(seconds), role) for name, seconds, role in rows]
    figure = lying_bars(bars, "milliseconds")
    caption = (
        f"Measured on {where}, a prompt of {plural(scoring.n_prompt, 'token')}: a vector of "
        f"{count(scoring.vector_size)} numbers {spread(scoring.vector_seconds)}, the scores "
        f"{spread(scoring.score_seconds)}, the written answer {duration(written.seconds)}, "
        f"{digits(written.seconds / scoring.score_seconds.median, 2)} times the scoring pass."
    )
    return Chart(figure, "A pass against a loop", caption)


def choices_figure(scoring: Scoring) -> Chart:
    """Draws how likely the model finds each choice, among the choices."""
    ranked = sorted(scoring.choices, key=lambda choice: -choice.share)
    bars = [(plain(c.text), 100 * c.share, percent(c.share), "kept") for c in ranked]
    figure = lying_bars(bars, "share among the choices, %")
    figure.data[0]["marker"]["line"] = {"color": colour("chosen"), "width": 3}
    caption = (
        "Measured: log-probability of each choice after the prompt, per token, made to sum to 1 "
        "over the choices. One pass says it for all of them, and no token was written."
    )
    return Chart(figure, "How likely each choice is", caption)

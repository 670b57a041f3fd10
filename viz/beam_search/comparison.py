"""Searches side by side: how likely their texts are, what they cost, what they give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import pandas as pd
import plotly.graph_objects as go

from model.beam_search.records import Bill, Candidate, ExactResult
from viz.chart import Chart, filled, new_figure, sheer
from viz.format import count, digits, duration, nats, percent, plural
from viz.labels import plain
from viz.palette import MONO, Theme, colour


def searches_figure(
    greedy: Candidate, beam: Candidate, exact: Candidate, theme: Theme = "light"
) -> Chart:
    """Draws the joint log-probability of three texts, token after token."""
    figure = new_figure(theme)
    sides = (
        (exact, "chosen", {"width": 9}, {"symbol": "circle", "size": 16}),
        (beam, "kept", {"width": 3}, {"symbol": "circle", "size": 9}),
        (greedy, "muted", {"width": 3, "dash": "dot"}, {"symbol": "square", "size": 9}),
    )
    for one, role, line, marker in sides:
        tone = colour(role, theme)
        heights = [0.0, *accumulate(one.logprobs)]
        paint = sheer(tone).replace("0.6", "0.28") if role == "chosen" else tone
        figure.add_scatter(
            x=list(range(len(heights))),
            y=heights,
            mode="lines+markers",
            name=f"{one.name}: {nats(one.total)}",
            line={"color": paint, **line},
            marker={"color": paint, **marker},
            hovertext=["the prompt", *(plain(label) for label in one.labels)],
            hovertemplate="%{hovertext}<br>%{y:.2f} nats<extra>" + one.name + "</extra>",
        )
    _name_tokens(figure, greedy, beam, exact, theme)
    longest = max(len(one.labels) for one, *_ in sides)
    lowest = min(one.total for one, *_ in sides)
    figure.update_xaxes(
        title_text="tokens after the prompt", range=[-0.2, longest + 0.5], dtick=1, zeroline=False
    )
    figure.update_yaxes(
        title_text="sum of log p, nats", range=[lowest * 1.14, -lowest * 0.12], rangemode="normal"
    )
    figure.update_layout(height=360)
    times = math.exp(exact.total - greedy.total)
    gain = (
        f"The likeliest text is {digits(times, 2)} times as likely as greedy’s."
        if times > 1.001
        else "Here greedy finds the likeliest text."
    )
    caption = f"Measured: log p of each token by the raw softmax, summed. {gain}"
    return Chart(figure, caption, f"Three searches. {caption}")


def _name_tokens(
    figure: go.Figure, greedy: Candidate, beam: Candidate, exact: Candidate, theme: Theme
) -> None:
    """Writes every text's tokens once, each line's above it where it is the higher one."""
    named = [(exact, "ink")]
    if greedy.labels != exact.labels:
        named.append((greedy, "muted"))
    if beam.labels not in (greedy.labels, exact.labels):
        named.append((beam, "kept-text"))
    written: set[tuple[tuple[str, ...], int]] = set()
    for one, role in named:
        for i, height in enumerate(accumulate(one.logprobs)):
            heights = [sum(other.logprobs[: i + 1]) for other, _ in named]
            if (one.labels[: i + 1], i) in written:
                continue  # as far as two texts are one, so are their names
            written.add((one.labels[: i + 1], i))
            figure.add_annotation(
                x=i + 1,
                y=height,
                yshift=20 if height >= max(heights) else -19,
                text=plain(one.labels[i][:12]),
                showarrow=False,
                font={"family": MONO, "size": 13, "color": colour(role, theme)},
            )


def searches_table(
    rows: Sequence[Candidate], seconds: Sequence[float], weighed: Sequence[str]
) -> pd.DataFrame:
    """Writes the three texts with what they cost."""
    least = rows[0].total
    return pd.DataFrame(
        [
            (
                one.name,
                one.text.strip("\n").replace("\n", "⏎"),
                len(one.labels),
                one.total,
                f"{digits(math.exp(one.total - least), 3)}×",
                work,
                duration(spent),
            )
            for one, spent, work in zip(rows, seconds, weighed, strict=True)
        ],
        columns=["search", "text", "tokens", "sum log p", "as likely", "texts read", "time"],
    )


def exact_words(result: ExactResult) -> str:
    """Says in a sentence how far the exact search got."""
    looked = f"{count(result.n_expanded)} beginnings of at most {count(result.limit)}"
    if result.is_proved:
        return f"Proved the best of all after {looked}: no other beginning is as likely."
    best = sum(result.logprobs)
    return (
        f"Not proved: after {looked} the best known has {nats(best)}, and something not looked at "
        f"may have up to {nats(result.ceiling)}. Allow more, or choose fewer tokens."
    )


# What it costs and gives


def bills_figure(bills: Sequence[Bill], theme: Theme = "light") -> Chart:
    """Draws each way of writing by how likely its text is, how much of it is new, and its time.

    Four panels, two by two, so that they are read on a phone as well.
    """
    figure = new_figure(theme)
    names = [bill.name.replace(", ", "<br>", 1) for bill in bills]
    paces = [bill.seconds / max(1, bill.n_tokens) for bill in bills]
    likely = [f"{bill.logprob:.2f}".replace("-", "−") for bill in bills]
    pairs = [bill.distinct[2] for bill in bills]
    repeats = [bill.repeated for bill in bills]
    tone = colour("generated", theme)
    for place, (title, values, texts) in enumerate(
        (
            ("log p per token", [math.exp(bill.logprob) for bill in bills], likely),
            ("different pairs", pairs, [percent(share) for share in pairs]),
            ("repeated 4-grams", repeats, [percent(share) for share in repeats]),
            ("time per token", paces, [duration(pace) for pace in paces]),
        )
    ):
        axis, row = str(place + 1).replace("1", ""), "2" if place > 1 else ""
        figure.add_bar(
            y=names,
            x=values,
            xaxis=f"x{axis}",
            yaxis=f"y{row}",
            orientation="h",
            width=0.66,
            marker=filled(tone, 1),
            text=texts,
            textposition="outside",
            cliponaxis=False,
            textfont={"size": 12, "color": colour("ink", theme)},
            hoverinfo="skip",
            showlegend=False,
        )
        panel = {
            "domain": (0.0, 0.46) if place % 2 == 0 else (0.54, 1.0),
            "range": [0, max(*values, 1e-9) * 1.75],
            "title": {"text": title, "font": {"color": colour("ink", theme), "size": 13}},
            "side": "top",
            "showticklabels": False,
            "ticks": "",
            "anchor": f"y{row}",
        }
        figure.update_layout({f"xaxis{axis}": panel})
    for row, domain in (("", (0.56, 1.0)), ("2", (0.0, 0.44))):
        side = {
            "domain": domain,
            "anchor": "x3" if row else "x",
            "categoryorder": "array",
            "categoryarray": names[::-1],
            "showgrid": False,
            "tickfont": {"size": 12, "color": colour("ink", theme)},
        }
        figure.update_layout({f"yaxis{row}": side})
    figure.update_layout(height=84 * len(bills) + 110, showlegend=False)
    caption = _bills_caption(bills)
    return Chart(figure, caption, f"What each way of writing gives. {caption}")


def _bills_caption(bills: Sequence[Bill]) -> str:
    words = f"Measured over {plural(bills[0].n_texts, 'text')} of each way."
    by_name = {bill.name.partition(",")[0]: bill for bill in bills}
    greedy, beam = by_name.get("greedy"), by_name.get("beam search")
    if greedy is None or beam is None:
        return words
    return (
        f"{words} The beam gains {nats(beam.logprob - greedy.logprob)} a token on greedy; of its "
        f"pairs of tokens {percent(beam.distinct[2])} are different, and {percent(beam.repeated)} "
        f"of its 4-grams had come before. Log p is in nats, and its bars are exp(log p)."
    )


def bills_table(bills: Sequence[Bill]) -> pd.DataFrame:
    """Writes what each way of writing costs and gives, with one of its texts."""
    return pd.DataFrame(
        [
            (
                bill.name,
                bill.n_tokens,
                bill.seconds,
                bill.logprob,
                *(bill.distinct[n] for n in (1, 2, 3)),
                bill.repeated,
                bill.sample.strip().replace("\n", " ⏎ "),
            )
            for bill in bills
        ],
        columns=[
            "way",
            "tokens",
            "seconds",
            "log p per token",
            "distinct 1",
            "distinct 2",
            "distinct 3",
            "repeated 4-grams",
            "its last text",
        ],
    )

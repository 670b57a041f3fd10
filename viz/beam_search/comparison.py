"""Searches side by side: how likely their texts are, what they cost, what they give."""

import math
import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from markupsafe import Markup

from model.beam_search.records import DecodingCost, SearchComparison
from viz.bars import Panel, panels_figure
from viz.chart import Chart, Table, add_line, filled, new_figure, write_at
from viz.figure import Figure, Style
from viz.format import count, digits, duration, nats, percent, plural, signed
from viz.labels import name_lines, plain
from viz.palette import MONO, colour, sheer
from viz.strip import COVERED, element


def searches_figure(comparison: SearchComparison) -> Chart:
    """Draws the joint log-probability of three texts, token after token."""
    figure = new_figure(360, "tokens after the prompt", "sum of log p, nats")
    greedy, beam, best = comparison.greedy, comparison.beam, comparison.best
    lines = (
        (best, sheer(colour("chosen"), 0.28), 9, "solid", "circle", 16),
        (beam, colour("kept"), 3, "solid", "circle", 9),
        (greedy, colour("muted"), 3, "dot", "square", 9),
    )
    for text, tone, width, dash, symbol, size in lines:
        heights = [0.0, *accumulate(text.logprobs)]
        tokens = ["the prompt", *(plain(label) for label in text.labels)]
        marker = {"color": tone, "symbol": symbol, "size": size}
        look: Style = {"width": width, "dash": dash, "symbol": symbol, "marker": marker}
        name, hover = f"{text.name}: {nats(text.total)}", "%{hovertext}<br>%{y:.2f} nats"
        places = range(len(heights))
        add_line(figure, name, places, heights, tone, hover=hover, hovertext=tokens, **look)
    _name_tokens(figure, comparison)
    n_tokens = max(len(text.labels) for text in (greedy, beam, best))
    lowest = min(text.total for text in (greedy, beam, best))
    figure.update_xaxes(range=[-0.2, n_tokens + 0.3], dtick=1)
    figure.update_yaxes(range=[lowest * 1.14, -lowest * 0.12], rangemode="normal")
    name_lines(figure)
    times = math.exp(best.total - greedy.total)
    gain = (
        f"The likeliest text is {digits(times, 2)} times as likely as greedy’s."
        if times > 1.001
        else "Here greedy finds the likeliest text."
    )
    caption = f"Measured: log p of each token by the raw softmax, summed. {gain}"
    return Chart(figure, "Three searches", caption)


def _name_tokens(figure: Figure, comparison: SearchComparison) -> None:
    """Writes every text's tokens once, each line's above it where it is the higher one."""
    greedy, beam, best = comparison.greedy, comparison.beam, comparison.best
    named = [(best, "ink")]
    if greedy.labels != best.labels:
        named.append((greedy, "muted"))
    if beam.labels not in (greedy.labels, best.labels):
        named.append((beam, "kept-text"))
    written: set[tuple[str, ...]] = set()
    for text, role in named:
        for i, height in enumerate(accumulate(text.logprobs)):
            prefix = text.labels[: i + 1]
            if prefix in written:
                continue  # as far as two texts are one, so are their names
            written.add(prefix)
            highest = max(sum(other.logprobs[: i + 1]) for other, _ in named)
            font = {"family": MONO, "size": 13, "color": colour(role), "shadow": "auto"}
            shift = 20 if height >= highest else -19
            write_at(figure, i + 1, height, plain(text.labels[i][:12]), yshift=shift, font=font)


def searches_table(comparison: SearchComparison) -> Table:
    """Writes the three texts with what they cost."""
    return [
        {
            "search": text.name,
            "text": text.text.strip("\n").replace("\n", "⏎"),
            "tokens": len(text.labels),
            "sum log p": text.total,
            "as likely": f"{digits(math.exp(text.total - comparison.greedy.total))}×",
            "texts read": count(text.n_expanded),
            "time": duration(text.seconds),
        }
        for text in (comparison.greedy, comparison.beam, comparison.best)
    ]


def exact_words(comparison: SearchComparison) -> str:
    """Says in a sentence how far the exact search got."""
    best = comparison.best
    expanded = f"{count(best.n_expanded)} prefixes of at most {count(comparison.limit)}"
    if comparison.is_proved:
        return f"Proved the best of all after {expanded}: no other prefix can lead to a likelier."
    return (
        f"Not proved: after {expanded} the best known text has {nats(best.total)}, and a text not "
        f"scored yet may have up to {nats(comparison.upper_bound)}. Allow more prefixes, or choose "
        "fewer tokens."
    )


def likely_beside_drawn(
    prompt: str, costs: Sequence[DecodingCost], *, is_covered: bool = False
) -> Markup:
    """Writes the likeliest text beside the least likely: pairs of words that come again are marked.

    Args:
        prompt: Of the texts.
        costs: Of the methods that wrote them.
        is_covered: Whether what they wrote is still asked for.
    """
    ends = (max(costs, key=lambda cost: cost.logprob), min(costs, key=lambda cost: cost.logprob))
    texts = [_with_repeats(prompt, cost, is_covered=is_covered) for cost in ends]
    look = "display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:1rem 2rem"
    return element("div", *texts, style=look)


def _with_repeats(prompt: str, cost: DecodingCost, *, is_covered: bool) -> Markup:
    parts = re.findall(r"[\w’']+|[^\w’']+", cost.sample.strip())
    places = [i for i, part in enumerate(parts) if part[0].isalnum()]
    again, seen = set[int](), set[tuple[str, str]]()
    for i, j in pairwise(places):
        pair = parts[i].lower(), parts[j].lower()
        if pair in seen:
            again |= {i, j}
        seen.add(pair)
    mark = f"background:{colour('error-tint')};color:inherit"
    words = [
        element("mark", part, style=mark) if i in again else Markup.escape(part)
        for i, part in enumerate(parts)
    ]
    name = cost.name.partition(",")[0]
    head = element("b", f"{name[:1].upper()}{name[1:]}")
    if is_covered:
        words = [element("span", "".join(parts), style=COVERED, aria_hidden="true")]
    if cost.sample.rstrip()[-1:] not in {*'.!?"'}:
        words.append(Markup(" …"))  # it was cut at its last token
    text = element("p", f"{prompt} ", *words, style="font:var(--size-row)/1.5 var(--read)")
    return element("div", head, text)


def costs_figure(costs: Sequence[DecodingCost]) -> Chart:
    """Draws each method by how likely, varied, repetitive and quick its text is; greedy first."""
    marker = filled(colour("generated"), 1)
    pairs, repeats = [cost.distinct[2] for cost in costs], [cost.repeated for cost in costs]
    paces = [cost.seconds / max(1, cost.n_tokens) for cost in costs]
    likely = [math.exp(cost.logprob) for cost in costs]
    panels = [
        Panel("log p per token", likely, [signed(cost.logprob) for cost in costs], marker),
        Panel("different pairs", pairs, list(map(percent, pairs)), marker),
        Panel("repeated 4-grams", repeats, list(map(percent, repeats)), marker),
        Panel("time per token", paces, list(map(duration, paces)), marker),
    ]
    names = [cost.name.replace(", ", "<br>", 1) for cost in costs]
    figure = panels_figure(names, panels, n_columns=2, row_pixels=42)
    return Chart(figure, "Cost and quality of decoding methods", _costs_caption(costs))


def _costs_caption(costs: Sequence[DecodingCost]) -> str:
    words = f"Measured over {plural(costs[0].n_texts, 'text')} of each method."
    if len(costs) < 2:
        return words
    greedy, beam = costs[:2]
    return (
        f"{words} Beam search gains {nats(beam.logprob - greedy.logprob)} a token on greedy "
        "decoding. Log p is in nats; its bars are exp(log p)."
    )


def costs_table(costs: Sequence[DecodingCost]) -> Table:
    """Writes what each decoding method costs and gives, with one of its texts."""
    return [
        {
            "method": cost.name,
            "tokens": cost.n_tokens,
            "seconds": cost.seconds,
            **{f"distinct {n}": cost.distinct[n] for n in (1, 2, 3)},
            "last text": cost.sample.strip().replace("\n", " ⏎ "),
        }
        for cost in costs
    ]

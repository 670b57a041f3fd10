"""Texts written side by side: when they follow an instruction, and how they repeat themselves."""

import re
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from model.snowball.records import Floats, InstructionPosition, LongTexts, Thread, Version
from viz.chart import Chart, add_line, new_figure, write_at
from viz.figure import Figure
from viz.format import count, percent, plural
from viz.labels import name_lines
from viz.palette import colour
from viz.snowball.confidence_bands import Line, add_mean, windows
from viz.strip import element, paragraph

VERSIONS = (("prompt", "solid"), ("stage", "dash"), ("muted", "dot"))
KINDS = (("ink", "dash", "square"), ("generated", "solid", "circle"), ("prompt", "dot", "diamond"))
N_WINDOWS = 16


# An instruction first, late, or never


def followed_figure(position: InstructionPosition, n_tokens: int) -> Chart:
    """Draws the share of texts that have followed the instruction, after each token."""
    title = "texts that have followed it, %"
    figure = new_figure(x="tokens written", y=title)
    for (name, shares), (role, dash) in zip(position.followed.items(), VERSIONS, strict=True):
        x, tone = np.arange(1, len(shares) + 1), colour(role)
        hover = "%{x} tokens: %{y:.0f} %"
        add_line(figure, name, x, 100 * shares, tone, dash=dash, shape="hv", hover=hover)
    n_before = position.n_before
    figure.add_vline(x=n_before, line={"color": colour("ink"), "width": 1, "dash": "dot"})
    at_top = {"yref": "y domain", "xanchor": "left", "yanchor": "top"}
    write_at(figure, n_before, 1, f"m = {n_before}", 12, xref="x", **at_top)
    figure.update_xaxes(range=[0, n_tokens])
    figure.update_yaxes(range=[-2, 103])
    name_lines(figure)
    return Chart(figure, "When texts follow the instruction", _caption(position))


def _caption(position: InstructionPosition) -> str:
    ends = "; ".join(
        f"{name} {percent(float(shares[-1]))}"
        for name, shares in position.followed.items()
        if shares.size
    )
    same = (
        f" Put in after {plural(position.n_before, 'token')}, it left {count(position.n_same)} of "
        f"the {count(position.n_first)} earlier tokens unchanged."
        if position.n_first
        else ""
    )
    return f"Measured at the end: {ends}.{same}"


def version_html(version: Version, words: Sequence[str]) -> Markup:
    """Writes one version of the text: given, written, put in; its words are marked."""
    prompt, tint = colour("prompt"), colour("prompt-tint")
    box = f"color:{prompt};background:{tint};outline:1.5px solid {prompt};border-radius:3px"
    return paragraph(
        element("span", version.given, style=f"color:{prompt}"),
        _marked(version.before, words),
        element("span", version.put_in, style=box) if version.put_in else "",
        _marked(version.after, words),
    )


def _marked(text: str, words: Sequence[str]) -> Markup:
    look = (
        f"background:{colour('stage-tint')};color:inherit;border-bottom:2px solid {colour('stage')}"
    )
    # split by one group: what matched stands at the odd places
    parts = re.split(f"({'|'.join(map(re.escape, words))})", text, flags=re.IGNORECASE)
    return Markup("").join(
        element("mark", part, style=look) if i % 2 else part for i, part in enumerate(parts)
    )


# Long texts


def repeats_figure(texts: LongTexts) -> Chart:
    """Draws how many tokens end a run of four that was in the text before."""
    title = "tokens in a repeated run of four, %"
    figure, ends = _figure(texts, 100 * texts.repeated, title)
    figure.update_yaxes(range=[0, 103])
    name_lines(figure)
    words = "; ".join(f"{name} {percent(value / 100)}" for name, value in ends.items())
    caption = f"Measured at the end: {words}. A run counts where the text had it before."
    return Chart(figure, "Repeats by position", caption)


def long_surprise_figure(texts: LongTexts) -> Chart:
    """Draws the surprise of each token, by position."""
    figure, ends = _figure(texts, texts.surprise, "surprise, nats per token")
    name_lines(figure)
    words = "; ".join(f"{name} {value:.2f}" for name, value in ends.items())
    caption = f"Measured at the end: {words} nats, by the model’s own raw probabilities."
    return Chart(figure, "Surprise by position", caption)


def thread_figure(thread: Thread, part: int) -> Chart:
    """Draws how much of what its opening names each part of a text holds, above chance.

    Args:
        thread: that was measured.
        part: tokens of the opening, and of each part after it.
    """
    figure = new_figure(320, "position in the text, tokens", "words that come back, %")
    ends = []
    for (name, rows), (role, dash, symbol) in zip(
        (("the model", thread.written), ("books", thread.books)), KINDS[1:], strict=True
    ):
        line = windows(100 * rows, 1)
        places = part * (line.places + 0.5)
        add_mean(
            figure, Line(places, line.means, line.half_widths), role, name, dash=dash, symbol=symbol
        )
        ends.append(f"{name} {percent(line.means[0] / 100)}, then {percent(line.means[-1] / 100)}")
    figure.update_xaxes(range=[part, part * (1 + thread.written.shape[1])])
    name_lines(figure)
    caption = (
        f"Measured: soon after the opening, and at the end, {'; '.join(ends)}. Chance gives 0."
    )
    return Chart(figure, "What comes back of the opening", caption)


def _figure(texts: LongTexts, values: Floats, title: str) -> tuple[Figure, dict[str, float]]:
    """Draws one line for each kind of text; returns the last mean of each, too."""
    figure = new_figure(320, "position in the text, tokens", title)
    kinds = np.array(texts.kinds)
    width = max(8, values.shape[1] // N_WINDOWS)
    ends: dict[str, float] = {}
    for i, (name, (role, dash, symbol)) in enumerate(zip(texts.names, KINDS, strict=False)):
        line = windows(values[kinds == i], width)
        add_mean(figure, line, role, name, dash=dash, symbol=symbol)
        known = line.means[~np.isnan(line.means)]
        if known.size:
            ends[name] = float(known[-1])
    figure.update_xaxes(range=[0, values.shape[1]])
    return figure, ends

"""Long texts: repeats and surprise by position, and the texts of people beside them."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from model.snowball.records import Floats, LongTexts
from viz.chart import Chart, new_figure
from viz.format import percent
from viz.palette import Theme
from viz.snowball.confidence_bands import add_mean, windows

HEIGHT = 320  # pixels
LOOKS = (
    ("ink", "dash", "square"),
    ("generated", "solid", "circle"),
    ("prompt", "dot", "diamond"),
)
N_WINDOWS = 16


def repeats_figure(texts: LongTexts, theme: Theme = "light") -> Chart:
    """Draws how many tokens end a run of four that was in the text before."""
    title = "tokens in a repeated run of four, %"
    figure, ends = _figure(texts, 100 * texts.repeated, title, theme)
    figure.update_yaxes(range=[0, 103])
    words = "; ".join(f"{name} {percent(value / 100)}" for name, value in ends.items())
    caption = f"Measured at the end: {words}. A run counts where the text had it before."
    return Chart(figure, caption, f"Repeats by position. {caption}")


def long_surprise_figure(texts: LongTexts, theme: Theme = "light") -> Chart:
    """Draws the surprise of each token, by position."""
    figure, ends = _figure(texts, texts.surprise, "surprise, nats per token", theme)
    words = "; ".join(f"{name} {value:.2f}" for name, value in ends.items())
    caption = f"Measured at the end: {words} nats, by the model’s own raw probabilities."
    return Chart(figure, caption, f"Surprise by position. {caption}")


def _figure(
    texts: LongTexts, values: Floats, title: str, theme: Theme
) -> tuple[go.Figure, dict[str, float]]:
    """Draws one line for each kind of text; returns the last mean of each, too."""
    figure = new_figure(theme, HEIGHT, "position in the text, tokens", title)
    kinds = np.array(texts.kinds)
    width = max(8, values.shape[1] // N_WINDOWS)
    ends: dict[str, float] = {}
    for i, (name, (role, dash, symbol)) in enumerate(zip(texts.names, LOOKS, strict=False)):
        line = windows(values[kinds == i], width)
        add_mean(figure, line, role, name, theme, dash=dash, symbol=symbol)
        known = line.means[~np.isnan(line.means)]
        if known.size:
            ends[name] = float(known[-1])
    figure.update_xaxes(range=[0, values.shape[1]])
    return figure, ends

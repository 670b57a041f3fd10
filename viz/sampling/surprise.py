"""Mirostat at work: the mean surprise of a text's last tokens, and the limit that follows them."""

from collections.abc import Sequence

import numpy as np

from model.sampling.records import AimedText
from viz.chart import Chart, add_line, new_figure
from viz.figure import Figure
from viz.labels import name_lines
from viz.palette import colour

WINDOW = 40  # tokens of a mean
LOOKS = (("muted", "dot"), ("kept", "solid"), ("generated", "dash"))  # a role and a dash for each


def called(text: AimedText) -> str:
    """Names a text by its target."""
    return f"target {text.target:g} bit{'s'[text.target == 1 :]}" if text.target else "no mask"


def mean_figure(texts: Sequence[AimedText]) -> Chart:
    """Draws the mean surprise of the last tokens at each place, and each target as a thin line."""
    figure = new_figure(x="tokens written", y="mean surprise, bits")
    for text, (role, dash) in zip(texts, LOOKS, strict=False):
        tone = colour(role)
        places = range(1, len(text.surprises) + 1)
        means = [float(np.mean(text.surprises[max(0, n - WINDOW) : n])) for n in places]
        add_line(figure, called(text), places, means, tone, dash=dash, hover="%{y:.2f}")
        if text.target:
            _level(figure, text.target, len(means), tone)
    name_lines(figure)
    ends = (f"{called(text)}: {np.mean(text.surprises[-WINDOW:]):.2f} bits" for text in texts)
    caption = (
        "Measured: −log₂ p of each token among those it was drawn from, means of the last "
        f"{WINDOW}. At the end, {'; '.join(ends)}."
    )
    return Chart(figure, "Mean surprise under mirostat", caption)


def _level(figure: Figure, target: float, n: int, tone: str) -> None:
    add_line(figure, "", [1, n], [target, target], tone, width=1, dash="dot")


def limit_figure(texts: Sequence[AimedText]) -> Chart:
    """Draws the limit before each draw."""
    figure = new_figure(x="tokens written", y="limit mu, bits")
    for text, (role, dash) in zip(texts, LOOKS, strict=False):
        if text.target:
            places, tone = range(len(text.limits)), colour(role)
            add_line(figure, called(text), places, text.limits, tone, dash=dash, hover="%{y:.2f}")
    name_lines(figure)
    caption = (
        "Measured: mu before each draw. It begins at twice the target; each token moves it by a "
        "tenth of target − surprise. Tokens with more surprise than mu are cut."
    )
    return Chart(figure, "The limit of mirostat", caption)

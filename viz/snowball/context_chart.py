"""Loss against the number of tokens that a model may see, one line for each model."""

from __future__ import annotations

import numpy as np

from model.snowball.records import ContextLoss
from viz.chart import Chart, new_figure
from viz.format import count, digits
from viz.palette import Theme
from viz.snowball.confidence_bands import Line, Z, add_mean

HEIGHT = 360  # pixels
# the largest model first: colour, dash and symbol tell them apart
LOOKS = (
    ("generated", "solid", "circle"),
    ("ink", "dash", "square"),
    ("muted", "dot", "diamond"),
    ("surprise", "dashdot", "triangle-up"),
)


def context_figure(loss: ContextLoss, theme: Theme = "light") -> Chart:
    """Draws the mean loss of the same tokens against the context, on a logarithmic axis."""
    figure = new_figure(theme, HEIGHT, "tokens of context", "loss, nats per token")
    x = np.array(loss.contexts, dtype=np.float64)
    words = []
    for (name, losses), (role, dash, symbol) in zip(loss.losses.items(), LOOKS, strict=False):
        whole = ~np.isnan(losses).any(axis=0)  # a context that every target was given
        means = np.where(whole, losses.mean(axis=0), np.nan)
        half = Z * losses.std(axis=0, ddof=1) / np.sqrt(len(losses))
        shown = f"{name}, {digits(loss.n_parameters[name] / 1e6, 2)} M"
        add_mean(figure, Line(x, means, half), role, shown, theme, dash=dash, symbol=symbol)
        known = means[whole]
        if known.size:
            words.append(f"{name} {known[0]:.2f} to {known[-1]:.2f}")
    figure.update_xaxes(
        type="log",
        tickvals=x.tolist(),
        ticktext=[count(int(n)) for n in x],
    )
    figure.update_yaxes(rangemode="normal")
    n = len(next(iter(loss.losses.values())))
    caption = (
        f"Measured: the same {n} tokens of held-out text, predicted from the last 1, 2, 4, … "
        f"tokens before them; bands are 95 % intervals over tokens. {'; '.join(words)} nats."
    )
    return Chart(figure, caption, f"Loss against context. {caption}")

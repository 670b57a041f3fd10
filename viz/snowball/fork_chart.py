"""A forced token: how far the two texts part, and how much each token surprises the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from model.snowball.records import Bools, Compounding, Forks, ForkStep
from viz.chart import Chart, new_figure, sheer
from viz.format import digits, nats, percent, plural
from viz.palette import Theme, colour
from viz.snowball.confidence_bands import Line, add_line, windows

HEIGHT = 280  # pixels
ORIGINAL, FORCED = "original", "forced token"
WINDOW = 4  # tokens in a stretch


def gap_figure(steps: Sequence[ForkStep], theme: Theme = "light") -> Chart:
    """Draws KL(original || forced) at each position."""
    figure = new_figure(theme)
    known = [(i, step.kl) for i, step in enumerate(steps) if step.kl is not None]
    figure.add_scatter(
        x=[i for i, _ in known],
        y=[kl for _, kl in known],
        mode="lines",
        line={"color": colour("surprise", theme), "width": 2, "shape": "hvh"},
        fill="tozeroy",
        fillcolor=sheer(colour("surprise", theme)),
        hovertemplate="%{x} tokens after: %{y:.2f} nats<extra></extra>",
        showlegend=False,
    )
    _axes(figure, len(steps) - 1, "KL(original ‖ forced), nats")
    mean = float(np.mean([kl for i, kl in known if i] or [0.0]))
    n_same = sum(step.is_same for step in steps)
    caption = (
        f"Measured: {nats(mean)} a token on average after the fork; 0 where both texts expect the "
        f"same. Both have the same token at {n_same} of {plural(len(steps), 'position')}."
    )
    return Chart(figure, caption, f"Divergence by position. {caption}")


def surprise_figure(steps: Sequence[ForkStep], theme: Theme = "light") -> Chart:
    """Draws the surprise of each token of both texts."""
    figure = new_figure(theme)
    sides = {
        ORIGINAL: [(i, -s.original.logprob) for i, s in enumerate(steps) if s.original],
        FORCED: [(i, -s.forced.logprob) for i, s in enumerate(steps) if s.forced],
    }
    for (name, points), role, dash in zip(
        sides.items(), ("generated", "error"), ("solid", "dot"), strict=True
    ):
        figure.add_scatter(
            x=[i for i, _ in points],
            y=[cost for _, cost in points],
            mode="lines+markers",
            marker={"size": 5},
            line={"color": colour(role, theme), "width": 2, "dash": dash},
            name=name,
            hovertemplate="%{x} tokens after: %{y:.2f} nats<extra>" + name + "</extra>",
        )
    _axes(figure, len(steps) - 1, "surprise of the token, nats")
    # the forced token itself is left out: it is the reader's choice
    means = [float(np.mean([cost for i, cost in p if i] or [0.0])) for p in sides.values()]
    caption = (
        f"Measured: −log p of each token by the model’s own raw probabilities; after the fork "
        f"{nats(means[0])} a token in the original text, {nats(means[1])} in the other."
    )
    return Chart(figure, caption, f"Surprise by position. {caption}")


def _axes(figure: go.Figure, last: int, title: str) -> None:
    figure.update_xaxes(title_text="tokens after the fork", range=[-0.5, max(1, last) + 0.5])
    figure.update_yaxes(title_text=title)
    figure.update_layout(height=HEIGHT)


# Many forks


def parting_figure(forks: Forks, theme: Theme = "light") -> Chart:
    """Draws how far the texts of all forks are apart: the median, and half of them around it."""
    figure = new_figure(theme)
    x = np.arange(1, forks.kl.shape[1] + 1)
    low, middle, high = np.nanquantile(forks.kl, (0.25, 0.5, 0.75), axis=0)
    tone = colour("surprise", theme)
    figure.add_scatter(
        x=[*x, *x[::-1]],
        y=[*high, *low[::-1]],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=sheer(tone),
        name="the middle half of the forks",
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=x,
        y=middle,
        mode="lines",
        line={"color": colour("ink", theme), "width": 2.5},
        name="median",
        hovertemplate="%{x} tokens after: %{y:.2f} nats<extra></extra>",
    )
    _axes(figure, int(x[-1]), "KL, nats")
    n_met = int(reconverged(forks).sum())
    caption = (
        f"Measured, {plural(forks.n_texts, 'fork')}: the median gap is {nats(float(middle[0]))} "
        f"right after the forced token and {nats(float(middle[-1]))} {len(x)} tokens later. "
        f"{plural(n_met, 'pair')} reconverged."
    )
    return Chart(figure, caption, f"How far the texts part. {caption}")


def reconverged(forks: Forks, n_same: int = 5) -> Bools:
    """Tells for each fork whether its last tokens are the same in both texts."""
    is_same: Bools = np.logical_and.reduce(forks.same[:, -n_same:], axis=1)
    return is_same


def cost_figure(forks: Forks, theme: Theme = "light") -> Chart:
    """Draws the mean surprise of both sides after the fork, with its uncertainty."""
    figure = new_figure(theme)
    lines = [windows(-values, WINDOW) for values in (forks.original, forks.forced)]
    for line, name, role, dash in zip(
        lines, (ORIGINAL, FORCED), ("generated", "error"), ("solid", "dot"), strict=True
    ):
        add_line(figure, line, role, name, theme, dash=dash)
    _axes(figure, forks.original.shape[1], "surprise, nats per token")
    caption = (
        f"Measured: means of {WINDOW} tokens over all forks, bands are 95 % intervals. The first "
        f"{WINDOW} tokens: {nats(lines[0].means[0])} in the original texts, "
        f"{nats(lines[1].means[0])} after the forced token; the last: {nats(lines[0].means[-1])} "
        f"and {nats(lines[1].means[-1])}."
    )
    return Chart(figure, caption, f"Surprise after the fork. {caption}")


def survival_figure(slips: Compounding, theme: Theme = "light") -> Chart:
    """Draws the share of texts without a slip so far, beside what independent errors give."""
    figure = new_figure(theme)
    x = np.arange(1, len(slips.predicted) + 1, dtype=np.float64)
    nothing = np.full(len(x), np.nan)
    for values, role, name, dash in (
        (slips.original, "generated", ORIGINAL, "solid"),
        (slips.forced, "error", FORCED, "dot"),
        (slips.predicted, "ink", "(1 − e)ⁿ", "dash"),
    ):
        add_line(figure, Line(x, 100 * values, nothing), role, name, theme, dash=dash)
    _axes(figure, len(x), "texts without a slip, %")
    figure.update_yaxes(range=[0, 103])
    caption = (
        f"A slip is a token below {percent(slips.threshold)}. Measured: e = {percent(slips.rate)} "
        f"of the tokens of original texts, and both coloured lines. Derived: (1 − e)ⁿ, which "
        "takes slips for independent."
    )
    return Chart(figure, caption, f"Texts without a slip. {caption}")


def verdict(slips: Compounding) -> str:
    """Says in one sentence whether slips follow from a slip, as measured."""
    numbers = (
        f"{digits(slips.forced_slips)} slips per text after the forced token, "
        f"{digits(slips.original_slips)} without it"
    )
    margin = (
        f"a difference of {slips.difference:+.2f} ± {slips.half_width:.2f}, paired, 95 %".replace(
            "-", "−"
        )
    )
    if not slips.half_width < np.inf or abs(slips.difference) <= slips.half_width:
        return f"**Errors do not compound here:** {numbers} ({margin}). Chance can explain it."
    if slips.difference < 0:
        return f"**Errors do not compound here; slips become rarer:** {numbers} ({margin})."
    if slips.late[1] - slips.late[0] > (slips.early[1] - slips.early[0]) / 2:
        return f"**Errors compound here:** {numbers} ({margin}), and late tokens slip too."
    return (
        f"**More errors follow, then fade:** {numbers} ({margin}). In the first 8 tokens "
        f"{percent(slips.early[1])} slip against {percent(slips.early[0])}, later "
        f"{percent(slips.late[1])} against {percent(slips.late[0])}."
    )

"""One wrong token: how far the two texts part, and what each token of either cost the model."""

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
RIGHT, WRONG = "untouched", "wrong token"
WINDOW = 4  # tokens in a stretch


def gap_figure(steps: Sequence[ForkStep], theme: Theme = "light") -> Chart:
    """Draws KL(as it was || with the wrong token) at each position."""
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
    _axes(figure, len(steps) - 1, "KL between what they expect, nats")
    mean = float(np.mean([kl for i, kl in known if i] or [0.0]))
    n_same = sum(step.is_same for step in steps)
    caption = (
        f"Measured: {nats(mean)} a token on average after the fork; 0 where both texts expect the "
        f"same. They wrote the same token at {n_same} of {plural(len(steps), 'position')}."
    )
    return Chart(figure, caption, f"Divergence by position. {caption}")


def surprise_figure(steps: Sequence[ForkStep], theme: Theme = "light") -> Chart:
    """Draws what each token cost the model on both sides."""
    figure = new_figure(theme)
    sides = {
        RIGHT: [(i, -s.right.logprob) for i, s in enumerate(steps) if s.right],
        WRONG: [(i, -s.wrong.logprob) for i, s in enumerate(steps) if s.wrong],
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
    # the forced token itself is left out: its cost is the reader's doing
    means = [float(np.mean([cost for i, cost in p if i] or [0.0])) for p in sides.values()]
    caption = (
        f"Measured: −log p of each token by the model’s own raw probabilities; after the fork "
        f"{nats(means[0])} a token in the untouched text, {nats(means[1])} in the other."
    )
    return Chart(figure, caption, f"Surprise by position. {caption}")


def _axes(figure: go.Figure, last: int, title: str) -> None:
    figure.update_xaxes(title_text="tokens after the fork", range=[-0.5, max(1, last) + 0.5])
    figure.update_yaxes(title_text=title)
    figure.update_layout(height=HEIGHT)


# A hundred of them


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
    n_met = int(met(forks).sum())
    caption = (
        f"Measured, {plural(forks.n_texts, 'fork')}: the median gap is {nats(float(middle[0]))} "
        f"right after the wrong token and {nats(float(middle[-1]))} {len(x)} tokens later. "
        f"{plural(n_met, 'pair')} met again for good."
    )
    return Chart(figure, caption, f"How far the texts part. {caption}")


def met(forks: Forks, least: int = 5) -> Bools:
    """Tells for each fork whether its last tokens, as many as make a meeting, are the same."""
    found: Bools = np.logical_and.reduce(forks.same[:, -least:], axis=1)
    return found


def cost_figure(forks: Forks, theme: Theme = "light") -> Chart:
    """Draws the mean surprise of both sides after the fork, with its uncertainty."""
    figure = new_figure(theme)
    lines = [windows(-values, WINDOW) for values in (forks.right, forks.wrong)]
    for line, name, role, dash in zip(
        lines, (RIGHT, WRONG), ("generated", "error"), ("solid", "dot"), strict=True
    ):
        add_line(figure, line, role, name, theme, dash=dash)
    _axes(figure, forks.right.shape[1], "surprise, nats per token")
    caption = (
        f"Measured: means of {WINDOW} tokens over all forks, bands are 95 % intervals. The first "
        f"{WINDOW} tokens: {nats(lines[0].means[0])} untouched, {nats(lines[1].means[0])} after "
        f"the wrong token; the last: {nats(lines[0].means[-1])} and {nats(lines[1].means[-1])}."
    )
    return Chart(figure, caption, f"Surprise after the fork. {caption}")


def survival_figure(found: Compounding, theme: Theme = "light") -> Chart:
    """Draws the share of texts without a slip so far, beside what independent errors give."""
    figure = new_figure(theme)
    x = np.arange(1, len(found.predicted) + 1, dtype=np.float64)
    nothing = np.full(len(x), np.nan)
    for values, role, name, dash in (
        (found.right, "generated", RIGHT, "solid"),
        (found.wrong, "error", WRONG, "dot"),
        (found.predicted, "ink", "(1 − e)ⁿ", "dash"),
    ):
        add_line(figure, Line(x, 100 * values, nothing), role, name, theme, dash=dash)
    _axes(figure, len(x), "texts without a slip, %")
    figure.update_yaxes(range=[0, 103])
    caption = (
        f"A slip is a token below {percent(found.threshold)}. Measured: e = {percent(found.rate)} "
        f"of the tokens of untouched texts, and both coloured lines. Derived: (1 − e)ⁿ, which "
        "takes slips for independent."
    )
    return Chart(figure, caption, f"Texts without a slip. {caption}")


def verdict(found: Compounding) -> str:
    """Says in one sentence whether slips follow from a slip, as measured."""
    numbers = (
        f"{digits(found.wrong_slips)} slips a text after the wrong token, "
        f"{digits(found.right_slips)} without it"
    )
    margin = (
        f"a difference of {found.difference:+.2f} ± {found.half_width:.2f}, paired, 95 %".replace(
            "-", "−"
        )
    )
    if not found.half_width < np.inf or abs(found.difference) <= found.half_width:
        return f"**Errors do not compound here:** {numbers} ({margin}), no more than chance allows."
    if found.difference < 0:
        return f"**Errors do not compound here, on the contrary:** {numbers} ({margin})."
    if found.late[1] - found.late[0] > (found.early[1] - found.early[0]) / 2:
        return f"**Errors compound here:** {numbers} ({margin}), and late tokens slip as well."
    return (
        f"**Errors follow, and fade:** {numbers} ({margin}). In the first 8 tokens "
        f"{percent(found.early[1])} slip against {percent(found.early[0])}, later "
        f"{percent(found.late[1])} against {percent(found.late[0])}."
    )

"""An instruction that comes first, late, or never: when texts follow it, and how one reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from model.snowball.records import InstructionPosition, Version
from viz.chart import Chart, add_line, new_figure
from viz.format import count, percent, plural
from viz.palette import Theme, colour
from viz.strip import element, paragraph

HEIGHT = 300  # pixels
LOOKS = (("prompt", "solid"), ("stage", "dash"), ("muted", "dot"))


def followed_figure(position: InstructionPosition, n_tokens: int, theme: Theme = "light") -> Chart:
    """Draws the share of texts that have followed the instruction, after each token."""
    title = "texts that have followed it, %"
    figure = new_figure(theme, HEIGHT, "tokens written", title)
    for (name, shares), (role, dash) in zip(position.followed.items(), LOOKS, strict=True):
        x, tone, hover = (
            np.arange(1, len(shares) + 1),
            colour(role, theme),
            "%{x} tokens: %{y:.0f} %",
        )
        add_line(figure, name, x, 100 * shares, tone, dash=dash, shape="hv", hover=hover)
    ink = colour("ink", theme)
    figure.add_vline(
        x=position.n_before,
        line={"color": ink, "width": 1, "dash": "dot"},
        annotation={"text": f"m = {position.n_before}", "font": {"size": 12, "color": ink}},
    )
    figure.update_xaxes(range=[0, n_tokens])
    figure.update_yaxes(range=[-2, 103])
    caption = _caption(position)
    return Chart(figure, caption, f"When texts follow the instruction. {caption}")


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


def version_html(version: Version, words: Sequence[str], theme: Theme = "light") -> Markup:
    """Writes one version of the text: given, written, put in; its words are marked."""
    prompt, tint = colour("prompt", theme), colour("prompt-tint", theme)
    box = f"color:{prompt};background:{tint};outline:1.5px solid {prompt};border-radius:3px"
    return paragraph(
        element("span", version.given, style=f"color:{prompt}"),
        _marked(version.before, words, theme),
        element("span", version.put_in, style=box) if version.put_in else "",
        _marked(version.after, words, theme),
    )


def _marked(text: str, words: Sequence[str], theme: Theme) -> Markup:
    look = (
        f"background:{colour('stage-tint', theme)};color:inherit;"
        f"border-bottom:2px solid {colour('stage', theme)}"
    )
    # split by one group: what matched stands at the odd places
    parts = re.split(f"({'|'.join(map(re.escape, words))})", text, flags=re.IGNORECASE)
    return Markup("").join(
        element("mark", part, style=look) if i % 2 else part for i, part in enumerate(parts)
    )

"""A constraint that comes first, late, or never: when the texts meet it, and how one reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

import numpy as np

from model.snowball.records import Constraint, Version
from viz.chart import Chart, new_figure
from viz.format import count, percent, plural
from viz.palette import Theme, colour

HEIGHT = 300  # pixels
LOOKS = (("prompt", "solid"), ("stage", "dash"), ("muted", "dot"))


def reached_figure(found: Constraint, n_tokens: int, theme: Theme = "light") -> Chart:
    """Draws the share of texts that have met the constraint, after each token."""
    figure = new_figure(theme)
    for (name, shares), (role, dash) in zip(found.reached.items(), LOOKS, strict=True):
        figure.add_scatter(
            x=np.arange(1, len(shares) + 1),
            y=100 * shares,
            mode="lines",
            line={"color": colour(role, theme), "width": 3, "dash": dash, "shape": "hv"},
            name=name,
            hovertemplate="%{x} tokens: %{y:.0f} %<extra>" + name + "</extra>",
        )
    ink = colour("ink", theme)
    figure.add_vline(x=found.n_before, line={"color": ink, "width": 1, "dash": "dot"})
    figure.add_annotation(
        x=found.n_before,
        y=1,
        yref="paper",
        text=f"m = {found.n_before}",
        showarrow=False,
        xanchor="left",
        xshift=4,
        font={"size": 12, "color": ink},
    )
    figure.update_xaxes(title_text="tokens written", range=[0, n_tokens])
    figure.update_yaxes(title_text="texts that have met it, %", range=[-2, 103])
    figure.update_layout(height=HEIGHT)
    caption = _caption(found)
    return Chart(figure, caption, f"When texts meet the constraint. {caption}")


def _caption(found: Constraint) -> str:
    ends = "; ".join(
        f"{name} {percent(float(shares[-1]))}"
        for name, shares in found.reached.items()
        if shares.size
    )
    same = (
        f" Put in after {plural(found.n_before, 'token')}, it left {count(found.n_same)} of the "
        f"{count(found.n_first)} tokens before it as they were."
        if found.n_first
        else ""
    )
    return f"Measured, in the end: {ends}.{same}"


def version_html(version: Version, words: Sequence[str], theme: Theme = "light") -> str:
    """Writes one version of the text: given, written, put in; its words are marked.

    The text itself is only ever text.
    """
    given = f'<span style="color:{colour("prompt", theme)}">{escape(version.given)}</span>'
    put_in = (
        f'<span style="color:{colour("prompt", theme)};background:{colour("prompt-tint", theme)};'
        f'outline:1.5px solid {colour("prompt", theme)};border-radius:3px">'
        f"{escape(version.put_in)}</span>"
        if version.put_in
        else ""
    )
    before, after = (_marked(text, words, theme) for text in (version.before, version.after))
    return (
        '<p style="margin:0;white-space:pre-wrap;line-height:1.5;overflow-wrap:anywhere">'
        f"{given}{before}{put_in}{after}</p>"
    )


def _marked(text: str, words: Sequence[str], theme: Theme) -> str:
    pattern = re.compile("|".join(f"({re.escape(word)})" for word in words), re.IGNORECASE)
    parts, last = [], 0
    for match in pattern.finditer(text):
        parts.append(escape(text[last : match.start()]))
        parts.append(
            f'<mark style="background:{colour("stage-tint", theme)};color:inherit;'
            f'border-bottom:2px solid {colour("stage", theme)}">{escape(match[0])}</mark>'
        )
        last = match.end()
    return "".join([*parts, escape(text[last:])])

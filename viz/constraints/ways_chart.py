"""The ways out of a corner: how often each gets out, how far its texts agree, how likely they are.

Each way is a row, so that the figure is read on a phone as on a projector.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from model.constraints.records import WayOut
from viz.chart import Chart, new_figure, sheer
from viz.format import digits, duration, nats, percent, plural
from viz.palette import Theme, colour

PANELS = ((0.0, 0.28), (0.36, 0.64), (0.72, 1.0))  # side by side
PANEL_NAMES = ("gets out", "two agree", "mean log p")


def ways_figure(ways: Sequence[WayOut], theme: Theme = "light") -> Chart:
    """Draws how often each way got out of the corner, how far it agrees, how likely its text is."""
    figure = new_figure(theme)
    names = [way.name for way in ways]
    _add_shares(figure, names, [way.escaped for way in ways], "kept", "x", theme)
    _add_shares(figure, names, [way.agreement for way in ways], "muted", "x2", theme)
    figure.add_scatter(
        y=names,
        x=[way.logprob for way in ways],
        xaxis="x3",
        mode="markers+text",
        marker={"size": 12, "color": colour("kept", theme), "symbol": "diamond"},
        text=[f" {way.logprob:.1f}".replace("-", "−") for way in ways],
        textposition="middle right",
        textfont={"size": 12, "color": colour("ink", theme)},
        cliponaxis=False,
        hoverinfo="skip",
    )
    lowest = min(way.logprob for way in ways)
    ranges = ([0, 1.5], [0, 1.5], [lowest * 1.1, -lowest * 0.8 or 1])
    for axis, domain, span, title in zip(("", "2", "3"), PANELS, ranges, PANEL_NAMES, strict=True):
        figure.update_layout(
            {
                f"xaxis{axis}": {
                    "domain": domain,
                    "range": span,
                    "showticklabels": False,
                    "ticks": "",
                    "anchor": "y",
                    "title": {"text": title, "font": {"color": colour("ink", theme), "size": 13}},
                    "side": "top",
                }
            }
        )
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=names[::-1],
        showgrid=False,
        tickfont={"size": 13, "color": colour("ink", theme)},
    )
    figure.update_layout(height=34 * len(ways) + 50, showlegend=False)
    caption = _caption(ways)
    return Chart(figure, caption, f"Ways out of the corner. {caption}")


def _add_shares(
    figure: go.Figure,
    names: Sequence[str],
    shares: Sequence[float],
    role: str,
    axis: str,
    theme: Theme,
) -> None:
    tone = colour(role, theme)
    figure.add_bar(
        y=names,
        x=shares,
        xaxis=axis,
        orientation="h",
        width=0.66,
        marker={
            "color": sheer(tone),
            "line": {"color": tone, "width": 1.2},
            "pattern": {"shape": "." if role == "muted" else "", "fgcolor": tone},
        },
        text=[percent(share) for share in shares],
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 12, "color": colour("ink", theme)},
        hoverinfo="skip",
    )


def _caption(ways: Sequence[WayOut]) -> str:
    """Says what temperature and the beam came to, the claim's failure included."""
    argmax, rest = ways[0], ways[1:]
    warm = [way for way in rest if way.temperature is not None and 0 < way.temperature <= 0.3]
    beam = next((way for way in rest if way.temperature is None), None)
    words = [f"Measured: argmax writes “{_plain(argmax.best)}”, {nats(argmax.logprob)}."]
    if warm:
        words.append(_warm_words(max(warm, key=lambda way: way.escaped)))
    if beam is not None:
        found = "finds" if beam.escaped else "agrees with argmax on"
        words.append(f"The beam {found} “{_plain(beam.best)}”, {nats(beam.logprob)}.")
    words.append("A text gets out where it is likelier than argmax’s.")
    n_cut = sum(way.n_texts - way.n_complete for way in ways)
    if n_cut:
        words.append(
            f"{plural(n_cut, 'text')} came to the limit on length before the constraint was met."
        )
    return " ".join(words)


def _warm_words(way: WayOut) -> str:
    if not way.escaped:
        return (
            f"A little temperature ({way.name}) does not get out: the corner is the likelier turn "
            "by far."
        )
    return (
        f"A little temperature ({way.name}) gets out in {percent(way.escaped)} of "
        f"{plural(way.n_texts, 'text')}, and two texts agree in {percent(way.agreement)} of pairs."
    )


def ways_table(ways: Sequence[WayOut]) -> pd.DataFrame:
    """Writes the ways with the text that came most often."""
    return pd.DataFrame(
        [
            (
                way.name,
                way.n_texts,
                way.n_complete,
                _plain(way.best),
                percent(way.escaped),
                percent(way.agreement),
                digits(way.logprob).replace("-", "−"),
                duration(way.seconds / way.n_texts),
            )
            for way in ways
        ],
        columns=[
            "way",
            "texts",
            "complete",
            "most often",
            "gets out",
            "two agree",
            "mean log p",
            "time per text",
        ],
    )


def _plain(text: str) -> str:
    return text.strip().replace("\n", "⏎")

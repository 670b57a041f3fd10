"""Lines of means with their uncertainty, and the sheer band around them.

Knows arrays of numbers, one row for each text and one column for each position.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np

from model.snowball.records import Estimate, Floats
from viz.chart import add_line
from viz.figure import Figure, Style
from viz.palette import colour, sheer


class Line(NamedTuple):
    """A mean at each place, and the half-width of its 95 % interval."""

    places: Floats
    means: Floats
    half_widths: Floats


def windows(values: Floats, width: int) -> Line:
    """Takes the mean of each text over stretches of positions, then over texts.

    Args:
        values: (texts, positions); NaN where there is nothing.
        width: positions in a stretch; a last stretch of less than half of it is left out.
    """
    n = values.shape[1]
    starts = [i for i in range(0, n, width) if n - i >= (width + 1) // 2] or [0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a stretch without a number is NaN
        per_text = [np.nanmean(values[:, i : i + width], axis=1) for i in starts]
    estimates = [Estimate.of(column) for column in per_text]
    means = np.array([estimate.mean for estimate in estimates])
    half_widths = np.array([estimate.half_width for estimate in estimates])
    centres = np.array([1 + i + (min(width, n - i) - 1) / 2 for i in starts])
    return Line(centres, means, half_widths)


def add_mean(figure: Figure, line: Line, role: str, name: str, **look: Any) -> None:
    """Draws a line of means, and a band around it where its uncertainty is known."""
    known = ~np.isnan(line.means)
    x, y, half = line.places[known], line.means[known], np.nan_to_num(line.half_widths[known])
    if half.any():
        add_band(figure, x, y - half, y + half, role)
    hover = "%{x:.4g}: %{y:.3g} ± %{customdata:.2g}"
    add_line(figure, name, x, y, colour(role), hover=hover, customdata=half, **look)


def add_band(figure: Figure, x: Floats, low: Floats, high: Floats, role: str) -> None:
    """Draws the field between two lines."""
    around, edge, tone = [*x, *x[::-1]], [*high, *low[::-1]], colour(role)
    field: Style = {"fill": "toself", "fillcolor": sheer(tone, 0.18)}
    add_line(figure, "", around, edge, tone, width=0, **field)

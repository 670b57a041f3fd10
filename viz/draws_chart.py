"""How often each token was drawn, beside how often that was to be expected."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from viz.chart import Chart, add_columns, new_figure
from viz.format import count, percent
from viz.labels import token_ticks
from viz.palette import colour

MAX_TOKENS = 24  # with a pair of bars of their own
MAX_LABEL = 16  # characters


def draws_figure(
    labels: Sequence[str], drawn: npt.NDArray[np.integer], probs: npt.NDArray[np.floating]
) -> Chart:
    """Draws how often each token was drawn, beside how often that was to be expected.

    Args:
        labels: of the tokens, likeliest first.
        drawn: (n,) times that each came, in the same order.
        probs: (n,) of each.
    """
    n_draws = int(drawn.sum())
    n_shown = min(MAX_TOKENS, int(np.count_nonzero(probs)))
    observed, expected = drawn[:n_shown].tolist(), (probs[:n_shown] * n_draws).tolist()
    # tokens may share a label, and a label may look like a number: places carry the bars
    places, figure = range(n_shown), new_figure()
    outlined = {"color": "rgba(0,0,0,0)", "line": {"color": colour("ink"), "width": 1.5}}
    add_columns(figure, "expected", places, expected, "%{y:.1f}", marker=outlined)
    add_columns(figure, "drawn", places, observed, "%{y}", marker={"color": colour("kept")})
    figure.update_xaxes(token_ticks(labels[:n_shown], n_characters=MAX_LABEL))
    figure.update_yaxes(title_text=f"times in {count(n_draws)} draws")
    figure.update_layout(barmode="group", bargap=0.25)
    n_kept = int(np.count_nonzero(probs))
    rest = f" The {count(n_kept - n_shown)} rarer ones are not shown." if n_kept > n_shown else ""
    gap = np.abs(drawn / n_draws - probs).max()
    caption = (
        f"Measured: {count(n_draws)} draws by {count(n_draws)} pointers, filled; derived: the "
        f"probability times {count(n_draws)}, outlined. Largest gap of a token: "
        f"{percent(float(gap))} of the draws.{rest}"
    )
    return Chart(figure, "Draws against expectation", caption)

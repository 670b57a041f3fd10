"""A query, the keys that it is compared with, and the values that are mixed: one head, its numbers.

From left to right as the head computes: the newest token's query above the keys of all tokens, how
well each key matches, and the values that are mixed by that, with the result below them.
"""

import numpy as np

from model.kv_cache.records import QueryKeyValue
from model.records import FloatArray
from viz.bars import share_axis
from viz.chart import Chart, add_bars, add_cells, filled, new_figure, write_at
from viz.figure import Figure, Style
from viz.format import THIN, digits, percent, plural
from viz.labels import in_sentence, place_rows, plain
from viz.palette import colour

MAX_ROWS = 12  # tokens: those that weigh most, where there are more
KEYS, WEIGHTS, VALUES = (0.09, 0.39), (0.43, 0.64), (0.68, 1.0)  # from left to right
QUERY, ROWS, OUTPUT = (0.86, 0.91), (0.26, 0.72), (0.0, 0.05)  # from below
ENDS = (f"0{THIN}%", f"100{THIN}%")
TITLE = 14  # pixels


def attention_figure(head: QueryKeyValue) -> Chart:
    """Draws one head at the newest token."""
    shown = np.sort(np.argsort(-head.weights, kind="stable")[:MAX_ROWS])
    figure = new_figure()
    own = head.labels[-1]
    _strip(figure, head.query[None], "prompt", "", (KEYS, QUERY))
    _strip(figure, head.keys[shown], "keys", "2", (KEYS, ROWS))
    _strip(figure, head.values[shown], "values", "4", (VALUES, ROWS))
    _strip(figure, head.output[None], "generated", "5", (VALUES, OUTPUT))
    _weights(figure, head.weights[shown])
    place_rows(figure, [])
    figure.update_yaxes(autorange="reversed", showgrid=False, showticklabels=False)
    labels = [plain(head.labels[i]) for i in shown]
    figure.update_layout(
        height=290 + 22 * len(shown),
        margin={"t": 10, "b": 10},
        yaxis2={"tickvals": list(range(len(shown))), "ticktext": labels, "showticklabels": True},
    )
    for x, y, words in (
        (KEYS[0], QUERY[1], f"the <b>query</b> of {plain(own)}:<br>used once, then dropped"),
        (KEYS[0], ROWS[1], "<b>keys</b>: kept"),
        (WEIGHTS[0], ROWS[1], "query · key<br>÷ √d,<br>softmax:<br><b>match</b>"),
        (VALUES[0], ROWS[1], "<b>values</b>: kept"),
        (VALUES[1], OUTPUT[1], "values mixed by the match:<br>what the head hands on"),
    ):
        side = "left" if x < 1 else "right"
        place = {"xref": "paper", "yref": "paper", "xanchor": side, "yanchor": "bottom"}
        write_at(figure, x, y, words, TITLE, align=side, **place)
    best = int(head.weights.argmax())
    caption = (
        f"Measured: layer {head.layer}, query head {head.head}, key and value head {head.kv_head}; "
        f"{plural(len(head.query), 'number')} each, the stronger a cell the larger. "
        f"{in_sentence(head.labels[best])} takes {percent(float(head.weights[best]))} of the "
        "weight."
    )
    return Chart(figure, "A query, keys and values", caption)


def _strip(
    figure: Figure,
    rows: FloatArray,
    role: str,
    axis: str,
    place: tuple[tuple[float, float], tuple[float, float]],
) -> None:
    """Draws vectors as rows of cells, each as strong as its number is large."""
    sizes = np.abs(rows)
    look: Style = {"zmax": float(np.quantile(sizes, 0.98)) or 1.0, "xgap": 1, "ygap": 3}
    look |= {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "customdata": rows}
    tones, hover = (colour("raised"), colour(role)), "number %{x}: %{customdata:.3g}"
    add_cells(figure, np.round(sizes, 3), tones, hover, **look)
    across, up = place
    wide = {"domain": across, "visible": False, "anchor": f"y{axis}"}
    high = {"domain": up, "anchor": f"x{axis}"}
    figure.update_layout(**{f"xaxis{axis}": wide, f"yaxis{axis}": high})


def _weights(figure: Figure, weights: FloatArray) -> None:
    """Draws the match of each key as a bar with its percentage."""
    shares = weights.tolist()
    words = [f"<b>{percent(share)}</b>" if share >= 0.01 else "" for share in shares]
    look: Style = {"textposition": "auto", "textfont": {"size": 12}, "xaxis": "x3", "yaxis": "y3"}
    look |= {"marker": filled(colour("stage")), "hover": list(map(digits, shares))}
    add_bars(figure, "", range(len(shares)), shares, words, **look)
    figure.update_layout(
        xaxis3=share_axis(
            domain=WEIGHTS, anchor="y3", range=[0, 1], tickvals=[0, 1], ticktext=ENDS
        ),
        yaxis3={"domain": ROWS, "anchor": "x3"},
    )

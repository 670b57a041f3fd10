"""The columns that each pass computes, as squares: all without a cache, new ones with it."""

from collections.abc import Sequence

import numpy as np

from viz.chart import Chart, add_cells, add_line, new_figure, write_at
from viz.figure import Figure
from viz.format import count, plural
from viz.labels import place_rows
from viz.palette import READ as READING_FACE
from viz.palette import colour, sheer
from viz.strip import SPACE

KEPT, READ, WRITTEN = 1, 2, 3  # what a square is: kept from before, of the prompt, or further on
MAX_NAMED, MAX_HEIGHT = 20, 520  # rows that are named; pixels
MAX_WORDS = 26  # columns that bear their tokens
WORD_PIXELS, MAX_WORD = 66, 9  # height above the columns; letters
MAX_LETTERS, MAX_LINE = 14, 18  # of a sum, and with what it comes to: more do not fit half a phone
HALF = 0.45  # of a place: what an outline takes on either side
HALVES = ([0.0, 0.46], [0.54, 1.0])
LARGER = 90  # pixels that a half by itself is higher
HALF_CAPTIONS = (
    "Blue: computed for the prompt; teal: for a token after it.",
    "What is pale is kept, and not computed again.",
)


def squares_figure(
    labels: Sequence[str],
    n_prompt: int,
    n_to_come: int,
    *,
    foretells: bool = True,
    sums: bool = True,
) -> Chart:
    """Draws a row for each pass over one text, without the cache on the left, with it on the right.

    Passes that are still to come have empty rows, which each step paints; where it foretells, they
    are outlines.

    Args:
        labels: Of the text's tokens, which stand above their columns while there is room.
        n_prompt: How many of them are the prompt's.
        n_to_come: Passes that are still to come.
        foretells: Whether what they will compute is outlined.
        sums: Whether the columns are counted, or left to be counted.
    """
    n_steps = len(labels) - n_prompt
    lengths = [n_prompt + n for n in range(n_steps + n_to_come + 1)]
    without, cached = lengths, [n_prompt] + [1] * (len(lengths) - 1)
    n_painted = n_steps + 1
    has_words = lengths[-1] <= MAX_WORDS
    above = WORD_PIXELS if has_words else 0
    figure = new_figure()
    for side, (name, columns) in enumerate((("Without a cache", without), ("With it", cached))):
        axis = "" if side == 0 else "2"
        painted = lengths[:n_painted], columns[:n_painted]
        _add_squares(figure, *painted, (len(lengths), lengths[-1]), n_prompt, axis)
        if n_to_come and foretells:
            _add_outlines(figure, lengths, columns, n_painted, axis)
        title = f"<b>{name}</b>" + f"<br>{_sum(columns[:n_painted])}" * sums
        place = {"xref": f"x{axis} domain", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
        write_at(figure, 0, 1, title, 15, align="left", yshift=above, **place)
    every = 1 + len(lengths) // MAX_NAMED
    rows = [f"pass {n + 1}" if n % every == 0 else "" for n in range(len(lengths))]
    place_rows(figure, rows)
    figure.update_layout(
        height=min(108 + 22 * len(rows), MAX_HEIGHT) + above,
        margin={"t": 66 + above},
        xaxis={"domain": HALVES[0]},
        xaxis2={"domain": HALVES[1]},
        yaxis2={
            "anchor": "x2",
            "autorange": "reversed",
            "showticklabels": False,
            "showgrid": False,
        },
    )
    figure.update_yaxes(showgrid=False)
    figure.update_xaxes(
        visible=has_words,
        range=[-0.5, lengths[-1] - 0.5],
        side="top",
        showgrid=False,
        tickvals=list(range(len(labels))),
        ticktext=[label.strip(SPACE)[:MAX_WORD] for label in labels],
        tickangle=-90,
        tickfont={"family": READING_FACE, "size": 14},
    )
    n_all, n_new = sum(without[:n_painted]), sum(cached[:n_painted])
    to_come = f"Outlined: {plural(n_to_come, 'pass', 'es')} still to come. "
    words = to_come if n_to_come and foretells else ""
    caption = (
        f"Derived: {count(n_all)} columns against {count(n_new)}. "
        * sums
        + f"{words}Blue: the prompt; teal: "
        "tokens after it; pale: kept, and not computed again."
    )
    return Chart(figure, "Columns computed by each pass", caption)


def one_half(chart: Chart, half: int) -> Chart:
    """Draws one half by itself, in larger squares: 0 is without the cache, 1 with it."""
    layout, axis = chart.figure.layout, f"x{'2' * half}"
    left_out = {"xaxis2", "yaxis2", "annotations"}
    figure = Figure(**{name: look for name, look in layout.items() if name not in left_out})
    figure.update_layout(xaxis={"domain": [0, 1]}, height=layout["height"] + LARGER)
    for trace in chart.figure.data:
        if trace["xaxis"] == axis:
            figure.data.append({**trace, "xaxis": "x", "yaxis": "y"})
    for words in layout["annotations"]:
        if words["xref"].split()[0] == axis:
            refs = {name: words[name].replace("2", "") for name in ("xref", "yref")}
            figure.add_annotation(**words | refs)
    return Chart(figure, chart.title, HALF_CAPTIONS[half])


def _add_squares(
    figure: Figure,
    lengths: Sequence[int],
    columns: Sequence[int],
    shape: tuple[int, int],
    n_prompt: int,
    axis: str,
) -> None:
    """Draws one half: each row as long as the text was, its last columns computed."""
    squares = np.full(shape, np.nan)
    for row, (length, n_computed) in enumerate(zip(lengths, columns, strict=True)):
        squares[row, :length] = KEPT
        squares[row, length - n_computed : length] = WRITTEN
        squares[row, length - n_computed : min(n_prompt, length)] = READ
    shades = [sheer(colour("keys"), 0.22), colour("prompt"), colour("generated")]
    look = {"zmin": KEPT, "zmax": WRITTEN, "xgap": 2, "ygap": 2}
    add_cells(figure, squares, shades, **look, xaxis=f"x{axis}", yaxis=f"y{axis}")


def _add_outlines(
    figure: Figure, lengths: Sequence[int], columns: Sequence[int], first: int, axis: str
) -> None:
    """Outlines what the rows from `first` on will compute."""
    x: list[float | None] = []
    y: list[float | str | None] = []
    for row in range(first, len(lengths)):
        for column in range(lengths[row] - columns[row], lengths[row]):
            left, right, low, high = column - HALF, column + HALF, row - HALF, row + HALF
            x += [left, right, right, left, left, None]
            y += [low, low, high, high, low, None]
    axes = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
    add_line(figure, "", x, y, colour("line"), width=1, hoverinfo="skip", **axes)


def _sum(columns: Sequence[int]) -> str:
    """Writes a sum out, its middle left out where it is long, and what it comes to: two lines."""
    terms = [count(n) for n in columns]
    comes_to = plural(sum(columns), "column")
    if len(terms) == 1:
        return f"{comes_to}<br> "
    written = "+".join(terms)
    if len(written) > MAX_LETTERS:
        written = "+".join([*terms[:2], "…", terms[-1]])
    line = f"{written} = {comes_to}"
    return f"{line}<br> " if len(line) <= MAX_LINE else f"{written}<br>= {comes_to}"

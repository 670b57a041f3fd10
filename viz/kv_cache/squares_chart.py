"""The columns that each pass computes, as squares: all without a cache, new ones with it."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from viz.chart import Chart, add_cells, add_line, new_figure, write_at
from viz.figure import Figure
from viz.format import count, plural
from viz.labels import place_rows, plain
from viz.palette import READ as READING_FACE
from viz.palette import colour, sheer
from viz.strip import SPACE, element

KEPT, READ, WRITTEN = 1, 2, 3  # what a square is: kept from before, of the prompt, or further on
MAX_NAMED = 9  # rows
ROWS_PIXELS = 132  # high, however many rows there are: what stands below stays where it is
MAX_WORDS = 20  # columns that bear their tokens: a phone has no room for more
WORD_PIXELS, MAX_WORD = 54, 9  # height above the columns; letters
TITLE_PIXELS = 44  # of each half
MAX_LETTERS = 8  # of a sum: more do not fit half a phone
HALF = 0.45  # of a place: what an outline takes on either side
MIN_KEPT = 4  # columns that have room for the word
KEPT_TINT = 0.22  # paler than what is computed, and seen on dark paper too
MAX_INSIDE, MAX_INSIDE_LETTERS = 12, 6  # columns as wide as a token, where the figure is wide
HALVES = ([0.0, 0.46], [0.54, 1.0])
LARGER = 64  # pixels that a half by itself is higher
HALF_CAPTIONS = (
    "Blue: computed for the prompt; teal: for a token after it.",
    "What is pale is kept, and not computed again.",
)


def squares_figure(
    labels: Sequence[str],
    n_prompt: int,
    n_to_come: int,
    *,
    sums: bool = True,
) -> Chart:
    """Draws a row for each pass over one text, without the cache on the left, with it on the right.

    Passes that are still to come are outlines of all that they read, which each step paints. The
    picture is as high for any number of passes.

    Args:
        labels: Of the text's tokens, which stand above their columns while there is room.
        n_prompt: How many of them are the prompt's.
        n_to_come: Passes that are still to come.
        sums: Whether the columns are counted. Where a reader counts them, an outline stands only
            for what a pass to come computes; else neither half tells how many that are.
    """
    n_steps = len(labels) - n_prompt
    lengths = [n_prompt + n for n in range(n_steps + n_to_come + 1)]
    without, cached = lengths, [n_prompt] + [1] * (len(lengths) - 1)
    n_painted = n_steps + 1
    figure = new_figure()
    halves = ("Without a cache", without), ("With the cache", cached)
    for side, (name, columns) in enumerate(halves):
        axis = "" if side == 0 else "2"
        painted = lengths[:n_painted], columns[:n_painted]
        _add_squares(figure, *painted, (len(lengths), lengths[-1]), n_prompt, axis)
        if n_to_come:
            _add_outlines(figure, lengths, lengths if sums else columns, n_painted, axis)
        title = f"<b>{name}</b>" + f"<br>{_sum(columns[:n_painted])}" * sums
        place = {"xref": f"x{axis} domain", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
        write_at(figure, 0, 1, title, 15, align="left", yshift=WORD_PIXELS, **place)
    if n_steps and n_prompt >= MIN_KEPT:  # in a square, not across the line between two
        column, row = (n_prompt - 1) // 2, (n_steps + 2) // 2
        write_at(figure, column, row, "kept", 16, xref="x2", yref="y2")
    if n_steps and lengths[-1] <= MAX_INSIDE:
        _name_new(figure, labels, n_prompt)
    _lay_out(figure, labels, len(lengths), lengths[-1])
    n_all, n_new = sum(without[:n_painted]), sum(cached[:n_painted])
    to_come = f"Dashed: {plural(n_to_come, 'pass', 'es')} still to come. " if n_to_come else ""
    caption = (
        f"Derived: {count(n_all)} columns against {count(n_new)}. "
        * sums
        + f"{to_come}Blue: the prompt; teal: "
        "tokens after it; pale: kept, and not computed again."
    )
    return Chart(figure, "Columns computed by each pass", caption)


def _lay_out(figure: Figure, labels: Sequence[str], n_rows: int, n_columns: int) -> None:
    """Names the rows and the columns, and puts both halves side by side."""
    every = -(-n_rows // MAX_NAMED)
    place_rows(figure, [f"pass {n + 1}" if n % every == 0 else "" for n in range(n_rows)])
    top = TITLE_PIXELS + WORD_PIXELS
    figure.update_layout(
        height=top + ROWS_PIXELS + 8,
        margin={"t": top},
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
        visible=n_columns <= MAX_WORDS,
        range=[-0.5, n_columns - 0.5],
        side="top",
        ticks="",
        showgrid=False,
        tickvals=list(range(len(labels))),
        ticktext=[plain(label.strip(SPACE)[:MAX_WORD]) for label in labels],
        tickangle=-90,
        tickfont={"family": READING_FACE, "size": 14},
    )


def one_half(chart: Chart, half: int, *, is_low: bool = False) -> Chart:
    """Draws one half by itself, in larger squares if it has the height: 0 is without the cache."""
    layout, axis = chart.figure.layout, f"x{'2' * half}"
    left_out = {"xaxis2", "yaxis2", "annotations"}
    figure = Figure(**{name: look for name, look in layout.items() if name not in left_out})
    figure.update_layout(
        xaxis={"domain": [0, 1]}, height=layout["height"] + (0 if is_low else LARGER)
    )
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
    shades = [sheer(colour("keys"), KEPT_TINT), colour("prompt"), colour("generated")]
    gaps = {f"{way}gap": max(0, 2 - n // 25) for way, n in zip("yx", shape, strict=True)}
    look = {"zmin": KEPT, "zmax": WRITTEN, **gaps}
    add_cells(figure, squares, shades, **look, xaxis=f"x{axis}", yaxis=f"y{axis}")


def _add_outlines(
    figure: Figure, lengths: Sequence[int], columns: Sequence[int], first: int, axis: str
) -> None:
    """Outlines the last columns, so many, of the rows from `first` on."""
    x: list[float | None] = []
    y: list[float | str | None] = []
    for row in range(first, len(lengths)):
        for column in range(lengths[row] - columns[row], lengths[row]):
            left, right, low, high = column - HALF, column + HALF, row - HALF, row + HALF
            x += [left, right, right, left, left, None]
            y += [low, low, high, high, low, None]
    axes = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
    add_line(figure, "", x, y, colour("rejected"), dash="dot", width=1, hoverinfo="skip", **axes)


def _name_new(figure: Figure, labels: Sequence[str], n_prompt: int) -> None:
    """Writes each token after the prompt into the one square that its pass computes."""
    columns = range(n_prompt, len(labels))
    figure.add_scatter(
        mode="text",
        x=list(columns),
        y=[column - n_prompt + 1 for column in columns],
        text=[plain(labels[column].strip(SPACE), MAX_INSIDE_LETTERS) for column in columns],
        textfont={"family": READING_FACE, "size": 14, "color": colour("paper")},
        hoverinfo="skip",
        showlegend=False,
        xaxis="x2",
        yaxis="y2",
    )


def total_html(n_prompt: int, n_passes: int, half: int) -> Markup:
    """Writes below a half what all of its squares come to: 0 is without the cache."""
    columns = [1 if half and n else n_prompt + n for n in range(n_passes)]
    terms = " + ".join(map(count, columns))
    return element("p", element("b", count(sum(columns))), f" = {terms}", class_="kv-total")


def _sum(columns: Sequence[int]) -> str:
    """Writes a sum out, its middle left out where it is long, and what it comes to."""
    terms = [count(n) for n in columns]
    if len(terms) == 1:
        return plural(columns[0], "column")
    written = "+".join(terms)
    if len(written) > MAX_LETTERS:
        written = "+".join([*terms[:2], "…", terms[-1]])
    return f"{written} = {count(sum(columns))}"

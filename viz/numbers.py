"""The numbers that a figure draws, in words and as tables: for who hears the page, or copies them.

All of it is read from the figure itself, so that no figure can be drawn without its numbers.
"""

import html
import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from viz.chart import Table
from viz.figure import Figure, Style
from viz.format import digits
from viz.strip import element

MAX_MARKS = 24  # of a trace that are named one by one to who hears the page
SIGNIFICANT = 4  # digits of a number in a table
SERIES, READS = "series", "in words"  # columns that no axis names


# as tables


def number_tables(figure: Figure) -> list[Table]:
    """Returns all that a figure draws: its marks row by row, and a table for each map of cells."""
    maps = [trace for trace in figure.data if trace["type"] == "heatmap"]
    marks = [trace for trace in figure.data if _is_data(trace, figure.layout)]
    rows = [row for trace in marks for row in _mark_rows(trace, figure.layout)]
    rows += [{READS: plain_words(note["hovertext"])} for note in _notes(figure)]
    tables = [_complete(rows)] if rows else []
    return tables + [_cell_rows(trace, figure.layout) for trace in maps]


def numbers_html(figure: Figure) -> Markup:
    """Writes these tables, each in a frame of its own."""
    tables = (element("table", *_lines(rows)) for rows in number_tables(figure))
    return Markup("").join(element("div", table, class_="numbers") for table in tables)


def _lines(rows: Table) -> Iterator[Markup]:
    """Yields the lines of a table; its first cells head the rows where they name them."""
    heads = (element("th", name, scope="col") for name in rows[0])
    yield element("thead", element("tr", *heads))
    first = {} if SERIES in rows[0] else {"scope": "row"}
    for row in rows:
        name, *others = (str(cell) for cell in row.values())
        cells = (element("td", cell) for cell in others)
        yield element("tr", element("th" if first else "td", name, **first), *cells)


def _notes(figure: Figure) -> Iterator[Style]:
    """Yields the words in a figure that say more under the pointer."""
    notes = figure.layout.get("annotations", ())
    return (note for note in notes if note.get("hovertext"))


def _complete(rows: Table) -> Table:
    """Gives every row a cell in every column that any has; a column without words goes."""
    names = list(dict.fromkeys(name for row in rows for name in row if row[name] != ""))
    return [{name: row.get(name, "") for name in names} for row in rows]


def _is_data(trace: Style, layout: Style) -> bool:
    """Tells marks that are read from lines that only guide the eye: these say nothing."""
    if trace["type"] == "heatmap" or trace.get("opacity") == 0:
        return False
    is_silent = trace.get("text") is None and trace.get("hoverinfo") == "skip"
    has_axes = all(_Axis(trace, layout, letter).is_shown for letter in "xy")
    return not is_silent or bool(trace.get("name") and has_axes)


def _mark_rows(trace: Style, layout: Style) -> Iterator[dict[str, object]]:
    """Yields a row for each mark: its series, its places on the axes, what the pointer reads."""
    name = plain_words(trace.get("name") or "")
    if trace.get("fill") == "toself":
        yield from ({SERIES: name, **row} for row in _box_rows(trace, layout))
        return
    columns = {axis: _Axis(trace, layout, axis) for axis in "xy"}
    along = "x" if trace.get("orientation") == "h" else "y"
    words = _one_each(trace.get("hovertext") or trace.get("text"), len(trace["x"]))
    bases = _one_each(trace.get("base"), len(trace["x"]))
    for x, y, said, base in zip(trace["x"], trace["y"], words, bases, strict=True):
        if x is None or y is None or "" in (x, y):
            continue
        row: dict[str, object] = {SERIES: name}
        for axis, value in (("x", x), ("y", y)):
            column = columns[axis]
            if base is not None and axis == along:
                row |= {f"{column.title}, from": column.read(base)}
                row |= {f"{column.title}, to": column.read(base + value)}
            elif column.is_shown or (axis == along and trace["type"] == "bar"):
                row[column.title] = column.read(value)
        yield row | {READS: plain_words(str(said or ""))}


def _one_each(given: Any, n_marks: int) -> Sequence[Any]:
    """Returns what stands at each mark, where one thing or nothing was given for all."""
    return list(given) if isinstance(given, list | tuple) else [given] * n_marks


def _box_rows(trace: Style, layout: Style) -> Iterator[dict[str, object]]:
    """Yields a row for each box of a filled path: its row, and from where to where it reaches."""
    across, up = _Axis(trace, layout, "x"), _Axis(trace, layout, "y")
    points = zip(trace["x"], trace["y"], strict=True)
    for is_gap, group in groupby(points, key=lambda point: point[0] is None):
        if not is_gap:
            x, y = zip(*group, strict=True)
            row = (min(y) + max(y)) / 2
            yield {
                up.title: up.read(row),
                f"{across.title}, from": across.read(min(x)),
                f"{across.title}, to": across.read(max(x)),
            }


def _cell_rows(trace: Style, layout: Style) -> Table:
    """Returns a map as it lies: a row for each of its rows, a column for each of its columns."""
    across, up = _Axis(trace, layout, "x"), _Axis(trace, layout, "y")
    cells = _cell_words(trace)
    columns = _places(trace, "x", len(cells[0]) if cells else 0)
    rows = _places(trace, "y", len(cells))
    names = _apart([str(across.read(place)) for place in columns])
    table: Table = []
    for place, row in zip(rows, cells, strict=True):
        table.append({up.title: up.read(place), **dict(zip(names, row, strict=True))})
    return table


def _places(trace: Style, axis: str, n: int) -> Sequence[Any]:
    given = trace.get(axis)
    return range(n) if given is None else list(given)


def _cell_words(trace: Style) -> list[list[str]]:
    """Returns what each cell says: its text, the last line under the pointer, or its number."""
    for written in (trace.get("text"), trace.get("hovertext")):
        if written is not None and not isinstance(written, str):
            return [[_last_line(str(one)) for one in row] for row in written]
    return [[_number(value) for value in row] for row in trace["z"]]


def _last_line(words: str) -> str:
    return plain_words(words.rpartition("<br>")[2])


def _apart(names: Sequence[str]) -> list[str]:
    """Numbers names that come twice, as tokens may: a table has one column of each name."""
    return [
        name if names.count(name) == 1 else f"{place + 1}: {name}"
        for place, name in enumerate(names)
    ]


class _Axis:
    """An axis of a trace: what its column is called, and what stands at a place of it."""

    def __init__(self, trace: Style, layout: Style, letter: str) -> None:
        own = trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis")
        axis = layout.get(own, {})
        axis = layout.get(axis.get("matches", "").replace(letter, f"{letter}axis"), {}) | axis
        named = axis.get("title", {}).get("text") or ""
        self.title = plain_words(named) or {"x": "across", "y": "row"}[letter]
        ticks = zip(axis.get("tickvals", ()), axis.get("ticktext", ()), strict=False)
        self.names = {place: plain_words(str(name)) for place, name in ticks}
        self.is_shown = axis.get("visible") is not False and bool(
            named or self.names or axis.get("showticklabels") is not False
        )

    def read(self, place: Any) -> str:
        """Returns the name of a place, or its number."""
        if isinstance(place, str):
            return plain_words(place)
        return self.names.get(place) or _number(place)


def _number(value: Any) -> str:
    if value is None or not math.isfinite(value):
        return "–"
    return str(int(value)) if float(value).is_integer() else digits(float(value), SIGNIFICANT)


# in words


def numbers_of(figure: Figure) -> str:
    """Says what a figure draws: "drawn: cat 12, dog 7. expected: cat 11, dog 8.".

    A line is told by its ends where it is long; the cells of a map are left out: they are too many.
    """
    traces = (trace for trace in figure.data if trace["type"] != "heatmap")
    said = dict.fromkeys(_trace_words(trace, figure.layout) for trace in traces)
    return " ".join(f"{plain_words(words)}." for words in said if words)


def _trace_words(trace: Style, layout: Style) -> str:
    texts = trace.get("text")
    is_frame = texts is None and trace.get("hoverinfo") in ("skip", "name")
    is_span = trace.get("base") is not None  # from one moment to another
    if is_frame or is_span or trace.get("opacity") == 0:
        return ""
    rows, columns = ("y", "x") if _has_rows(trace, layout) else ("x", "y")
    axis = layout.get(trace.get(f"{rows}axis", rows).replace(rows, f"{rows}axis"), {})
    names = dict(zip(axis.get("tickvals", ()), axis.get("ticktext", ()), strict=False))
    values = trace[columns] if texts is None else texts
    marks = [mark for mark in zip(trace[rows], values, strict=True) if _is_shown(mark[1])]
    told = [marks[0], marks[-1]] if len(marks) > MAX_MARKS else marks
    if all(place in names for place, _ in told):
        told = [(names[place], value) for place, value in told]
    words = ", ".join(_mark_words(place, value) for place, value in told)
    name = trace.get("name")
    return f"{name}: {words}" if name and words else words


def _has_rows(trace: Style, layout: Style) -> bool:
    """Tells whether the marks lie in rows with names; else they stand over places."""
    axis = layout.get("yaxis", {})
    is_of_rows = "categoryarray" in axis or axis.get("autorange") == "reversed"
    return trace.get("orientation") == "h" or is_of_rows


def _is_shown(value: Any) -> bool:
    return bool(value) if isinstance(value, str) else value is not None and math.isfinite(value)


def _mark_words(place: Any, value: Any) -> str:
    number = value if isinstance(value, str) else digits(float(value))
    return f"{place} {number}" if isinstance(place, str) else f"{number} at {place:g}"


def plain_words(words: str) -> str:
    """Takes Plotly's markup out."""
    return " ".join(html.unescape(re.sub("<[^>]+>", "", words.replace("<br>", " "))).split())

"""What a chart hands to the page, and what every chart owes the reader."""

import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go

from model.recorded import recorded_job
from viz.chart import Chart, Table
from viz.figure import as_seen
from viz.format import THIN
from viz.numbers import SERIES, number_tables, plain_words

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
PROVENANCE = re.compile("measured|recorded|derived|illustrative", re.IGNORECASE)


def checked(chart: Chart) -> go.Figure:
    """The figure through Plotly's own constructors, which refuse what the page's would not know.

    It is strict JSON without a title, in which no label is markup and every role has its code. Its
    caption says where it comes from, and is told to those who hear the page as well.
    """
    figure = go.Figure(chart.figure.to_dict())
    assert "<script>" not in as_json(figure)
    assert "var(" not in str(as_seen(chart.figure, "dark").to_dict())
    assert figure.layout.title.text is None
    assert PROVENANCE.search(chart.caption) or not figure.data
    assert chart.caption in chart.alt
    _check_numbers(chart)
    return figure


def _check_numbers(chart: Chart) -> None:
    """Its tables hold all that it draws: every series, and every number of a bar or a line."""
    tables = number_tables(chart.figure)
    maps = [trace for trace in chart.figure.data if trace["type"] == "heatmap"]
    shapes = [(len(table), len(table[0]) - 1) for table in tables[len(tables) - len(maps) :]]
    assert shapes == [np.shape(trace["z"]) for trace in maps]
    rows = [row for table in tables[: len(tables) - len(maps)] for row in table]
    for trace in chart.figure.data:
        if trace["type"] == "heatmap" or not (trace.get("hovertemplate") or trace.get("hovertext")):
            continue
        own = [row for row in rows if row.get(SERIES, "") == plain_words(trace.get("name") or "")]
        marks = [(x, y) for x, y in zip(trace["x"], trace["y"], strict=True) if x is not None]
        assert len(own) >= len(marks), trace.get("name")
        words = " ".join(str(cell) for row in own for cell in row.values())
        told = np.array([float(n) for n in NUMBER.findall(words.replace(THIN, ""))])
        drawn = np.array([mark[trace.get("orientation") != "h"] for mark in marks], object)
        if trace.get("base") is not None:
            drawn = drawn + np.array(trace["base"])  # a span is told by its ends
        for value in (one for one in drawn if isinstance(one, float) and np.isfinite(one)):
            assert np.isclose(told, value, rtol=1e-3).any() or value in _names(chart, trace), value


def _names(chart: Chart, trace: dict[str, Any]) -> list[float]:
    """The places of the trace's own number axis that have names."""
    letter = "x" if trace.get("orientation") == "h" else "y"
    axis = trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis")
    layout = chart.figure.layout.get(axis, {})
    return list(layout["tickvals"]) if "ticktext" in layout else []


def as_json(figure: go.Figure) -> str:
    """As the page receives it, without NaN."""
    return json.dumps(figure.to_plotly_json(), default=np.ndarray.tolist, allow_nan=False)


def column(table: Table, name: str) -> list[object]:
    """One column of a table, from the top down; None where a row has nothing there."""
    return [row.get(name) for row in table]


def recorded(key: str, kind: object) -> Any:
    """What a section's recording found: a real record of that kind."""
    return recorded_job(key, kind).result

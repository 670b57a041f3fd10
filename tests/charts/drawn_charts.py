"""What a chart hands to the page, and what every chart owes the reader."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go

from model.recorded import recorded_job
from viz.chart import Chart, Table
from viz.figure import as_seen

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
    return figure


def as_json(figure: go.Figure) -> str:
    """As the page receives it, without NaN."""
    return json.dumps(figure.to_plotly_json(), default=np.ndarray.tolist, allow_nan=False)


def column(table: Table, name: str) -> list[object]:
    """One column of a table, from the top down; None where a row has nothing there."""
    return [row.get(name) for row in table]


def recorded(key: str, kind: object) -> Any:
    """What a section's recording found: a real record of that kind."""
    return recorded_job(key, kind).result

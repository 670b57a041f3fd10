"""What a chart hands to the page, and what every chart owes the reader."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.chart import Chart
from viz.figure import as_seen


def spec(chart: Chart) -> dict[str, Any]:
    """The figure as plain values, as the page receives it; strict JSON, so no NaN."""
    plain = json.dumps(checked(chart).to_plotly_json(), default=np.ndarray.tolist, allow_nan=False)
    return dict(json.loads(plain))


def checked(chart: Chart) -> go.Figure:
    """The figure through Plotly's own constructors, which refuse what the page's would not know."""
    return go.Figure(chart.figure.to_dict())


def assert_is_well_made(chart: Chart) -> None:
    """Strict JSON without a title, whose caption is told to those who hear the page as well."""
    spec(chart)
    assert "var(" not in str(as_seen(chart.figure, "dark").to_dict()), "every role has its code"
    assert checked(chart).layout.title.text is None
    assert chart.caption
    assert chart.caption in chart.alt

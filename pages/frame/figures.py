"""What is shown on a page: figures in the reader's theme, larger on a projector, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.frame.layout import is_presenting, theme_now
from viz.chart import Chart
from viz.reader import FACTOR, as_seen

METRIC_PIXELS = 215  # wide


def show_chart(chart: Chart, key: str, **more: Any) -> None:
    """Show a figure, and below it what it says and where its numbers come from.

    Args:
        chart: In roles.
        key: Of the figure.
        more: Of Streamlit's own, such as what a click does.
    """
    seen = as_seen(chart.figure, theme_now(), FACTOR if is_presenting() else 1.0)
    bare = {"displayModeBar": False}
    st.plotly_chart(seen, key=key, theme=None, alt=chart.alt, config=bare, **more)
    st.caption(chart.caption)


def show_charts(charts: Sequence[tuple[Chart, str]]) -> None:
    """Show figures side by side, each with its key."""
    for column, (chart, key) in zip(st.columns(len(charts), gap="medium"), charts, strict=True):
        with column:
            show_chart(chart, key)


def show_metrics(cells: Sequence[tuple[str, str, str]], key: str) -> None:
    """Show numbers side by side, each with its name above and a note below."""
    width = round(METRIC_PIXELS * (FACTOR if is_presenting() else 1))
    with st.container(horizontal=True, key=key):
        for name, value, note in cells:
            with st.container(width=width, gap=None):
                st.metric(name, value)
                st.caption(note)

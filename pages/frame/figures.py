"""What is shown on a page: figures in the reader's theme, larger on a projector, and numbers."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.frame.layout import is_presenting
from viz.chart import Chart
from viz.palette import Theme
from viz.presenter import FACTOR, enlarge

METRIC_PIXELS = 215  # wide


def theme_now() -> Theme:
    """Return the theme that the reader's browser shows."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show_chart(chart: Chart, key: str) -> None:
    """Show a figure, and below it what it says and where its numbers come from."""
    shown = sized(chart)
    st.plotly_chart(
        shown.figure, key=key, theme=None, alt=shown.alt, config={"displayModeBar": False}
    )
    st.caption(shown.caption)


def show_charts(charts: Sequence[tuple[Chart, str]]) -> None:
    """Show figures side by side, each with its key."""
    for column, (chart, key) in zip(st.columns(len(charts), gap="medium"), charts, strict=True):
        with column:
            show_chart(chart, key)


def sized(chart: Chart) -> Chart:
    """Return a chart as it is, or larger on a projector."""
    return enlarge(chart) if is_presenting() else chart


def show_metrics(cells: Sequence[tuple[str, str, str]], key: str) -> None:
    """Show numbers side by side, each with its name above and a note below."""
    width = round(METRIC_PIXELS * (FACTOR if is_presenting() else 1))
    with st.container(horizontal=True, key=key):
        for name, value, note in cells:
            with st.container(width=width, gap=None):
                st.metric(name, value)
                st.caption(note)

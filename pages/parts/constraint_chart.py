"""A figure of the constraint lesson on the page, larger for a projector."""

from __future__ import annotations

import streamlit as st

from viz.chart import Chart
from viz.large_type import enlarge


def show_chart(chart: Chart, key: str) -> None:
    """Show a figure, and below it what it says and where its numbers come from."""
    if st.session_state.get("presenter"):
        chart = enlarge(chart)
    st.plotly_chart(
        chart.figure, key=key, theme=None, alt=chart.alt, config={"displayModeBar": False}
    )
    st.caption(chart.caption)

"""How the lesson on the causal mask looks: its charts, and their size on a projector."""

from __future__ import annotations

import streamlit as st

from viz.chart import Chart
from viz.palette import Theme

_LARGER = 1.35  # figures and their words on a projector
_PRESENTER = """
<style>
.stMainBlockContainer p, .stMainBlockContainer label p, .stMainBlockContainer button p,
.stMainBlockContainer textarea {font-size: 1.3rem; line-height: 1.5;}
.stMainBlockContainer input, .stMainBlockContainer [data-baseweb="select"],
.stMainBlockContainer [data-testid="stSliderThumbValue"] p {font-size: 1.1rem;}
.stMainBlockContainer [data-testid="stCaptionContainer"] p {font-size: 1.15rem;}
.stMainBlockContainer h2 {font-size: 2rem;}
.stMainBlockContainer [data-testid="stMetricValue"] {font-size: 2.6rem;}
</style>
"""


def theme_now() -> Theme:
    """Return the theme that the reader's browser shows."""
    return "dark" if st.context.theme.type == "dark" else "light"


def is_presenting() -> bool:
    """Tell whether the page is on a projector."""
    return bool(st.session_state.get("presenter"))


def presenter_style() -> None:
    """Make the words of the page large on a projector."""
    if is_presenting():
        st.html(_PRESENTER)


def show_chart(chart: Chart, key: str) -> None:
    """Show a figure, and below it what it says and where its numbers come from."""
    enlarge(chart)
    st.plotly_chart(
        chart.figure, key=key, theme=None, alt=chart.alt, config={"displayModeBar": False}
    )
    st.caption(chart.caption)


def enlarge(chart: Chart) -> None:
    """On a projector, draw a figure and its words larger."""
    if not is_presenting():
        return
    figure = chart.figure
    words = {"tickfont_size": 16, "title_font_size": 17}
    figure.update_layout(height=_LARGER * figure.layout.height, font_size=17, legend_font_size=17)
    figure.update_xaxes(**words)
    figure.update_yaxes(**words)
    figure.update_annotations(font_size=18)


def show_metrics(cells: list[tuple[str, str, str]], key: str) -> None:
    """Show numbers side by side, each with its name above and a note below."""
    width = 300 if is_presenting() else 230
    with st.container(horizontal=True, key=key):
        for name, value, note in cells:
            with st.container(width=width, gap=None):
                st.metric(name, value)
                st.caption(note)

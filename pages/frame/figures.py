"""What is shown on a page: figures in the reader's theme, larger on a projector, and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import accumulate
from typing import Any

import streamlit as st

from model.records import Machine
from pages.frame.layout import is_presenting, theme_now
from viz.chart import Chart, as_recorded, recorded_words
from viz.figure import FACTOR, as_seen

METRIC_PIXELS = 215  # wide
TWO_LINES = 160  # characters
_recorded_on: ContextVar[Machine | None] = ContextVar("recorded_on", default=None)


@contextmanager
def recording(machine: Machine) -> Iterator[None]:
    """Let all figures and captions drawn meanwhile say that they are another machine's."""
    token = _recorded_on.set(machine)
    try:
        yield
    finally:
        _recorded_on.reset(token)


def show_chart(chart: Chart, key: str, **more: Any) -> None:
    """Show a figure, and below it what it says and where its numbers come from.

    Args:
        chart: In roles.
        key: Of the figure.
        more: Of Streamlit's own, such as what a click does.
    """
    machine = _recorded_on.get()
    shown = chart if machine is None else as_recorded(chart, machine)
    seen = as_seen(shown.figure, theme_now(), FACTOR if is_presenting() else 1.0)
    bare = {"displayModeBar": False}
    st.plotly_chart(seen, key=key, theme=None, alt=shown.alt.replace("`", ""), config=bare, **more)
    _show_folded(shown.caption, key)


def show_caption(text: str) -> None:
    """Show a caption that says how something was measured."""
    machine = _recorded_on.get()
    st.caption(text if machine is None else recorded_words(text, machine))


def _show_folded(caption: str, key: str) -> None:
    """Show two lines of a caption; the rest of it is one press away."""
    sentences = re.split(r"(?<=[.]) (?=[A-Z∞])", caption)
    lengths = accumulate(len(sentence) + 1 for sentence in sentences)
    n_shown = max(1, sum(length <= TWO_LINES for length in lengths))
    with st.container(gap=None):
        st.caption(" ".join(sentences[:n_shown]))
        if rest := " ".join(sentences[n_shown:]):
            with st.expander("More", key=f"{key}_more", type="compact"):
                st.caption(rest)


def show_charts(charts: Sequence[tuple[Chart, str]], widths: Sequence[int] = ()) -> None:
    """Show figures side by side, each with its key, in shares of the width."""
    columns = st.columns(widths or len(charts), gap="medium")
    for column, (chart, key) in zip(columns, charts, strict=True):
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

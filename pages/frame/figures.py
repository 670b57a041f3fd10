"""What is shown on a page: figures in the reader's theme, larger on a projector, and numbers."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import accumulate
from typing import Any

import streamlit as st

from model.records import Machine
from pages.frame.layout import is_presenting, theme_now
from pages.frame.second_run import is_whole
from viz.chart import Chart, Table, as_recorded, recorded_words
from viz.figure import FACTOR, Figure, as_seen
from viz.numbers import numbers_html, numbers_of

METRIC_PIXELS = 215  # wide
TWO_LINES = 160  # characters
# whose run is drawn, where it is not this machine's, and how its figures' keys end
_recording: ContextVar[tuple[Machine | None, str]] = ContextVar("recording", default=(None, ""))


@contextmanager
def recorded_on(machine: Machine, ending: str = "") -> Iterator[None]:
    """Lets all figures and captions drawn meanwhile say that they are another machine's.

    `ending` is of their keys, where those that are measured here stand beside them.
    """
    token = _recording.set((machine, ending))
    try:
        yield
    finally:
        _recording.reset(token)


def show_chart(
    chart: Chart, key: str, *, below: Callable[[], None] | None = None, **more: Any
) -> None:
    """Shows a figure, and below it what it says and where its numbers come from.

    `below` draws what stands between the figure and these words; `more` is Streamlit's own, such
    as what a click does.
    """
    machine, ending = _recording.get()
    key += ending
    shown = chart if machine is None else as_recorded(chart, machine)
    seen = as_seen(shown.figure, theme_now(), FACTOR if is_presenting() else 1.0)
    bare = {"displayModeBar": False}
    heard = f"{shown.alt} {numbers_of(shown.figure)}".replace("`", "")
    st.plotly_chart(seen, key=key, theme=None, alt=heard, config=bare, **more)
    if below is not None:
        below()
    show_folded(shown.caption, key, shown.figure)


def show_caption(text: str) -> None:
    """Shows a caption that says how something was measured."""
    machine, _ = _recording.get()
    st.caption(text if machine is None else recorded_words(text, machine))


def show_folded(caption: str, key: str, figure: Figure | None = None) -> None:
    """Shows two lines of a caption; the rest of it and a figure's numbers are one press away."""
    sentences = re.split(r"(?<=[.]) (?=[A-Z∞])", caption)
    lengths = accumulate(len(sentence) + 1 for sentence in sentences)
    n_shown = max(1, sum(length <= TWO_LINES for length in lengths))
    with st.container(gap=None):
        st.caption(" ".join(sentences[:n_shown]))
        rest = " ".join(sentences[n_shown:])
        if figure is None and rest:
            with st.expander("More", key=f"{key}_more", type="compact"):
                st.caption(rest)
        elif figure is not None and figure.data:
            _show_numbers(rest, key, figure)


def _show_numbers(rest: str, key: str, figure: Figure) -> None:
    """Shows the rest of a caption, and what a figure draws as tables: made once they are opened."""
    title = "More, and the numbers" if rest else "The numbers"
    fold = st.expander(title, key=f"{key}_more", type="compact", on_change="rerun")
    with fold:
        if rest:
            st.caption(rest)
        if fold.open:
            st.html(numbers_html(figure))


def draw_when_opened(title: str, draw: Callable[[], None], key: str) -> None:
    """Draws a fold's figures and tables once it is open: a browser lays out unseen ones too."""
    fold = st.expander(title, key=key + _recording.get()[1], on_change="rerun")
    if fold.open or is_whole():
        with fold:
            draw()


def show_charts(charts: Sequence[tuple[Chart, str]], widths: Sequence[int] = ()) -> None:
    """Shows figures side by side, each with its key, in shares of the width."""
    columns = st.columns(widths or len(charts), gap="medium")
    for column, (chart, key) in zip(columns, charts, strict=True):
        with column:
            show_chart(chart, key)


def show_table(rows: Table, key: str, formats: Mapping[str, str] | None = None) -> None:
    """Shows a table; `formats` says by column how numbers are written: "%.3f", "percent"."""
    column = st.column_config.NumberColumn
    st.dataframe(
        rows,
        hide_index=True,
        key=key + _recording.get()[1],
        column_config={name: column(format=shown) for name, shown in (formats or {}).items()},
    )


def show_metrics(cells: Sequence[tuple[str, str, str]], key: str) -> None:
    """Shows numbers side by side, each with its name above and a note below."""
    width = round(METRIC_PIXELS * (FACTOR if is_presenting() else 1))
    with st.container(horizontal=True, key=key):
        for name, value, note in cells:
            with st.container(width=width, gap=None):
                st.metric(name, value)
                st.caption(note)

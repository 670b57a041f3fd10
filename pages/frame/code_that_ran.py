"""The functions that made a figure's numbers, as they stand in their files."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from model.source_code import source_of


@st.fragment
def show_code(*functions: Callable[..., Any], key: str) -> None:
    """Shows the very lines that ran, folded away until somebody asks.

    Half of what a lesson's page held was coloured code that nobody had opened.
    """
    drawer = st.expander(
        "The code that ran", key=key, icon=":material/code:", type="compact", on_change="rerun"
    )
    for function in functions if drawer.open else ():
        source = source_of(function)
        drawer.caption(f"`{source.name}`, {source.file}, line {source.first_line}")
        drawer.code("\n".join(source.lines), language="python")

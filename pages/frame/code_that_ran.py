"""The functions that made a figure's numbers, as they stand in their files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from model.source_code import source_of


def show_code(*functions: Callable[..., Any], key: str) -> None:
    """Show the very lines that ran, folded away until somebody asks."""
    with st.expander("The code that ran", key=key, icon=":material/code:", type="compact"):
        for function in functions:
            source = source_of(function)
            st.caption(f"`{source.name}`, {source.file}, line {source.first_line}")
            st.code("\n".join(source.lines), language="python")

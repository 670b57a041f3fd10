"""What is drawn later: a page below its first screens once they are painted, a fold once open."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages.frame.component import component
from pages.frame.question import lesson_asks

WHOLE = "whole_pages"  # in the session: that all is drawn at once, where no browser asks for it
_second_run = component("second_run", Path(__file__).with_name("second_run.js"))


def draw_in_second_run(draw: Callable[[], None]) -> None:
    """Draws the rest of a page, which the browser asks for once it has painted the first run's.

    A guided lesson marks what it is about wherever that stands: there all is drawn at once.
    """
    seen = st.session_state.get("rest_unseen") or {}
    is_here = bool(seen.get("is_painted")) or _is_whole()
    with st.container(key="rest" if is_here else "rest_to_come"):
        data = {"isHere": is_here}
        _second_run(
            key="rest_unseen", data=data, height="content", on_is_painted_change=lambda: None
        )
        if is_here:
            draw()


def draw_when_opened(title: str, draw: Callable[[], None], key: str) -> None:
    """Draws figures and tables in a fold, which a browser would lay out unseen, once it is open."""
    fold = st.expander(title, key=key, on_change="rerun")
    if fold.open or _is_whole():
        with fold:
            draw()


def _is_whole() -> bool:
    return lesson_asks() or WHOLE in st.session_state

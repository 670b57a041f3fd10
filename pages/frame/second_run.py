"""What stands below a page's first screens: drawn in a run of its own, once those are painted."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages.frame.component import component
from pages.frame.question import lesson_asks, lesson_ends_at_top

WHOLE = "whole_pages"  # in the session: that all is drawn at once, where no browser asks for it
_second_run = component("second_run", Path(__file__).with_name("second_run.js"))


def draw_in_second_run(draw: Callable[[], None]) -> None:
    """Draws the rest of a page, which the browser asks for once it has painted the first run's.

    A guided lesson marks what it is about wherever that stands: there all is drawn at once, or
    nothing of it if the scene is about the first screen.
    """
    if lesson_ends_at_top():
        return
    seen = st.session_state.get("rest_unseen") or {}
    is_here = bool(seen.get("is_painted")) or is_whole()
    with st.container(key="rest" if is_here else "rest_to_come"):
        data = {"isHere": is_here}
        _second_run(
            key="rest_unseen", data=data, height="content", on_is_painted_change=lambda: None
        )
        if is_here:
            draw()


def is_whole() -> bool:
    """Tells whether a page is drawn at once, with all that its folds hold."""
    return lesson_asks() or WHOLE in st.session_state

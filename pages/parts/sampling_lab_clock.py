"""The button that starts a long run and the one that stops it, around work in slices.

A running script cannot be interrupted by its own Stop button, so a run advances a little with every
tick of its fragment's clock. The clock runs only while the run does: starting and ending one draws
the page once more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import streamlit as st

TICK = 0.2  # seconds between two slices
SLICE = 0.15  # seconds of the model's work in each


class Run(Protocol):
    """What can be advanced in slices and stopped between them."""

    is_running: bool

    @property
    def done(self) -> float:
        """The fraction that is done."""

    def slice(self, seconds: float) -> None:
        """Run on for about so long."""


def on_a_clock(run: Run | None, draw: Callable[[], None]) -> None:
    """Draw a part of the page, again and again while its run goes on."""
    is_running = run is not None and run.is_running
    st.fragment(draw, run_every=TICK if is_running else None)()


def advance(run: Run | None) -> None:
    """Let the run go on for a slice; when it has come to its end, stop the clock."""
    if run is not None and run.is_running:
        run.slice(SLICE)
        if not run.is_running:
            st.rerun()


def start_or_stop(run: Run | None, title: str, key: str, start: Callable[[], None]) -> None:
    """Show a button that starts a run, or one that stops it; a bad start says why."""
    problem: str | None = None
    if run is not None and run.is_running:
        if st.button("Stop", key=f"{key}_stop"):
            run.is_running = False
            st.rerun()
    elif st.button(title, key=f"{key}_run", type="primary"):
        try:
            start()
        except ValueError as error:
            problem = str(error)
        else:
            st.session_state.pop(f"{key}_problem", None)
            st.rerun()
        st.session_state[f"{key}_problem"] = problem


def show_problem(key: str) -> None:
    """Say in one sentence why a run could not start; what was there before stays."""
    problem = st.session_state.get(f"{key}_problem")
    if problem:
        st.error(problem)

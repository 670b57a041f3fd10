"""A part of the page that runs for seconds: its clock, the button that starts and stops it.

A running script cannot be interrupted by its own Stop button, so a run advances by a slice with
every tick of its fragment's clock, after all is drawn, so that nothing fades meanwhile. The clock
ticks only while the run goes on: starting and ending one draws the page once more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import streamlit as st

CLOCK_SECONDS = 0.15  # after which the next slice is asked for
SLICE_SECONDS = 0.35  # of work between two looks at the buttons


class Run(Protocol):
    """What advances in slices."""

    @property
    def is_running(self) -> bool:
        """Whether it goes on."""

    def slice(self, seconds: float) -> None:
        """Runs on for about so long."""


class Stoppable(Protocol):
    """What ends where it is told that it no longer runs."""

    is_running: bool


class StoppableRun(Stoppable, Protocol):
    """What advances in slices, and ends where it is told so."""

    def slice(self, seconds: float) -> None:
        """Runs on for about so long."""


def in_slices(
    run_now: Callable[[], Run | None], draw: Callable[[], None], seconds: float = SLICE_SECONDS
) -> None:
    """Draw a part of the page, again and again while its run goes on.

    Args:
        run_now: Returns the run as it is at the moment; a press may put another there.
        draw: Draws the part, its buttons and its run included.
        seconds: Of work between two looks at the buttons.
    """
    has_clock = is_running(run_now())
    st.fragment(_part, run_every=CLOCK_SECONDS if has_clock else None)(
        run_now, draw, seconds, has_clock
    )


def _part(
    run_now: Callable[[], Run | None], draw: Callable[[], None], seconds: float, has_clock: bool
) -> None:
    if is_running(run_now()) != has_clock:
        st.rerun()  # the clock starts and stops with the whole page
    draw()
    run = run_now()
    if run is not None and run.is_running:
        run.slice(seconds)
        if not run.is_running:
            st.rerun()


def is_running(run: Run | None) -> bool:
    """Tell whether there is a run and it goes on."""
    return run is not None and run.is_running


def halt(run: Stoppable | None) -> None:
    """End a run, if there is one; what it found stays."""
    if run is not None:
        run.is_running = False


def start_or_stop(
    *,
    is_running: bool,
    title: str,
    key: str,
    start: Callable[[], None],
    stop: Callable[[], None],
    icon: str | None = None,
    start_key: str | None = None,
) -> None:
    """Show the button that starts a run, or while it goes on the one that stops it.

    Args:
        is_running: Whether the run goes on.
        title: Of the button that starts it.
        key: What both buttons' keys begin with.
        start: Starts a run, or says on the page why it cannot be.
        stop: Ends it; what was found stays.
        icon: Of the button that starts it, such as ":material/timer:".
        start_key: Of the button that starts it, where it has a key of its own.
    """
    if is_running:
        st.button("Stop", key=f"{key}_stop", on_click=stop, icon=":material/stop:")
    else:
        st.button(title, key=start_key or f"{key}_run", type="primary", on_click=start, icon=icon)


def run_button(run: StoppableRun | None, title: str, key: str, start: Callable[[], None]) -> None:
    """Show the button of a run that may refuse to start; see `show_problem`."""
    start_or_stop(
        is_running=is_running(run),
        title=title,
        key=key,
        start=lambda: _attempt(key, start),
        stop=lambda: halt(run),
    )


def _attempt(key: str, start: Callable[[], None]) -> None:
    """Start a run; where that cannot be, keep why, and what was there before stays."""
    try:
        start()
    except ValueError as error:
        st.session_state[f"{key}_problem"] = str(error)
    else:
        st.session_state.pop(f"{key}_problem", None)


def show_problem(key: str) -> None:
    """Say in one sentence why a run could not start."""
    if problem := st.session_state.get(f"{key}_problem"):
        st.error(problem)

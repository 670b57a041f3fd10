"""Something that is looked at step by step: Step, Play, Back and Reset, and the pace of Play."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


def at_a_pace(
    is_playing: Callable[[], bool],
    step: Callable[[], None],
    draw: Callable[[], None],
    seconds: float,
) -> None:
    """Draw a part of the page; while it plays, take a step and draw it again every so often.

    Args:
        is_playing: Tells whether it plays at the moment.
        step: Takes a step, and ends the play where none is left.
        draw: Draws the part, its buttons included.
        seconds: Between two steps: paced for the eye.
    """
    has_clock = is_playing()
    st.fragment(_part, run_every=seconds if has_clock else None)(is_playing, step, draw, has_clock)


def _part(
    is_playing: Callable[[], bool],
    step: Callable[[], None],
    draw: Callable[[], None],
    has_clock: bool,
) -> None:
    if has_clock and is_playing():
        step()
    if is_playing() != has_clock:
        st.rerun()  # the fragment's clock starts and stops with the whole page
    draw()


def step_buttons(
    key: str,
    *,
    is_playing: bool,
    can_step: bool,
    can_go_back: bool,
    step: Callable[[], None],
    play: Callable[[], None],
    back: Callable[[], None],
    reset: Callable[[], None] | None = None,
) -> None:
    """Show Step, Play or Pause, Back, and Reset where there is one.

    Args:
        key: What the buttons' keys begin with.
        is_playing: Whether it goes on by itself: then only Pause can be pressed.
        can_step: Whether a step is left.
        can_go_back: Whether a step was taken.
        step: Takes a step.
        play: Goes on by itself, or stops.
        back: Takes the last step back.
        reset: Takes all steps back.
    """
    st.button(
        "Step",
        key=f"{key}_step",
        type="primary",
        on_click=step,
        disabled=is_playing or not can_step,
        icon=":material/skip_next:",
    )
    st.button(
        "Pause" if is_playing else "Play",
        key=f"{key}_play",
        on_click=play,
        disabled=not is_playing and not can_step,
        icon=":material/pause:" if is_playing else ":material/play_arrow:",
    )
    was_stepped = can_go_back and not is_playing
    st.button(
        "Back",
        key=f"{key}_back",
        on_click=back,
        disabled=not was_stepped,
        icon=":material/undo:",
    )
    if reset is not None:
        st.button(
            "Reset",
            key=f"{key}_reset",
            on_click=reset,
            disabled=not was_stepped,
            icon=":material/restart_alt:",
        )

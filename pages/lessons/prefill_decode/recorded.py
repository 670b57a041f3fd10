"""A part of the page in figures: of what was measured here, and of a run recorded elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import streamlit as st

from model.prefill_decode.recordings import Recording
from pages.frame.figures import show_chart
from pages.frame.models import DEFAULT_MODEL
from pages.lessons.prefill_decode.settings import RECORDINGS, SETTINGS
from viz.chart import Chart, as_recorded

Run = TypeVar("Run")
Show: TypeAlias = Callable[[Chart, str], None]  # a figure, by the key of its place


def chosen_recording() -> Recording | None:
    """Return the recording that the reader laid beside, if any."""
    return RECORDINGS.get(SETTINGS["recording"])


def recording_beside(*, is_measured: bool) -> Recording | None:
    """Return the recording that was chosen; the shipped model's where nothing was measured."""
    shipped = (one for one in RECORDINGS.values() if one.machine.model == DEFAULT_MODEL)
    return chosen_recording() or (None if is_measured else next(shipped, None))


def show_runs(
    measured: Run | None, part: Callable[[Recording], Run], draw: Callable[[Run, Show], None]
) -> None:
    """Draw what was measured here, and the same of a recording: beside it, or until there is any.

    Args:
        measured: None where nothing was.
        part: Takes the same out of a recording.
        draw: Draws either by what it is handed, which says where the figures come from.
    """
    if measured is not None:
        draw(measured, show_chart)
    recording = recording_beside(is_measured=measured is not None)
    if recording is None:
        return
    machine = recording.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    st.caption(f"Recorded {machine.date[:10]}: {recording.title}, {versions}.")
    draw(part(recording), lambda chart, key: show_chart(as_recorded(chart, machine), f"{key}_rec"))

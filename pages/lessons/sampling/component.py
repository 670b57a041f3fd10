"""The lab's own component: every mask side by side, computed in the page while a slider is dragged.

Its modules lie beside this file and stand on the shared ones: masks, sliders, numbers, colours.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pages.frame.component import LabelledComponent

_lab = LabelledComponent("lab", "mountLab", Path(__file__).parent)
vocabulary = _lab.vocabulary


def lab(data: bytes, on_event: Callable[[], None], key: str = "lab") -> None:
    """Mount the lab.

    Args:
        data: What the page is to show, made by `Lab.payload`.
        on_event: Called before the run that answers a released slider.
        key: Names the component in the session.
    """
    _lab.show(key=key, data=data, on_event_change=on_event)

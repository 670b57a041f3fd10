"""The live component: the one piece of the page that moves under the hand.

Knows Streamlit and the protocol; nothing of models, nor of what the events mean.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages.frame.assets import SHARED
from pages.frame.component import component

# Nothing to see: what Next will bring, in the page before it is pressed.
_PREFETCH = """
export default ({ data }) => {
  globalThis.__ottPrefetched = data;
  document.dispatchEvent(new Event("ott-prefetched"));
};
"""
# Nor this: whenever the number grows, the top of the page comes into view.
_TO_TOP = """
let seen = null;
export default ({ data }) => {
  if (seen !== null && data > seen) document.querySelector(".stMain").scrollTo({ top: 0 });
  seen = data;
};
"""


def live(data: bytes, on_event: Callable[[], None]) -> None:
    """Mount the live component.

    Args:
        data: What the page is to show, made by `encode_payload`; behind it what `prefetch` takes.
        on_event: Called before the run that answers an event, which is its trigger "event".
    """
    _live(key="live", data=data, on_event_change=on_event)


def prefetch(data: bytes) -> None:
    """Mount what the live component will be told if Next comes next; empty where nobody knows."""
    _prefetch(key="prefetch", data=data, height="content")


def to_top(n_times: int) -> None:
    """Show the top of the page to who pressed something further down, once for each time."""
    _to_top(key="to_top", data=n_times, height="content")


_FOLDER = Path(__file__).parent / "live"
_live = component("live", _FOLDER / "mount.js", SHARED, _FOLDER)
_prefetch = st.components.v2.component("prefetch", js=_PREFETCH)
_to_top = st.components.v2.component("to_top", js=_TO_TOP)

"""The live component: the one piece of the page that moves under the hand.

Knows Streamlit, and where the component asks; nothing of models, nor of what it is answered.
"""

from pathlib import Path

from pages.frame.assets import SHARED
from pages.frame.component import component


def live(address: str, n_runs: int) -> None:
    """Mounts the live component.

    Args:
        address: Where it asks, with the secret of its session.
        n_runs: Of the page so far: whenever it has grown, the component asks for the state. It
            presses "outside" where the page around it has to be drawn anew.
    """
    data = {"address": address, "number": n_runs}
    _live(key="live", data=data, on_outside_change=_draw_anew)


def _draw_anew() -> None:
    """Nothing: the run that follows draws the page."""


def to_top(n_times: int) -> None:
    """Shows the top of the page to who pressed something further down, once for each time."""
    _to_top(key="top_unseen", data=n_times, height="content")


_FOLDER = Path(__file__).parent / "live"
_live = component("live", _FOLDER / "mount.js", SHARED, _FOLDER)
_to_top = component("to_top", _FOLDER.with_name("to_top.js"))

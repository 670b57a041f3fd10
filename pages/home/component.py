"""The live component: the one piece of the page that moves under the hand.

Knows Streamlit; nothing of models, nor of what the page is answered.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pages.frame.assets import SHARED
from pages.frame.component import component, trigger_value


def live(data: Mapping[str, Any], hear: Callable[[Any], None]) -> None:
    """Mounts the live component.

    Args:
        data: Where it asks, what it shows of the page around it, and what is asked of its session.
        hear: Is told what the session tells the page around it, which is then drawn anew.
    """
    _live(
        key="live",
        data=dict(data),
        on_outside_change=lambda: hear(trigger_value("live", "outside")),
    )


def to_top(n_times: int) -> None:
    """Shows the top of the page to who pressed something further down, once for each time."""
    _to_top(key="top_unseen", data=n_times, height="content")


_FOLDER = Path(__file__).parent / "live"
_live = component("live", _FOLDER / "mount.js", SHARED, _FOLDER)
_to_top = component("to_top", _FOLDER.with_name("to_top.js"))

"""Reconnecting: a reader whose connection was lost comes back, and nobody waits for it.

`fileWatcherType = "none"` keeps Streamlit 1.67 from watching the sources of a new session only. One
that is resumed gets a watcher all the same, and after its next run the server's event loop looks up
the path of every module, those of torch and transformers too: seconds in which no one is served.
"""

from __future__ import annotations

from streamlit import config
from streamlit.runtime.app_session import AppSession


def watch_no_sources() -> None:
    """Let a resumed session do without a watcher, as a new one does, where none is asked for."""
    if config.get_option("server.fileWatcherType") == "none":
        AppSession.register_file_watchers = _do_nothing  # type: ignore[method-assign]  # no option


def _do_nothing(self: AppSession) -> None:
    pass

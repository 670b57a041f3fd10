"""Four things that Streamlit 1.67 does and should not, and two that Python does."""

import asyncio
import socket
import sys
from asyncio import base_events
from functools import cache
from typing import Any

from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.runtime.session_manager import SessionInfo

_SWITCH_SECONDS = 0.001
_MARGIN_SECONDS = 0.1  # after which what is old is sure to be


def watch_no_sources() -> None:
    """Lets a session that is resumed do without a watcher, as a new one does.

    `fileWatcherType = "none"` is for new sessions only. One whose connection was lost gets a
    watcher all the same, and after its next run the server's event loop looks up the path of every
    module, those of torch and transformers too: seconds in which no one is served.
    """
    if config.get_option("server.fileWatcherType") == "none":
        AppSession.register_file_watchers = _do_nothing  # type: ignore[method-assign]  # no option


def _do_nothing(self: AppSession) -> None:
    pass


def keep_theme() -> None:
    """Lets each run send the theme as it was put together for the first.

    For each of six sections all options are gone through at every press: over half of what the
    event loop does to begin a run. A section is put together again where the config is read anew.
    """
    populate = app_session._populate_theme_msg

    @cache
    def packed(section: str) -> bytes:
        theme = CustomThemeConfig()
        populate(theme, section)
        message: bytes = theme.SerializeToString()
        return message

    def copy_theme(msg: CustomThemeConfig, section: str = "theme") -> None:
        if theme := packed(section):
            msg.MergeFromString(theme)

    app_session._populate_theme_msg = copy_theme
    config.on_config_parsed(packed.cache_clear, force_connect=True)


def send_fragments_whole() -> None:
    """Has every element of a fragment sent whole, not as a reference to an earlier one.

    When a fragment runs again before all that it drew was sent, its unsent messages are dropped,
    save the references, which do not say whose they are: they point below blocks that were dropped,
    the page fails with "'setIn' cannot be called on an ElementNode", and turns white.
    """
    refer = script_run_context.create_reference_msg  # type: ignore[attr-defined]  # not exported

    def refer_outside_fragments(msg: ForwardMsg) -> ForwardMsg:
        return msg if msg.delta.fragment_id else refer(msg)

    script_run_context.create_reference_msg = (  # type: ignore[attr-defined]  # not exported
        refer_outside_fragments
    )


def forget_who_left() -> None:
    """Lets go of a session that nobody comes back to, and of its texts, though nobody else comes.

    Streamlit keeps one for two minutes, for a connection that was lost; then it looks which are
    older only when the next is kept.
    """
    save = MemorySessionStorage.save

    def save_for_a_while(self: MemorySessionStorage, session_info: SessionInfo) -> None:
        save(self, session_info)
        kept: Any = self._cache
        asyncio.get_running_loop().call_later(kept.ttl + _MARGIN_SECONDS, kept.expire)

    MemorySessionStorage.save = save_for_a_while  # type: ignore[method-assign]  # no option


def switch_threads_often() -> None:
    """Lets Python go over to a thread that waits after 1 ms, and not after 5.

    A pass lets other threads in at each of its operations, and then waits until it is let in again:
    beside three threads that draw, a press took 430 ms with 5 ms, and takes 130 with 1.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)


def send_at_once() -> None:
    """Switches Nagle's algorithm off on the server's connections, as asyncio means to.

    asyncio looks for the protocol's number on the socket, which one that listens as the server's do
    has not. An answer leaves in two parts, head and body: on a connection that is used again the
    second waited until the browser acknowledged the first, 40 ms on Linux.
    """
    base_events._set_nodelay = _set_nodelay  # type: ignore[attr-defined]  # no option


def _set_nodelay(sock: socket.socket) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and sock.type == socket.SOCK_STREAM:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

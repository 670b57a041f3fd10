"""Bounds on uploaded files: how many a session may hold, how many bytes, and how many in all.

Streamlit keeps each file that is sent to it until its session ends, and a session may send any
number. Here a request is refused before its body is read, and a file that was read is given back.
"""

from collections import Counter
from typing import Any

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from pages.frame.values import whole_of

MAX_FILES = 16  # that a session holds
MAX_SESSION_BYTES = 45_000_000  # of a session's files: two as large as they may be
MAX_BYTES = 60_000_000  # of all files that were not read yet, those on their way included
PATH = "/_stcore/upload_file/"
FULL = "There are too many files here: remove one, or try again in a moment.\n"
UNMEASURED = "The request does not say how long the file is.\n"


class Uploads:
    """Refuses files for which there is no room."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._under_way: Counter[str] = Counter()  # bytes, by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on; a file's only if it fits beside those that are there."""
        is_upload = scope["type"] == "http" and scope["method"] == "PUT" and PATH in scope["path"]
        if not is_upload:
            await self._app(scope, receive, send)
            return
        session = scope["path"].partition(PATH)[2].partition("/")[0]
        size = whole_of(Headers(scope=scope).get("content-length", ""))
        if size is None:
            await PlainTextResponse(UNMEASURED, 411)(scope, receive, send)
            return
        if not self._has_room(session, size):
            await PlainTextResponse(FULL, 413)(scope, receive, send)
            return
        self._under_way[session] += size
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way[session] -= size
            self._under_way += Counter()  # drops what is 0

    def _has_room(self, session: str, size: int) -> bool:
        held = held_bytes()
        of_session = held.get(session, [])
        return (
            len(of_session) < MAX_FILES
            and sum(of_session) + self._under_way[session] + size <= MAX_SESSION_BYTES
            and sum(map(sum, held.values())) + self._under_way.total() + size <= MAX_BYTES
        )


def held_bytes() -> dict[str, list[int]]:
    """Returns the bytes of each file that Streamlit holds, by session."""
    if not runtime.exists():
        return {}
    manager: Any = runtime.get_instance().uploaded_file_mgr
    files = {session: list(held.values()) for session, held in list(manager.file_storage.items())}
    return {session: [len(file.data) for file in held] for session, held in files.items()}


def give_back(file: UploadedFile) -> None:
    """Lets the bytes of a file go that was read; the widget goes on to list it."""
    context = get_script_run_ctx()
    if context is not None and runtime.exists():
        manager: Any = runtime.get_instance().uploaded_file_mgr
        manager.add_file(
            context.session_id, UploadedFileRec(file.file_id, file.name, file.type, b"")
        )


def middleware() -> tuple[Middleware, ...]:
    """Returns what stands before Streamlit's own route."""
    return (Middleware(Uploads),)

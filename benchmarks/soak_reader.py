"""A visitor who also runs jobs, changes the model, and loses the connection."""

from __future__ import annotations

import asyncio
import re
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.driving.visitor import Visitor, is_finished

MINUTE = 60.0  # seconds


class SoakReader(Visitor):
    """One session, at the home page or in a lesson."""

    def __init__(self, url: str, page: str = "", **params: str) -> None:
        """Plans a visit to a page by its address; the home page has none."""
        super().__init__(url, **params)
        self.page_name = page
        self.widgets: dict[str, tuple[str, str]] = {}  # by key: id, and fragment
        self.clock = ""  # fragment that asks to be run again by itself
        self.exceptions: list[str] = []  # boxes with an error that is nobody's sentence
        self._session = ""
        self._is_begun = False  # whether a run has begun since something was sent
        self._is_part = False  # whether a fragment is about to run, and not the page

    async def __aenter__(self) -> Self:
        """Opens the page and waits until it is drawn."""
        self.socket = await self.connect("streamlit")
        await self._ask_for_page(name=self.page_name)
        await self._read_until(self._is_drawn)
        return self

    async def reconnect(self, after: float) -> None:
        """Loses the connection without a word, and comes back to the same session.

        As a browser's page, it asks to be drawn anew and waits for nothing: what the server sent to
        the lost connection is lost, and a press is answered all the same.
        """
        self.socket.transport.abort()
        await asyncio.sleep(after)
        self.socket = await self.connect("streamlit", "xsrf", self._session)
        await self._ask_for_page(script=self.page)

    @property
    def n_tokens(self) -> int:
        """How long the text is, as far as the page knows."""
        return len(self.header.get("ids", ()))

    async def _ask_for_page(self, name: str = "", script: str = "") -> None:
        which = ClientState(query_string=self.query, page_name=name, page_script_hash=script)
        request = BackMsg(rerun_script=which)
        self._is_begun = False
        await self.socket.send(request.SerializeToString())

    async def choose_model(self, name: str) -> None:
        """Names another model in the dialog, and waits until the page goes on with it."""
        await self.press_key("choose_model")
        field, dialog = self.widgets["model_name"]
        self._is_part = True
        await self._send_whole(WidgetState(id=field, string_value=name), dialog)
        await self.press_key("open_model_run")
        while await self.tick():
            pass

    async def press_key(self, key: str) -> float:
        """Presses the button of that key."""
        name, fragment = self.widgets[key]
        self._is_part = bool(fragment)
        return await self._send_whole(WidgetState(id=name, trigger_value=True), fragment)

    async def tick(self) -> bool:
        """Lets a running job go on by a slice; tells whether one is running."""
        if not self.clock:
            return False
        request = BackMsg()
        request.rerun_script.query_string = self.query
        request.rerun_script.page_script_hash = self.page
        request.rerun_script.fragment_id = self.clock
        request.rerun_script.is_auto_rerun = self._is_part = True
        await self.socket.send(request.SerializeToString())
        self._is_begun = False
        await self._read_until(self._is_drawn)
        return bool(self.clock)

    async def _send_whole(self, state: WidgetState, fragment: str = "") -> float:
        """Sends what a widget says; returns the seconds until all that follows is drawn."""
        self._is_begun = False
        return await self._send(state, self._is_drawn, fragment)

    def _is_drawn(self, message: ForwardMsg) -> bool:
        """Whether the run that was asked for has ended, and no other takes its place."""
        is_replaced = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        return self._is_begun and is_finished(message) and not is_replaced

    def _note(self, message: ForwardMsg) -> None:
        super()._note(message)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._session = message.new_session.initialize.session_id
            if not self._is_part:  # the page is drawn anew, and says again what is to tick
                self.clock = ""
            self._is_part, self._is_begun = False, True
        elif kind == "auto_rerun" and message.auto_rerun.interval < MINUTE:  # a job's, no page's
            self.clock = message.auto_rerun.fragment_id
        elif kind == "delta":
            self._note_element(message)

    def _note_element(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.exceptions.append(f"{element.exception.type} {element.exception.message}"[:100])
        elif kind in ("button", "text_input"):
            name = getattr(element, kind).id
            key = re.sub(r"^\$\$ID-[0-9a-f]+-", "", name)
            self.widgets[key] = name, message.delta.fragment_id


class Teacher(SoakReader):
    """A session on the page of rooms."""

    def __init__(self, url: str) -> None:
        """Plans a visit to that page."""
        super().__init__(url, "classroom")
        self.desks: list[tuple[str, str]] = []  # code and key of each room that was opened

    async def open_room(self) -> tuple[str, str]:
        """Opens a room; returns its code, and the key of its desk."""
        await self.press_key("classroom_open")
        return self.desks[-1]

    def _note(self, message: ForwardMsg) -> None:
        super()._note(message)
        if message.WhichOneof("type") == "delta":
            body = message.delta.new_element.html.body
            self.desks += re.findall(r"room/(\w+)/desk#([\w-]+)", body)

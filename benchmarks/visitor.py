"""A reader without a browser: speaks Streamlit's own protocol, so that thirty fit beside a server.

It opens a session, presses, and waits for the answer as the page does; what the page would paint is
thrown away. Knows the wire and nothing of models.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchmarks.home_page import Replica

MAX_MESSAGE = 64 * 1024 * 1024  # bytes
AGAIN_SECONDS = 8  # without an answer, and the page sends an event again (PROTOCOL.md)
TRIGGERS = "$$STREAMLIT_INTERNAL_KEY_{}__events"  # how a component's triggers are called


class Visitor:
    """One session on a server, from its first run on."""

    def __init__(self, url: str, **params: str) -> None:
        """Plans a visit; the connection is made by `async with`.

        Args:
            url: "http://127.0.0.1:8501".
            params: What the address says after its question mark.
        """
        self.address = url.replace("http", "ws", 1) + "/_stcore/stream"
        self.query = urlencode(params)
        self.page = ""  # hash of the page's script
        self.fragment = ""  # of the live component
        self.component = ""  # id of the live component
        self.button = ""  # id of the first button that is no component's
        self.ack = -1  # number of the last event that was answered
        self.replica = Replica()
        self.header: dict[str, Any] = {}  # what the live component was told last
        self.socket: ClientConnection

    async def __aenter__(self) -> Visitor:
        """Opens the page and waits until its script has run."""
        self.socket = await self._connect("streamlit")
        request = BackMsg()
        request.rerun_script.query_string = self.query
        await self.socket.send(request.SerializeToString())
        await self._read_until(is_finished)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leaves the page."""
        await self.socket.close()

    async def _connect(self, *protocols: str) -> ClientConnection:
        """Connects as a browser does: it waits as long as the server takes, and sends no pings."""
        return await connect(
            self.address,
            subprotocols=[Subprotocol(name) for name in protocols],
            max_size=MAX_MESSAGE,
            open_timeout=None,
            ping_interval=None,
        )

    async def do(self, kind: str) -> float:
        """Sends an event of the live component; returns the seconds until it is answered whole."""
        number = self.ack + 1
        await self._catch_up()
        started = time.perf_counter()
        while True:
            sent = time.perf_counter()
            with suppress(TimeoutError):
                async with asyncio.timeout(AGAIN_SECONDS):
                    return sent - started + await self._send_event(number, kind)

    async def _send_event(self, number: int, kind: str) -> float:
        value = {"n": number, "kind": kind, "holds": self.replica.versions}
        told = json.dumps([{"event": "event", "value": value}])
        state = WidgetState(id=TRIGGERS.format(self.component), json_trigger_value=told)
        return await self._send(state, lambda _: self.ack >= number, self.fragment)

    async def press(self) -> float:
        """Presses the page's own button; returns the seconds until its script has run."""
        return await self._send(WidgetState(id=self.button, trigger_value=True), is_finished)

    async def _send(
        self, state: WidgetState, is_answer: Callable[[ForwardMsg], bool], fragment: str = ""
    ) -> float:
        request = BackMsg()
        request.rerun_script.query_string = self.query
        request.rerun_script.page_script_hash = self.page
        request.rerun_script.fragment_id = fragment
        request.rerun_script.widget_states.widgets.append(state)
        started = time.perf_counter()
        await self.socket.send(request.SerializeToString())
        return await self._read_until(is_answer) - started

    async def _read_until(self, is_answer: Callable[[ForwardMsg], bool]) -> float:
        """Reads until the answer is there; returns the moment at which it had come."""
        while True:
            packed = await self.socket.recv(decode=False)
            arrived = time.perf_counter()
            message = ForwardMsg.FromString(packed)
            self._note(message, packed)
            if is_answer(message):
                return arrived

    async def _catch_up(self) -> None:
        """Takes what has come since the last answer, as a page does at once."""
        with suppress(TimeoutError):
            while True:
                async with asyncio.timeout(0):
                    packed = await self.socket.recv(decode=False)
                self._note(ForwardMsg.FromString(packed), packed)

    def _note(self, message: ForwardMsg, packed: bytes) -> None:
        if message.WhichOneof("type") == "navigation":
            self.page = message.navigation.page_script_hash
        if message.WhichOneof("type") != "delta":
            return
        element = message.delta.new_element
        header = self.replica.read(packed)
        if header is not None:
            self.ack, self.header = header["ack"], header
            self.component = element.bidi_component.id
            self.fragment = message.delta.fragment_id
        elif element.WhichOneof("type") == "button" and not self.button:
            self.button = element.button.id


def is_finished(message: ForwardMsg) -> bool:
    """Whether a run has ended and all of its answer has been sent."""
    return message.WhichOneof("type") == "script_finished"


async def press_in_time(
    press: Callable[[], Awaitable[float]], gaps: Sequence[float]
) -> list[float]:
    """Presses like a person who waits for nobody: at moments of its own.

    Args:
        press: Returns how long its answer took, seconds.
        gaps: Seconds from one moment to the next; a late answer delays the next press.
    """
    due, seconds = time.perf_counter(), []
    for gap in gaps:
        due += gap
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        seconds.append(await press())
    return seconds

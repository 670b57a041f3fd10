"""A reader without a browser, so that a hundred fit beside a server.

It opens a session by Streamlit's own protocol, holds its text as the page does, and asks for steps
at the loop's address; what the page would paint is thrown away. Knows the wire and no model.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from model.records import Memory
from pages.home.controls import Controls
from tests.driving.home_page import header_of

LIVE = "live"  # the live component's name
MAX_MESSAGE = 64 * 1024 * 1024  # bytes
AGAIN_SECONDS = 6  # without an answer, and the page sends an event again (engines/server.js)


class Visitor:
    """One session on a server, from its first run on."""

    def __init__(self, url: str, **params: str) -> None:
        """Plans a visit; the connection is made by `async with`.

        Args:
            url: "http://127.0.0.1:8501".
            params: What the address says after its question mark: the prompt, the seed, controls.
        """
        self.address = url.replace("http", "ws", 1) + "/_stcore/stream"
        self.query, self.params = urlencode(params), params
        self.written: list[int] = []  # token ids behind the prompt, as if pressed before
        self.page = ""  # hash of the page's script
        self.session = ""  # id of the session, to which files are uploaded
        self.button = ""  # id of the first button that is no component's
        self.url, self.loop = url, ""  # of the server, and the address below it
        self.text: dict[str, Any] = {}  # what each request says of the text
        self.header: dict[str, Any] = {}  # ids, model, and whether the text is finished
        self.socket: ClientConnection
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __aenter__(self) -> Visitor:
        """Opens the page and waits until its script has run."""
        self.socket = await self.connect("streamlit")
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
        self._hang_up()
        await self.socket.close()

    async def connect(self, *protocols: str) -> ClientConnection:
        """Connects as a browser does: it waits as long as the server takes, and sends no pings."""
        return await connect(
            self.address,
            subprotocols=[Subprotocol(name) for name in protocols],
            max_size=MAX_MESSAGE,
            open_timeout=None,
            ping_interval=None,
        )

    async def do(self, kind: str) -> float:
        """Presses Next or Back; returns the seconds until the answer has come whole.

        Where the text is finished a page asks nothing; here it is read once more.
        """
        await self._catch_up()
        if not self.text:
            await self._begin()
        ids, n_prompt = self.text["ids"], self.text["n_prompt"]
        asked = self.text | {"kind": "read"}
        if kind == "back":
            asked["ids"] = ids[: max(n_prompt, len(ids) - 1)]
        elif not self.header["finished"]:
            asked |= {"kind": "step", "count": 1, "next_seed": self.text["seed"]}
        started = time.perf_counter()
        answer = await self._ask(asked)
        seconds = time.perf_counter() - started
        self._note_reading(asked["ids"], answer)
        return seconds

    async def _begin(self) -> None:
        """Opens the model, and has the prompt taken apart and read, as a page that is opened."""
        facts = await self._ask({"kind": "open"})
        prompt = self.params.get("prompt", facts["prompt"])
        ids = (await self._ask({"kind": "tokenise", "text": prompt}))["ids"]
        controls = Controls.from_page(self.params).to_page()
        seed, memory = int(self.params.get("seed", 0)), vars(Memory())
        self.text = {"number": 0, "n_prompt": len(ids), "memory": memory}
        self.text |= {"ids": ids + self.written, "controls": controls, "seed": seed}
        self.header = {"model": facts["model"]}
        self._note_reading(self.text["ids"], await self._ask(self.text | {"kind": "read"}))

    def _note_reading(self, ids: list[int], reading: dict[str, Any]) -> None:
        self.text["ids"] = ids + reading["rows"]["id"]
        self.header |= {"ids": self.text["ids"], "finished": reading["finished"]}

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Asks until there is an answer, as the page does; returns its header."""
        body = json.dumps(request).encode()
        while True:
            with suppress(TimeoutError, OSError, asyncio.IncompleteReadError):
                async with asyncio.timeout(AGAIN_SECONDS):
                    return header_of(await self.post(body))
            self._hang_up()

    async def post(self, body: bytes) -> bytes:
        """Posts to the loop on a connection that stays open, as a browser's does.

        Raises:
            RuntimeError: It was refused; the message says how.
        """
        place = urlsplit(self.url)
        if self._streams is None:
            self._streams = await asyncio.open_connection(place.hostname, place.port)
        reader, writer = self._streams
        head = f"POST {self.loop} HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: {len(body)}"
        writer.write(head.encode() + b"\r\n\r\n" + body)
        answered = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answered.partition("content-length:")[2].partition("\r")[0])
        answer = await reader.readexactly(length)
        if " 200 " not in answered.partition("\r")[0]:
            raise RuntimeError(f"The loop answered {answer.decode()}")
        return answer

    def move(self, url: str) -> None:
        """Asks another copy of the app from now on."""
        self._hang_up()
        self.url = url

    def _hang_up(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None

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
            self._note(message)
            if is_answer(message):
                return arrived

    async def _catch_up(self) -> None:
        """Takes what has come since the last answer, as a page does at once."""
        with suppress(TimeoutError):
            while True:
                async with asyncio.timeout(0):
                    packed = await self.socket.recv(decode=False)
                self._note(ForwardMsg.FromString(packed))

    def _note(self, message: ForwardMsg) -> None:
        if message.WhichOneof("type") == "new_session":
            self.session = message.new_session.initialize.session_id
        if message.WhichOneof("type") == "navigation":
            self.page = message.navigation.page_script_hash
        if message.WhichOneof("type") != "delta":
            return
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "bidi_component" and element.bidi_component.component_name == LIVE:
            self._meet(json.loads(element.bidi_component.json)["address"])
        elif kind == "button" and not self.button:
            self.button = element.button.id

    def _meet(self, loop: str) -> None:
        """Takes the address at which the loop is asked; another one is of another model."""
        if loop != self.loop:
            self.loop, self.text, self.header = loop, {}, {}


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

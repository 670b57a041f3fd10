"""The home page as a reader meets it: what is pressed, what is shown, what crosses the wire.

Browser tests and benchmarks speak of the page in these words. It knows the page's places and the
protocol of its live component, and nothing of how either is made.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, WebSocket, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.harness import by_key, visit

PATIENCE = 30_000  # milliseconds; a busy machine is no failure
LIVE = "live"  # the component's name
LOOK_EVERY = 20  # milliseconds between two looks at what has crossed the wire
KIND_OF_BUTTON = {
    "Next": "next",
    "Back": "back",
    "Reset": "reset",
    "Write 20 tokens at once": "finish",
}


@dataclass
class Replica:
    """What a page holds of what the server told its live component, as the page's scripts do."""

    headers: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)

    @property
    def versions(self) -> list[int]:
        """What an event says that the page holds."""
        return [version for version, _ in self.headers.values()]

    def read(self, message: bytes | str) -> dict[str, Any] | None:
        """Takes a message of the server; returns the live component's new header, if it has one."""
        if isinstance(message, str):
            return None
        forward = ForwardMsg.FromString(message)
        element = forward.delta.new_element
        name = element.bidi_component.component_name
        packed = element.bidi_component.bytes
        if forward.WhichOneof("type") != "delta" or name not in (LIVE, "prefetch") or not packed:
            return None
        header = self.take(name, packed)
        ahead = packed[_length(packed) :]
        if name == LIVE and ahead:
            self.take("prefetch", ahead)
        return header if name == LIVE else None

    def take(self, name: str, packed: bytes) -> dict[str, Any] | None:
        """Takes what a component of that name was given; returns the header that it makes.

        None where it builds on what the page does not hold: it then asks again.
        """
        told = json.loads(packed[4 : 4 + int.from_bytes(packed[:4], "little")])
        held = dict(self.headers.values())
        if told["base"] is None:
            header: dict[str, Any] = told["whole"]
        elif told["base"] in held:
            header = changed(held[told["base"]], told["change"])
        else:
            return None
        self.headers[name] = told["version"], header
        return header


def _length(packed: bytes) -> int:
    """Returns where a message ends: another may stand behind it."""
    n_header = int.from_bytes(packed[:4], "little")
    arrays = json.loads(packed[4 : 4 + n_header]).get("arrays", ())
    n_numbers: int = sum(array["length"] for array in arrays)
    return -(-(4 + n_header) // 4) * 4 + 4 * n_numbers


def changed(old: Any, change: Any) -> Any:
    """Returns what a change makes of a value; PROTOCOL.md says how one is written."""
    if not isinstance(change, dict):
        return change
    if "set" in change:
        return change["set"]
    if "keep" in change:
        return old[: change["keep"]] + change["add"]
    inner = change.get("in", {})
    if isinstance(old, list):
        return [changed(item, inner.get(str(i), {})) for i, item in enumerate(old)]
    return old | {name: changed(old.get(name), inside) for name, inside in inner.items()}


def read_events(message: bytes | str) -> list[dict[str, Any]]:
    """Returns the events of the live component in a message of the page."""
    if isinstance(message, str):
        return []
    states = BackMsg.FromString(message).rerun_script.widget_states.widgets
    triggers = [
        json.loads(state.json_trigger_value) for state in states if state.json_trigger_value
    ]
    return [sent["value"] for trigger in triggers for sent in trigger if sent["event"] == "event"]


@dataclass
class Wire:
    """What has crossed between a page and its server since the page was last opened."""

    n_sent: int = 0  # messages of any kind that the page has sent
    events: list[dict[str, Any]] = field(default_factory=list)  # of the live component, as sent
    headers: list[dict[str, Any]] = field(default_factory=list)  # that the live component was given
    replica: Replica = field(default_factory=Replica)

    def tap(self, page: Page) -> None:
        """Notes down all that crosses from now on."""
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        self.n_sent, self.events, self.headers = 0, [], []  # a new session counts from the start
        self.replica = Replica()
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)

    def _sent(self, message: bytes | str) -> None:
        self.n_sent += 1
        self.events += read_events(message)

    def _received(self, message: bytes | str) -> None:
        header = self.replica.read(message)
        if header is not None:
            self.headers.append(header)

    @property
    def is_answered(self) -> bool:
        """Whether Python has said something, and has answered every event."""
        asked = max((event["n"] for event in self.events), default=-1)
        return bool(self.headers) and self.headers[-1]["ack"] >= asked


class Reader:
    """One reader at the home page."""

    def __init__(self, page: Page, url: str, *, is_tapped: bool = True) -> None:
        """Sits down at a page that has not been opened yet.

        Args:
            page: Blank.
            url: Where the app answers.
            is_tapped: Note down what crosses the wire; it costs time, so benchmarks do without.
        """
        self.page, self.url = page, url
        self.is_tapped = is_tapped
        self.live = by_key(page, "live")
        self.chips = self.live.locator(".token")
        self.notice = self.live.get_by_role("alert")
        self.wire = Wire()
        if is_tapped:
            self.wire.tap(page)

    def open(self, **params: str) -> Reader:
        """Opens the page, or a link to it, and waits until it can be read."""
        return self.open_link(f"/?{urlencode(params)}" if params else "/")

    def open_link(self, link: str) -> Reader:
        """Opens a link as it is written in the address bar, without the host."""
        visit(self.page, f"{self.url}{link}")
        expect(self.button("Next")).to_be_visible(timeout=PATIENCE)
        expect(self.chips.first).to_be_visible(timeout=PATIENCE)
        if self.is_tapped:
            self.until(lambda: bool(self.wire.headers), "the live component was given no data")
        return self

    # What is pressed

    def button(self, name: str) -> Locator:
        """Returns a button of the live component by its accessible name."""
        return self.live.get_by_role("button", name=name, exact=True)

    def slider(self, name: str) -> Locator:
        """Returns the slider of a setting."""
        return self.live.locator(f"input.slider[name={name}]")

    def use(self, name: str) -> Locator:
        """Returns the box that puts a mask to use."""
        return self.live.locator(f"input[name=use_{name}]")

    def row(self, index: int) -> Locator:
        """Returns a row of the bars, the most likely token first."""
        return self.live.locator(".bars-row").nth(index)

    def press(self, name: str) -> None:
        """Presses a button of the loop and waits for the answer."""
        self.do(self.button(name).click, KIND_OF_BUTTON[name])

    def key(self, name: str, kind: str) -> None:
        """Presses a key and waits for the answer to the event that it makes."""
        self.do(lambda: self.page.keyboard.press(name), kind)

    def write(self, prompt: str) -> None:
        """Writes a prompt and starts from it."""
        box = self.live.get_by_role("textbox", name="Prompt")
        box.fill(prompt)
        self.do(lambda: box.press("Enter"), "prompt")

    def choose_at(self, index: int, name: str, kind: str) -> None:
        """Opens the menu of a token of the text and presses one of its entries."""
        self.chips.nth(index).click()
        self.do(self.live.get_by_role("button", name=name).click, kind)

    def do(self, act: Callable[[], object], kind: str) -> None:
        """Does something that makes an event of that kind, and waits until it is answered."""
        n_before = len(self.wire.events)
        act()
        self.until(
            lambda: kind in {event["kind"] for event in self.wire.events[n_before:]},
            f"the page sent no {kind!r}",
        )
        self.settle()

    # What is on the screen

    @property
    def header(self) -> dict[str, Any]:
        """What Python said last."""
        return self.wire.headers[-1]

    @property
    def ids(self) -> list[int]:
        """The text as Python holds it."""
        ids: list[int] = self.header["ids"]
        return ids

    def tokens(self) -> list[str]:
        """The text as the strip shows it, one label per token."""
        return self.chips.all_text_contents()

    def bars(self) -> list[str]:
        """Every bar's width and number, row by row, as they are drawn now."""
        widths = "rows => rows.map((row) => row.style.width)"
        shown: list[str] = self.live.locator(".bars-table .bar").evaluate_all(widths)
        return shown + self.live.locator(".bars-table .bar-number").all_text_contents()

    def said(self) -> str:
        """The one sentence above the strip."""
        expect(self.notice).to_be_visible(timeout=PATIENCE)
        return self.notice.locator("span").inner_text()

    # Waiting

    def until(self, holds: Callable[[], bool], otherwise: str, patience: int = PATIENCE) -> None:
        """Waits for something that is known on this side of the wire.

        Raises:
            AssertionError: It never held; the message says what.
        """
        for _ in range(patience // LOOK_EVERY):
            if holds():
                return
            self.page.wait_for_timeout(LOOK_EVERY)  # lets the page's messages arrive
        raise AssertionError(otherwise)

    def settle(self) -> None:
        """Waits until every event is answered and what Python said is on the screen."""
        pending = self.live.locator(".token.is-pending")
        lit = self.live.locator(".bars[data-drawn]")  # the step before, for a moment
        self.until(
            lambda: (
                self.wire.is_answered
                and pending.count() == 0
                and self.chips.count() == len(self.ids)
                and (self.header["finished"] or lit.count() == 0)
            ),
            f"no answer to {self.wire.events[-1:]}, or not on the screen",
        )

    def rest(self) -> str:
        """Waits until the hand rests: the link is in the address bar, and is returned."""
        self.settle()
        link: str = self.header["link"]
        self.page.wait_for_function(
            "(link) => location.search === link", arg=link, timeout=PATIENCE
        )
        return link

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
from urllib.request import ProxyHandler, build_opener

from playwright.sync_api import Locator, Page, Request, expect

from tests.driving.harness import by_key, visit

PATIENCE_MS = 60_000  # milliseconds; a busy machine is no failure
LOOP = "/loop/"  # in the address that the page asks
LOOK_EVERY = 20  # milliseconds between two looks at what has crossed the wire
TWO_FRAMES = """() => new Promise((drawn) => {
  requestAnimationFrame(() => requestAnimationFrame(drawn));
  setTimeout(drawn, 500); // a page behind another draws none
})"""
# that has an end: before the first press a pointer wanders
MOVING = """(root) => root.getAnimations({ subtree: true })
  .filter(({ effect }) => effect.getTiming().iterations < Infinity).length"""
# tokens, those that wait for their answer, and whether the step before is lit, for a moment
COUNTS = """(root) => [".token", ".token.is-pending", ".bars[data-drawn]"]
  .map((selector) => root.querySelectorAll(selector).length)"""
ADDRESS_AFTER = 600  # milliseconds after which the link is in the address bar: the page takes 250
KIND_OF_BUTTON = {
    "Next": "next",
    "Back": "back",
    "Reset": "reset",
    "Write 20 tokens at once": "finish",
}
_HERE = build_opener(ProxyHandler({}))  # no proxy stands between two processes of one machine


def header_of(answer: bytes) -> dict[str, Any]:
    """Returns the header of an answer of the loop's address."""
    header: dict[str, Any] = json.loads(answer[4 : 4 + int.from_bytes(answer[:4], "little")])
    return header


def ask(address: str, request: dict[str, Any]) -> bytes:
    """Sends a request to the loop's address; returns the answer."""
    with _HERE.open(address, json.dumps(request).encode(), timeout=60) as answer:
        return bytes(answer.read())


def pointer_label(pointer: float) -> str:
    """Returns a pointer as the page writes it, in per cent: two decimals, never rounded up."""
    return f"{int(1e4 * pointer) / 100:.2f}\u202f%"


@dataclass
class Traffic:
    """What the page has asked since it was last opened."""

    address: str = ""  # that it asks, with its ticket
    asked: list[dict[str, Any]] = field(default_factory=list)  # requests, as sent
    n_open: int = 0  # of them, those that are not answered yet

    def tap(self, page: Page) -> None:
        """Notes down all that crosses from now on."""
        page.on("request", self._sent)
        for end in ("requestfinished", "requestfailed"):
            page.on(end, self._ended)

    def _sent(self, request: Request) -> None:
        if request.is_navigation_request() and request.frame.parent_frame is None:
            self.address, self.asked, self.n_open = "", [], 0
        if LOOP in request.url:
            self.address = request.url
            self.n_open += 1
            self.asked.append(json.loads(request.post_data or "{}"))

    def _ended(self, request: Request) -> None:
        self.n_open -= LOOP in request.url


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
        self.wire = Traffic()
        if is_tapped:
            self.wire.tap(page)

    def open(self, **params: str) -> Reader:
        """Opens the page, or a link to it, and waits until it can be read."""
        return self.open_link(f"/?{urlencode(params)}" if params else "/")

    def open_link(self, link: str) -> Reader:
        """Opens a link as it is written in the address bar, without the host."""
        visit(self.page, f"{self.url}{link}")
        if "lesson=" not in link:  # a scene may leave it out
            expect(self.button("Next")).to_be_visible(timeout=PATIENCE_MS)
        expect(self.chips.first).to_be_visible(timeout=PATIENCE_MS)
        if self.is_tapped:
            self.until(
                lambda: bool(self.wire.address) and not self.wire.n_open,
                "the live component asks nothing",
            )
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
        n_before = len(self.events)
        act()
        self.until(
            lambda: kind in {event["kind"] for event in self.events[n_before:]},
            f"the page made no {kind!r}",
        )
        self.settle()

    # What is on the screen

    @property
    def header(self) -> dict[str, Any]:
        """What the page's session says now."""
        header = self._told()
        assert header is not None, "the page has no session yet"
        return header

    def _told(self) -> dict[str, Any] | None:
        header: dict[str, Any] | None
        header = self.page.evaluate("() => globalThis.oneToken?.header ?? null")
        return header

    @property
    def events(self) -> list[dict[str, Any]]:
        """What the session was asked, since the page was opened."""
        told = '() => (globalThis.__ottEvents ?? []).filter(({ kind }) => kind !== "state")'
        events: list[dict[str, Any]] = self.page.evaluate(told)
        return events

    @property
    def ids(self) -> list[int]:
        """The text as the session holds it."""
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
        expect(self.notice).to_be_visible(timeout=PATIENCE_MS)
        return self.notice.locator("span").inner_text()

    # Waiting

    def until(self, holds: Callable[[], bool], otherwise: str, patience: int = PATIENCE_MS) -> None:
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
        """Waits until every event is answered and the session is on the screen."""

        def is_settled() -> bool:
            if self.wire.n_open > 0:
                return False
            header = self._told()
            if header is None:
                return False
            n_tokens, n_pending, n_lit = self.live.locator(".ott").evaluate(COUNTS)
            if n_pending > 0 or n_tokens != len(header["ids"]):
                return False
            return bool(header["finished"]) or n_lit == 0

        self.until(is_settled, f"no answer to {self.wire.asked[-1:]}, or not on the screen")
        self.page.evaluate(TWO_FRAMES)

    def stand(self) -> None:
        """Waits until nothing in the component moves."""
        self.until(lambda: self.live.locator(".ott").evaluate(MOVING) == 0, "it goes on moving")

    def rest(self) -> str:
        """Waits until the hand rests; returns the link, which is in the address bar by then."""
        self.settle()
        told = "(ms) => new Promise((tell) => setTimeout(() => tell(location.search), ms))"
        link: str = self.page.evaluate(told, ADDRESS_AFTER)
        return link

"""A page in Firefox or WebKit: what a person does there, in the same words for both.

What finds a place looks into shadow roots too, and a press is a trusted one, by pointer or by key.
`firefox.py` and `webkit.py` carry it; Chromium has Playwright, see harness.py.
"""

from __future__ import annotations

import json
import time
from typing import Any, Protocol

SCREEN = {"width": 1280, "height": 900}
PATIENCE = 60.0  # seconds; a busy machine is no failure
LOOK_EVERY = 0.05
HOLD = 5.0  # seconds in which a slider that was taken hold of is where the hand is
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowRight": "\ue014"}
DELETE = "\ue017"

# The parts of a page that can be seen and bear a selector, and of these those of that name.
_FIND = """
const roots = (root) => [root, ...[...root.querySelectorAll("*")]
  .flatMap(({ shadowRoot }) => shadowRoot ? roots(shadowRoot) : [])];
const nameOf = (node) => (node.getAttribute("aria-label") ?? node.textContent).trim();
const all = (selector, name = null) => roots(document)
  .flatMap((root) => [...root.querySelectorAll(selector)])
  .filter((node) => node.getClientRects().length > 0 && !node.closest("[data-retained]"))
  .filter((node) => name === null || nameOf(node) === name || nameOf(node).startsWith(name));
const words = (selector) => all(selector).map((node) => node.textContent.trim());
"""
_PLACE = """
const [node] = all(...args.slice(0, 2));
if (!node) return null;
node.scrollIntoView({ block: "center", behavior: "instant" });
const before = node.getBoundingClientRect();
await new Promise((resolve) => setTimeout(resolve, 150));
const { x, y, width, height } = node.getBoundingClientRect();
const hit = node.getRootNode().elementFromPoint(x + width / 2, y + height / 2);
return x === before.x && y === before.y && node.contains(hit) ? [x, y, width, height] : null;
"""

# The bars once a slider is where the hand is and what it moved has been drawn; null until then.
_FOLLOWED = """
const [slider] = all(args[0]);
if (!slider) return null;
const { valueAsNumber: value, min, max } = slider;
if (Math.abs((value - min) / (max - min) - args[1]) > 0.1) return null;
const drawn = async () => {
  for (let i = 0; i < 2; i += 1) await new Promise(requestAnimationFrame);
  return all('.bar').map((bar) => bar.style.width);
};
let [before, now] = [[], await drawn()];
while (String(before) !== String(now)) [before, now] = [now, await drawn()];
return now.length > 0 ? now : null;
"""


class Wire(Protocol):
    """What carries a tab's wishes to its browser."""

    def go(self, url: str) -> None:
        """Opens an address."""

    def evaluate(self, script: str) -> str:
        """Runs the body of an asynchronous function, which returns a string."""

    def act(self, sources: list[dict[str, Any]]) -> None:
        """Does what a hand does, in the form that both protocols have for it."""

    def another(self) -> Wire:
        """Opens another window of the same reader."""

    def errors(self) -> list[str]:
        """Returns what the reader's pages wrote to the console as errors, as far as it is told."""


class DrivenTab:
    """One page, and the hand of one person."""

    def __init__(self, wire: Wire) -> None:
        """Takes what carries it."""
        self.wire = wire

    def open(self, url: str) -> None:
        """Opens an address, and waits for nothing of what its scripts do."""
        self.wire.go(url)

    def do(self, body: str, *args: object) -> Any:
        """Runs JavaScript in the page, with `args`; returns what it returns."""
        called = f"await (async (...args) => {{ {body} }})(...{json.dumps(args)})"
        return json.loads(self.wire.evaluate(f"{_FIND} return JSON.stringify({called} ?? null);"))

    def get(self, expression: str) -> Any:
        """Returns what an expression is now, with `all` and `words` to find what can be seen."""
        return self.do(f"return ({expression});")

    def until(self, expression: str, *, body: bool = False, args: tuple[object, ...] = ()) -> Any:
        """Waits until an expression holds; returns what it is then.

        Raises:
            AssertionError: It never held; the message says what the page shows.
        """
        script = expression if body else f"return ({expression});"
        deadline = time.monotonic() + PATIENCE
        while not (found := self.do(script, *args)):
            if time.monotonic() > deadline:
                shown = self.get("document.body.innerText")
                raise AssertionError(f"never: {expression} {args}, but:\n{shown[:2000]}")
            time.sleep(LOOK_EVERY)
        return found

    def another(self) -> DrivenTab:
        """Opens another window of the same reader."""
        return DrivenTab(self.wire.another())

    def errors(self) -> list[str]:
        """Returns what the reader's pages wrote to the console as errors, as far as it is told."""
        return self.wire.errors()

    # The hand

    def place(self, selector: str, name: str | None = None) -> tuple[float, float, float, float]:
        """Scrolls to a place, waits until it rests and can be hit; its left, top, width, height."""
        x, y, width, height = self.until(_PLACE, body=True, args=(selector, name))
        return x, y, width, height

    def click(self, selector: str, name: str | None = None) -> None:
        """Presses in the middle of the first place of that selector and name."""
        x, y, width, height = self.place(selector, name)
        self.hand([(x + width / 2, y + height / 2)])

    def press(self, name: str) -> None:
        """Presses one key, by its name or as the character that it is."""
        self.keys(KEYS.get(name, name))

    def drag(self, selector: str, shares: tuple[float, ...]) -> list[Any]:
        """Drags along a slider; returns the bars as they were drawn at each halt.

        Raises:
            AssertionError: The slider does not follow the hand.
        """
        path = self._grab(selector, shares)
        seen = []
        for point, share in zip(path, shares, strict=True):
            self._pointer([_move(point)])
            seen.append(self.until(_FOLLOWED, body=True, args=(selector, share)))
        self._pointer([{"type": "pointerUp", "button": 0}])
        return seen

    def _grab(self, selector: str, shares: tuple[float, ...]) -> list[tuple[float, float]]:
        """Takes hold of a slider, again where it moved away; returns the points of its shares."""
        while True:
            x, y, width, height = self.place(selector)
            path = [(x + share * width, y + height / 2) for share in shares]
            self._down(path[0])
            deadline = time.monotonic() + HOLD
            while time.monotonic() < deadline:
                if self.do(_FOLLOWED, selector, shares[0]):
                    return path
            self._pointer([{"type": "pointerUp", "button": 0}])
            assert self.place(selector) != (x, y, width, height), "the slider stays where it is"

    def fill(self, selector: str, text: str) -> None:
        """Puts a text in place of what stands in a field."""
        self.click(selector)
        self.until("all(':focus').length > 0")
        self.do("for (const field of all(args[0]).slice(0, 1)) field.select();", selector)
        self.keys((DELETE if text == "" else "") + text)

    def hand(self, path: list[tuple[float, float]]) -> None:
        """Presses at the first point, and lets go at the last."""
        self._down(path[0])
        self._pointer([*map(_move, path), {"type": "pointerUp", "button": 0}])

    def keys(self, text: str) -> None:
        """Strikes keys one after another."""
        kinds = ("keyDown", "keyUp")
        actions = [{"type": kind, "value": each} for each in text for kind in kinds]
        self.wire.act([{"type": "key", "id": "keys", "actions": actions}])

    def _down(self, point: tuple[float, float]) -> None:
        self._pointer([_move(point), {"type": "pointerDown", "button": 0}])

    def _pointer(self, actions: list[dict[str, Any]]) -> None:
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self.wire.act([{**mouse, "actions": actions}])


def _move(point: tuple[float, float]) -> dict[str, Any]:
    x, y = point
    return {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}

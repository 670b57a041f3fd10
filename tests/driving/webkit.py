"""Debian's WebKitGTK over WebDriver, on a screen that nobody sees."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tests.driving.harness import free_port
from tests.driving.tab import PATIENCE, SCREEN, DrivenTab

PROGRAMS = ("WebKitWebDriver", "Xvfb")
# Debian’s WebKit crashes as it starts, once in ten times, and its driver waits without end
N_STARTS, START_SECONDS = 4, 20.0
HERE = urllib.request.build_opener(urllib.request.ProxyHandler({}))
# nobody listens there: only this machine can be reached
NO_NETWORK = {
    "proxyType": "manual",
    "httpProxy": "127.0.0.1:9",
    "sslProxy": "127.0.0.1:9",
    "noProxy": ["127.0.0.1", "localhost"],
}

# a size that changes while sizes are told comes in the next frame; WebKit calls that an error
WITNESS = """
const wrong = globalThis.__wrong = [];
const LATER = "ResizeObserver loop completed with undelivered notifications.";
addEventListener("error", ({ message }) => message === LATER || wrong.push(message));
addEventListener("unhandledrejection", ({ reason }) => wrong.push(String(reason)));
const say = console.error;
console.error = (...words) => { wrong.push(words.join(" ")); say(...words); };
return "";
"""


class Driver:
    """The driver of one session, its windows, and which of them is spoken to."""

    def __init__(self, address: str) -> None:
        """Begins a session: a WebKit that keeps nothing.

        Raises:
            TimeoutError: It has not started.
        """
        self.address, self.window = address, ""
        self.windows: list[WebkitWindow] = []
        self.errors: list[str] = []
        asked = {"browserName": "MiniBrowser", "proxy": NO_NETWORK}
        begun = self.ask(
            "/session", {"capabilities": {"alwaysMatch": asked}}, seconds=START_SECONDS
        )
        self.session = begun["sessionId"]
        self.ask("/timeouts", {"script": int(1000 * PATIENCE)})

    def ask(
        self,
        path: str,
        body: dict[str, Any] | None = None,
        method: str = "POST",
        seconds: float = 2 * PATIENCE,
    ) -> Any:
        """Asks one thing; returns its value."""
        place = path if path == "/session" else f"/session/{self.session}{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + place, data, method=method)
        try:
            with HERE.open(request, timeout=seconds) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise RuntimeError(f"{path}: {value['error']}: {value['message']}") from error


class WebkitWindow:
    """One window."""

    def __init__(self, driver: Driver) -> None:
        """Opens it; windows of the same session share what a browser keeps."""
        self.driver = driver
        self.name = driver.ask("/window/new", {"type": "window"})["handle"]
        driver.windows.append(self)
        self._ask("/window/rect", {**SCREEN, "x": 0, "y": 0})

    def _ask(self, path: str, body: dict[str, Any]) -> Any:
        if self.driver.window != self.name:
            self.driver.ask("/window", {"handle": self.name})
            self.driver.window = self.name
        return self.driver.ask(path, body)

    def go(self, url: str) -> None:
        """Opens an address."""
        self._note()
        self._ask("/url", {"url": url})
        self.evaluate(WITNESS)

    def evaluate(self, script: str) -> str:
        """Runs the body of an asynchronous function, which returns a string."""
        body = f"""const done = arguments[0];
        (async () => {{ {script} }})().then(done, (error) => done("!" + error));"""
        said = str(self._ask("/execute/async", {"script": body, "args": []}))
        if said.startswith("!"):
            raise RuntimeError(said)
        return said

    def act(self, sources: list[dict[str, Any]]) -> None:
        """Does what a hand does."""
        self._ask("/actions", {"actions": sources})

    def another(self) -> WebkitWindow:
        """Opens another window of the same reader."""
        return WebkitWindow(self.driver)

    def errors(self) -> list[str]:
        """Returns what went wrong since the pages had loaded: WebDriver tells no console."""
        for window in self.driver.windows:
            window._note()
        return self.driver.errors

    def _note(self) -> None:
        wrong = self.evaluate("return JSON.stringify(globalThis.__wrong?.splice(0) ?? []);")
        self.driver.errors += json.loads(wrong)


def missing() -> str | None:
    """Says what this machine lacks, if anything."""
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"There is no {absent[0]}: apt install webkit2gtk-driver xvfb" if absent else None


@contextmanager
def run() -> Iterator[DrivenTab]:
    """Runs a WebKit that has never been used until the block ends; yields its first tab.

    Raises:
        RuntimeError: It does not start.
    """
    assert (why := missing()) is None, why
    with ExitStack() as stack:
        display = stack.enter_context(_screen())
        session = _start(stack, display)
        stack.callback(session.ask, "", None, "DELETE")
        yield DrivenTab(WebkitWindow(session))


def _start(stack: ExitStack, display: str) -> Driver:
    """Starts a driver and its browser, again where the browser did not come."""
    for _ in range(N_STARTS):
        port = free_port()
        driver = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "DISPLAY": display},
        )
        stack.callback(_end, driver)
        _wait(f"http://127.0.0.1:{port}/status")
        try:
            return Driver(f"http://127.0.0.1:{port}")
        except TimeoutError:
            continue
    raise RuntimeError(f"WebKit has not started in {N_STARTS} times {START_SECONDS:g} s.")


@contextmanager
def _screen() -> Iterator[str]:
    """A screen that nobody sees; yields its name."""
    size = f"{SCREEN['width']}x{SCREEN['height'] + 100}x24"
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as said:
            yield f":{said.readline().strip()}"
    finally:
        _end(process)


def _wait(address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            HERE.open(address, timeout=2).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("WebKitWebDriver does not answer.")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(30)

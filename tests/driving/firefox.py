"""Debian's own Firefox, headless, over WebDriver BiDi: it needs no driver beside it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.driving.tab import PATIENCE, SCREEN, DrivenTab

NAMES = ("firefox-esr", "firefox")
PREFERENCES = {  # nobody listens there: only this machine can be reached
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "127.0.0.1, localhost",
    "datareporting.policy.dataSubmissionEnabled": False,
}
_LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


class Bidi:
    """The socket: asks, and notes down which errors the pages wrote to their consoles."""

    def __init__(self, socket: ClientConnection) -> None:
        """Begins a session."""
        self.socket, self.numbers = socket, count(1)
        self.errors: list[str] = []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Asks one thing and returns its result."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (said := json.loads(self.socket.recv(PATIENCE))).get("id") != number:
            entry = said.get("params", {})
            if said.get("method") == "log.entryAdded" and entry["level"] == "error":
                self.errors.append(entry["text"])
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']}: {said['message']}")
        result: dict[str, Any] = said["result"]
        return result


class FirefoxWindow:
    """One window of one reader."""

    def __init__(self, bidi: Bidi, reader: str) -> None:
        """Opens it; windows of the same reader share what a browser keeps."""
        self.bidi, self.reader = bidi, reader
        opened = bidi.ask("browsingContext.create", type="window", userContext=reader)
        self.context = opened["context"]
        bidi.ask("browsingContext.setViewport", context=self.context, viewport=SCREEN)

    def go(self, url: str) -> None:
        """Opens an address."""
        self.bidi.ask("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, script: str) -> str:
        """Runs the body of an asynchronous function, which returns a string."""
        said = self.bidi.ask(
            "script.callFunction",
            functionDeclaration=f"async () => {{ {script} }}",
            target={"context": self.context},
            awaitPromise=True,
            userActivation=True,
        )
        if said["type"] == "exception":
            raise RuntimeError(said["exceptionDetails"]["text"])
        return str(said["result"]["value"])

    def act(self, sources: list[dict[str, Any]]) -> None:
        """Does what a hand does."""
        self.bidi.ask("input.performActions", context=self.context, actions=sources)

    def another(self) -> FirefoxWindow:
        """Opens another window of the same reader."""
        return FirefoxWindow(self.bidi, self.reader)

    def errors(self) -> list[str]:
        """Returns what was written to the consoles as errors."""
        self.bidi.ask("session.status")  # what came before its answer is noted
        return self.bidi.errors


def missing() -> str | None:
    """Says what this machine lacks, if anything."""
    return None if _program() else "There is no Firefox: apt install firefox-esr"


def _program() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def run() -> Iterator[DrivenTab]:
    """Runs a Firefox that has never been used until the block ends; yields its first tab.

    Raises:
        RuntimeError: It does not start; the message holds what it printed.
    """
    program = _program()
    assert program is not None, missing()
    with tempfile.TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True) as folder:
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in PREFERENCES.items()]
        Path(folder, "user.js").write_text("\n".join(lines), "utf-8")
        command = [program, "--headless", "--no-remote", "--profile", folder]
        command += ["--remote-debugging-port", "0", "about:blank"]
        log = Path(folder, "log")
        with log.open("wb") as written:
            process = subprocess.Popen(command, stdout=written, stderr=written)
        try:
            with connect(f"{_address(process, log)}/session", proxy=None, max_size=None) as socket:
                bidi = Bidi(socket)
                reader = bidi.ask("browser.createUserContext")["userContext"]
                yield DrivenTab(FirefoxWindow(bidi, reader))
        finally:
            process.terminate()
            process.wait(30)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + PATIENCE
    while not (found := _LISTENS.search(said := log.read_text("utf-8", errors="replace"))):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"Firefox does not start: {said}")
        time.sleep(0.1)
    return found[1]

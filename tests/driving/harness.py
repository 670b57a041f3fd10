"""Starts an app and a browser, presses, and times what a person sees, by the clock of the page.

Browser tests and benchmarks stand on this file. It knows how Streamlit serves and how Chromium
paints; it knows nothing of this app's pages and never imports torch, so that a cold start can be
timed from here.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Playwright, sync_playwright

ROOT = Path(__file__).resolve().parents[2]

CHROMIUM_NAMES = (
    "chromium-headless-shell",  # Chromium without the window's own parts, which cost a tenth of it
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
CHROMIUM_PATHS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
CHROMIUM_ARGS = (
    "--no-sandbox",  # a container has no user namespaces; the only site visited is our own
    "--disable-gpu",
    "--disable-dev-shm-usage",  # nor much shared memory
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--proxy-server=http://127.0.0.1:9",  # nobody is there: only this machine can be reached
)
NO_CHROMIUM = (
    "No Chromium or Chrome was found: install one (Debian: `apt install chromium`; macOS: "
    "`brew install --cask google-chrome`; anywhere: `.venv/bin/playwright install chromium`), "
    "or name yours in the variable CHROMIUM."
)

IDLE = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  const isRunning = app?.dataset.testScriptState !== "notRunning";
  const onItsWay = '[data-testid="stSkeleton"], [data-later], .st-key-rest_to_come';
  return !isRunning && document.querySelector(onItsWay) === null;
}"""

OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


# The server


@dataclass
class Server:
    """A running Streamlit server, and what it has printed."""

    url: str  # "http://127.0.0.1:43117"
    process: subprocess.Popen[bytes]
    log_path: Path
    started: float  # time.perf_counter() when the process was started

    def log(self) -> str:
        """Returns all that the server has printed so far."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def is_healthy(self) -> bool:
        """Whether the server answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def wait_until_healthy(self, timeout: float) -> None:
        """Returns when the server answers.

        Raises:
            RuntimeError: It ended or stayed silent; the message holds what it printed.
        """
        deadline = time.monotonic() + timeout
        while not self.is_healthy():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The app did not start. It printed:\n{self.log()}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Ends the server's process, kindly first."""
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def serve(
    script: Path = ROOT / "app.py",
    *,
    options: Mapping[str, str] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    port: int | None = None,
    timeout: float = 180,
) -> Iterator[Server]:
    """Runs `streamlit run script` on a free port of this machine, offline, until the block ends.

    Args:
        script: The app; its folder's `.streamlit/config.toml` counts where `cwd` has none.
        options: Streamlit options beside the address, by name: `{"runner.fastReruns": "true"}`.
        env: Variables on top of this process's own and of `OFFLINE`.
        cwd: Where the server runs.
        port: Where it listens; a free port by default.
        timeout: Seconds until it must answer.
    """
    port = port or free_port()
    settings = {
        "server.address": "127.0.0.1",
        "server.port": str(port),
        "server.headless": "true",
        **(options or {}),
    }
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += [part for name, value in settings.items() for part in (f"--{name}", value)]
    # what is set for Streamlit around us must not change what is served
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("STREAMLIT_")}
    with tempfile.TemporaryDirectory(prefix="one-token-") as folder:
        log_path = Path(folder, "server.log")
        with log_path.open("wb") as log:
            started = time.perf_counter()
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env={**inherited, **OFFLINE, "PYTHONUNBUFFERED": "1", **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        server = Server(f"http://127.0.0.1:{port}", process, log_path, started)
        try:
            server.wait_until_healthy(timeout)
            yield server
        finally:
            server.stop()


def free_port() -> int:
    """Returns a port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# The browser


def find_chromium(playwright: Playwright) -> str | None:
    """Returns the path of a Chromium: `$CHROMIUM`, the system's, or Playwright's own; else None."""
    if named := os.environ.get("CHROMIUM"):
        return named
    on_path = (shutil.which(name) for name in CHROMIUM_NAMES)
    own = playwright.chromium.executable_path
    return next(
        (path for path in (*on_path, *CHROMIUM_PATHS, own) if path and Path(path).exists()), None
    )


@contextmanager
def chromium(*options: str) -> Iterator[Browser]:
    """Runs a headless Chromium until the block ends, with these options beside its usual ones.

    Raises:
        RuntimeError: The machine has none; the message says how to install one.
    """
    with sync_playwright() as playwright:
        path = find_chromium(playwright)
        if path is None:
            raise RuntimeError(NO_CHROMIUM)
        browser = playwright.chromium.launch(executable_path=path, args=[*CHROMIUM_ARGS, *options])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Witness:
    """What went wrong in a page, and what it asked of the world outside."""

    errors: list[str] = field(default_factory=list)  # console errors and uncaught exceptions
    outside: list[str] = field(default_factory=list)  # addresses asked for that are not local

    def watch(self, page: Page) -> None:
        """Notes down what happens in the page from now on."""
        page.on(
            "console", lambda line: self.errors.append(line.text) if line.type == "error" else None
        )
        page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        page.on("request", lambda request: self._note(request.url))

    def _note(self, address: str) -> None:
        if not is_local(address):
            self.outside.append(address)


def is_local(address: str) -> bool:
    """Whether an address is of this machine or of the page itself (data:, blob:)."""
    return address.startswith(
        ("http://127.0.0.1:", "http://localhost:", "data:", "blob:", "about:")
    )


def visit(page: Page, url: str, timeout: float = 60) -> None:
    """Opens the app, or another address of it, and waits until its script has run."""
    page.goto(url)
    wait_idle(page, timeout)


def wait_idle(page: Page, timeout: float = 60) -> None:
    """Waits until Streamlit has no script running and no answer under way.

    Args:
        page: A page of a Streamlit app.
        timeout: Seconds.
    """
    page.wait_for_function(IDLE, timeout=timeout * 1000)  # looks at every frame


def by_key(page: Page, key: str) -> Locator:
    """Returns the element of the widget with that key."""
    # what a run has replaced stays until its end, hidden
    return page.locator(f".st-key-{key}:not([data-retained])")


# The clock in the page


# What a reader prefers who knows the page: all strategies, each step gone once its answer has come.
EXPERT = """
try {
  for (const [name, value] of Object.entries({ seen: "1", hold: "0", side: "1" }))
    if (localStorage.getItem(`ott-${name}`) === null) localStorage.setItem(`ott-${name}`, value);
} catch { /* a page without storage */ }
"""
# The same, with one distribution, as the page opens.
ONE_DISTRIBUTION = EXPERT.replace('side: "1"', 'side: "0"')

CLOCK = """
window.__clock ??= (() => {
  const state = { pressed: null, sent: 0, frames: null };
  const press = (event) => {
    if (state.armed && state.pressed === null) state.pressed = event.timeStamp;
  };
  for (const kind of ["click", "keydown", "input"]) window.addEventListener(kind, press, true);

  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...args) { state.sent += 1; return send.apply(this, args); };
  const ask = window.fetch;
  window.fetch = (...args) => { state.sent += 1; return ask(...args); };

  // a message posted from a frame's callback arrives once that frame is painted
  const afterPaint = (then) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => then(performance.now());
    channel.port2.postMessage(null);
  };
  return {
    sent: () => state.sent,
    arm(expression, patience) {
      const holds = new Function(`return (${expression});`);
      const deadline = performance.now() + patience;
      Object.assign(state, { armed: true, pressed: null });
      this.done = new Promise((resolve, reject) => {
        const look = (now) => {
          if (state.pressed !== null && holds()) {
            state.armed = false;
            afterPaint((painted) => resolve(painted - state.pressed));
          } else if (now > deadline) {
            reject(new Error(state.pressed === null ? "no press came" : `never: ${expression}`));
          } else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
      this.done.catch(() => {}); // whoever asks for it is told
    },
    startFrames() {
      const times = (state.frames = []);
      const tick = (now) => {
        if (state.frames !== times) return;
        times.push(now);
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    },
    stopFrames() { const times = state.frames; state.frames = null; return times; },
  };
})();
"""


def time_to_paint(
    page: Page, press: Callable[[], object], shown: str, timeout: float = 30
) -> float:
    """Returns the seconds from a press to the end of the first frame in which `shown` holds.

    Args:
        page: A page with `CLOCK` as an init script.
        press: Makes one trusted click, key press or input in the page.
        shown: A JavaScript expression that is false before and true once the answer is drawn.
        timeout: Seconds to wait for it.

    Raises:
        playwright.sync_api.Error: No press came, or `shown` never held.
    """
    page.evaluate("([shown, ms]) => window.__clock.arm(shown, ms)", [shown, timeout * 1000])
    press()
    return float(page.evaluate("() => window.__clock.done")) / 1000


@dataclass(frozen=True)
class Frames:
    """How smoothly a page painted while something was done to it."""

    gaps: list[float]  # seconds between one frame and the next
    n_messages: int  # requests and WebSocket messages that the page sent meanwhile

    @property
    def per_second(self) -> float:
        """Frames per second over the whole time."""
        return len(self.gaps) / sum(self.gaps)


def frames_during(page: Page, act: Callable[[], object]) -> Frames:
    """Does something and returns the frames that were painted meanwhile, and the messages sent."""
    before = page.evaluate("() => window.__clock.sent()")
    page.evaluate("() => window.__clock.startFrames()")
    act()
    times = page.evaluate("() => window.__clock.stopFrames()")
    sent = page.evaluate("() => window.__clock.sent()")
    gaps = [(after - first) / 1000 for first, after in pairwise(times)]
    return Frames(gaps, sent - before)


# A slow machine


LONG_TASKS = """
window.__tasks ??= [];
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.__tasks.push([task.startTime, task.duration]);
}).observe({ type: "longtask", buffered: true });
"""


def slow_down(page: Page, times: float) -> None:
    """Makes the processor so many times slower for a page."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": times})


def long_tasks(page: Page) -> list[tuple[float, float]]:
    """Returns when each task of over 50 ms began and how long it took, in seconds, and forgets it.

    Args:
        page: A page with `LONG_TASKS` as an init script.
    """
    page.wait_for_timeout(250)  # the observer is told late
    tasks = page.evaluate("() => window.__tasks.splice(0)")
    return [(began / 1000, duration / 1000) for began, duration in tasks]

"""What a page weighs on the wire, and when it is there at a school's connection.

    python -m benchmarks.bench_weight [--rounds 5]

Home and the sampling lesson are opened at 10 Mbit/s and 40 ms by a browser that knows nothing of
them, and once more by one that has been there. An empty Streamlit app, which compresses nothing, is
opened in turn.
"""

import argparse
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from benchmarks.bench_cold_start import EMPTY_APP
from benchmarks.figures import Timing, brief, describe_machine, record
from tests.driving.harness import LONG_TASKS, chromium, long_tasks, serve, slow_down, wait_idle

VIEWPORT = {"width": 1280, "height": 800}
SCHOOL = {"latency": 40, "downloadThroughput": 10e6 / 8, "uploadThroughput": 10e6 / 8}
QUIET_MS = 1_000  # that a page is idle before it is weighed
# a page, what it is known by, what can be used when it is there, and what its first visit may weigh
PAGES = (
    ("home", "", ".st-key-live .button.is-primary", 1.0e6),
    ("sampling", "sampling", ".st-key-lab input[type=range]", 2.45e6),
)
FIRST_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
PAINT_SECONDS, USE_SECONDS = 1.5, 2.5


@dataclass
class Visit:
    """What went over the wire while a page was open."""

    sizes: dict[str, int] = field(default_factory=dict)  # bytes by address, headers included
    socket_bytes: int = 0
    seconds_to_paint: float = 0.0
    seconds_to_use: float = 0.0
    tasks: list[tuple[float, float]] = field(default_factory=list)  # over 50 ms: begin, duration

    @property
    def n_bytes(self) -> int:
        """All bytes that were received."""
        return sum(self.sizes.values()) + self.socket_bytes

    @property
    def seconds_blocked(self) -> float:
        """For how long a hand was not heard until the page could be used."""
        return sum(
            max(0.0, took - 0.05) for began, took in self.tasks if began < self.seconds_to_use
        )

    def watch(self, page: Page, *, is_slow: bool) -> None:
        """Notes down all that comes from now on."""
        wire = page.context.new_cdp_session(page)
        addresses: dict[str, str] = {}
        is_kept: set[str] = set()  # by the browser, from before

        def asked(event: dict[str, Any]) -> None:
            addresses[event["requestId"]] = event["request"]["url"]

        def answered(event: dict[str, Any]) -> None:
            if event["response"].get("fromDiskCache"):
                is_kept.add(event["requestId"])

        def finished(event: dict[str, Any]) -> None:
            name, size = event["requestId"], int(event["encodedDataLength"])
            address = addresses.get(name, "")
            if name not in is_kept and address.startswith("http"):
                self.sizes[address] = self.sizes.get(address, 0) + size

        def framed(event: dict[str, Any]) -> None:
            data = event["response"]["payloadData"]  # bytes come in base64
            self.socket_bytes += len(data) * (3 if event["response"]["opcode"] == 2 else 4) // 4

        wire.on("Network.requestWillBeSent", asked)
        wire.on("Network.requestServedFromCache", lambda event: is_kept.add(event["requestId"]))
        wire.on("Network.responseReceived", answered)
        wire.on("Network.loadingFinished", finished)
        wire.on("Network.webSocketFrameReceived", framed)
        wire.send("Network.enable")
        if is_slow:
            wire.send("Network.emulateNetworkConditions", {"offline": False, **SCHOOL})


def weigh(
    context: BrowserContext, url: str, usable: str, *, is_slow: bool = False, times_slower: int = 1
) -> Visit:
    """Opens a page, waits until it can be used and all of it is there, and closes it.

    Args:
        context: Of a browser that may have been there.
        url: The page.
        usable: What can be used when it is there.
        is_slow: Whether it comes at a school's connection.
        times_slower: What the processor is slowed down by.
    """
    page, visit = context.new_page(), Visit()
    visit.watch(page, is_slow=is_slow)
    slow_down(page, times_slower)
    page.add_init_script(LONG_TASKS)
    page.goto(url, wait_until="commit")
    page.locator(usable).first.wait_for(timeout=60_000)
    visit.seconds_to_use = float(page.evaluate("performance.now()")) / 1000
    wait_idle(page)
    page.wait_for_timeout(QUIET_MS)
    visit.seconds_to_paint = float(page.evaluate(FIRST_PAINT)) / 1000
    visit.tasks = long_tasks(page)
    page.close()
    return visit


def two_visits(browser: Browser, url: str, usable: str) -> tuple[Visit, Visit]:
    """Opens a page in a new browser, and again."""
    context = browser.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]  # a mapping
    first = weigh(context, url, usable, is_slow=True)
    second = weigh(context, url, usable, is_slow=True)
    context.close()
    return first, second


def print_page(name: str, pairs: list[tuple[Visit, Visit]], limit: float) -> None:
    """Prints what a page weighs and when it is there, beside the aims."""
    firsts, seconds = ([pair[i] for pair in pairs] for i in (0, 1))
    for which, visits in (("first", firsts), ("second", seconds)):
        print(
            f"{name}, {which} visit: {len(visits[0].sizes)} requests, "
            f"{sum(visits[0].sizes.values()) / 1e3:.0f} kB, "
            f"by WebSocket {visits[0].socket_bytes / 1e3:.0f} kB"
        )
        print(Timing("  first paint", tuple(v.seconds_to_paint for v in visits)).line())
        print(Timing("  usable", tuple(v.seconds_to_use for v in visits)).line())
    weight = median(visit.n_bytes for visit in firsts)
    shown = f"{weight / 1e6:.2f} MB, again {median(v.n_bytes for v in seconds) / 1e3:.0f} kB"
    aim = f"{limit / 1e6:.1f} MB" if limit else ""
    record(f"{name}: first visit", shown, aim, is_met=weight <= limit if limit else None)
    if name == "home":
        painted = Timing("", tuple(visit.seconds_to_paint for visit in firsts))
        used = Timing("", tuple(visit.seconds_to_use for visit in firsts))
        record(
            "home at 10 Mbit/s and 40 ms: first paint; usable, median (p90)",
            f"{brief(painted)}; {brief(used)}",
            f"{PAINT_SECONDS} s; {USE_SECONDS} s",
            is_met=painted.median <= PAINT_SECONDS and used.median <= USE_SECONDS,
        )


def main() -> None:
    """Prints all of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(describe_machine(), end="\n\n")
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        script = Path(folder, "app.py")
        script.write_text(EMPTY_APP)
        with serve() as ours, serve(script, cwd=script.parent) as empty:
            kinds = [(name, f"{ours.url}/{path}", usable) for name, path, usable, _ in PAGES]
            kinds.append(("empty app", empty.url, "h1"))
            for _, url, usable in kinds:
                two_visits(browser, url, usable)  # warms up
            turns = [[two_visits(browser, *kind[1:]) for kind in kinds] for _ in range(rounds)]
    limits = [*(limit for *_, limit in PAGES), 0.0]
    for (name, *_), pairs, limit in zip(kinds, zip(*turns, strict=True), limits, strict=True):
        print_page(name, list(pairs), limit)


if __name__ == "__main__":
    main()

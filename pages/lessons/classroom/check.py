"""What a class opens before its lesson, `/check`: whether each device can take part.

The page checks its own device: browser, storage, clock, network, live connection. This module
counts how many devices came and what failed, so that the teacher sees whether phones reach the
server. It keeps a random name and the failed checks, in memory, for ten minutes, and nothing else.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence

import segno
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from model.classroom.members import RoomError
from model.sentences import Sentence
from pages.lessons.classroom.address import reach
from pages.lessons.classroom.wire import NO_STORE, body_of, in_one_sentence, showing, text_in
from viz.palette import code

CHECKS = ("browser", "storage", "clock", "speed", "connection")  # the names that check.js has
KEPT_SECONDS = 600.0
MAX_DEVICES = 500
MAX_ADDRESS = 300  # characters
MAX_NAME = 24  # characters, of a device
_UNREADABLE = Sentence("That cannot be read: load the page again.")


class Devices:
    """The devices that opened the page lately, each with the checks that failed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begins with none."""
        self._clock = clock
        self._seen: dict[str, tuple[float, tuple[str, ...]]] = {}

    def report(self, device: str, faults: Sequence[str]) -> None:
        """Counts a device once, by its newest report; drops the oldest beyond the limit."""
        self._seen.pop(device, None)
        self._seen[device] = self._clock(), tuple(faults)
        if len(self._seen) > MAX_DEVICES:
            del self._seen[next(iter(self._seen))]

    def count(self) -> tuple[int, dict[str, int]]:
        """Returns how many devices came, and how many of them failed each check."""
        since = self._clock() - KEPT_SECONDS
        self._seen = {name: seen for name, seen in self._seen.items() if seen[0] >= since}
        return len(self._seen), Counter(
            fault for _, found in self._seen.values() for fault in found
        )


_devices = Devices()


@in_one_sentence
async def state(request: Request) -> Response:
    """Answers with the server's time, the address for the phones, and how many came."""
    at = request.query_params.get("at", "")
    if not 0 < len(at) <= MAX_ADDRESS:
        raise RoomError(_UNREADABLE)
    address, remedy = reach(at, "/check")
    n_devices, faults = _devices.count()
    told = {
        "now": time.time(),
        "address": address,
        "remedy": remedy,
        "picture": None if remedy else _picture(address),
        "n_devices": n_devices,
        "faults": faults,
    }
    return JSONResponse(told, headers=NO_STORE)


@in_one_sentence
async def report(request: Request) -> Response:
    """Takes what a device found out about itself."""
    sent = await body_of(request)
    device, faults = text_in(sent, "device"), sent.get("faults")
    if not isinstance(faults, list) or not 0 < len(device) <= MAX_NAME:
        raise RoomError(_UNREADABLE)
    if not all(fault in CHECKS for fault in faults) or len(faults) > len(set(faults)):
        raise RoomError(_UNREADABLE)
    _devices.report(device, faults)
    return JSONResponse({}, headers=NO_STORE)


def _picture(address: str) -> str:
    dark, light = code("ink", "light"), code("paper", "light")
    drawn = segno.make(address, micro=False)
    return str(drawn.svg_data_uri(border=2, dark=dark, light=light))


def routes(base: str) -> tuple[Route, ...]:
    """Returns what the page asks, below the server's base path."""
    return (
        Route(f"{base}/check", showing("check", base)),
        Route(f"{base}/check/state", state),
        Route(f"{base}/check/report", report, methods=["POST"]),
    )

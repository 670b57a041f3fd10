"""Whose request is answered next: that of the tab that was served least, of all that wait.

One process computes for all readers. Few requests are answered at once, since more threads only
take Python's interpreter from each other, and what takes long has a place of its own, so that a
press waits for presses alone. The order is start-time fair queueing (Goyal, Vin and Cheng, 1996),
in seconds of the processor. An address cannot take all places while another one waits. Knows no
wire and no model; it is used within one event loop.
"""

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

MAX_WAITING = 4  # requests of one tab, the one that is under way included
PLACES = {  # requests that are answered at once, by what their tab asked lately
    "short": 4,
    "long": 1,
    "remote": 27,  # of a model on a server: they wait for it, and hardly compute
}
LONG_SECONDS = 0.05  # of the processor: a press takes some 0.01
REMEMBERED_SECONDS = 10.0  # after a long request, in which its tab's next one counts as long
MAX_TABS = 4_096  # that are remembered


class FullError(Exception):
    """A tab asks faster than it is answered."""


@dataclass
class _Tab:
    n_here: int = 0  # requests that wait or are answered
    is_served: bool = False
    served: float = 0.0  # the virtual time at which its next request may begin
    long_until: float = -math.inf
    is_remote: bool = False


@dataclass
class QueuePlace:
    """Of one request, while it is answered; filled in by who answers it."""

    seconds: float = 0.0  # of the processor
    is_remote: bool = False  # its model runs on a server


@dataclass(frozen=True)
class _Waiting:
    number: int
    tab: str
    network: str
    begins: asyncio.Future[str] = field(compare=False)  # with the kind of its place


class AnswerQueue:
    """The requests of all tabs."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begins with none."""
        self._clock, self._numbers = clock, count()
        self._tabs: OrderedDict[str, _Tab] = OrderedDict()  # the longest idle first
        self._waiting: list[_Waiting] = []
        self._taken: Counter[str] = Counter()  # places, by kind
        self._of_network: Counter[tuple[str, str]] = Counter()  # the same, by kind and network
        self._now = self._highest = 0.0  # virtual time: of the newest begin, of the last end

    @asynccontextmanager
    async def place(self, tab: str, network: str) -> AsyncIterator[QueuePlace]:
        """Waits for a place, and gives it up at the end.

        Args:
            tab: That asks; one of its requests is answered at a time.
            network: That it comes from; "" if that is many people's.

        Raises:
            FullError: Too many requests of this tab wait.
        """
        known = self._tabs.setdefault(tab, _Tab())
        self._tabs.move_to_end(tab)
        if known.n_here >= MAX_WAITING:
            raise FullError
        known.n_here += 1
        begins = asyncio.get_running_loop().create_future()
        waiting, place = _Waiting(next(self._numbers), tab, network, begins), QueuePlace()
        self._waiting.append(waiting)
        self._begin()
        try:
            await begins
            yield place
        finally:
            known.n_here -= 1
            if waiting in self._waiting:  # it was cancelled before its turn
                self._waiting.remove(waiting)
            else:
                self._end(known, begins.result(), network, place)

    def _begin(self) -> None:
        """Begins all that find a place."""
        while able := [(key, each) for each in self._waiting if (key := self._order(each))]:
            (_, begins_at, _), first = min(able, key=lambda pair: pair[0])
            tab = self._tabs[first.tab]
            kind = self._kind(tab)
            self._waiting.remove(first)
            self._now = tab.served = begins_at
            tab.is_served = True
            self._taken[kind] += 1
            self._of_network[kind, first.network] += 1
            first.begins.set_result(kind)

    def _order(self, waiting: _Waiting) -> tuple[bool, float, int] | None:
        """Returns what the first in line has least of; None if the request cannot begin."""
        tab = self._tabs[waiting.tab]
        kind = self._kind(tab)
        if tab.is_served or waiting.begins.cancelled() or self._taken[kind] >= PLACES[kind]:
            return None
        n_held = self._of_network[kind, waiting.network] if waiting.network else 0
        has_share = n_held >= PLACES[kind] / 2
        return has_share, max(tab.served, self._now), waiting.number

    def _kind(self, tab: _Tab) -> str:
        if tab.is_remote:
            return "remote"
        return "long" if self._clock() < tab.long_until else "short"

    def _end(self, tab: _Tab, kind: str, network: str, place: QueuePlace) -> None:
        tab.is_served, tab.is_remote = False, place.is_remote
        tab.served += place.seconds
        self._highest = max(self._highest, tab.served)
        if place.seconds > LONG_SECONDS:
            tab.long_until = self._clock() + REMEMBERED_SECONDS
        self._taken[kind] -= 1
        self._of_network -= Counter([(kind, network)])
        self._begin()
        if not self._waiting and not any(self._taken.values()):
            self._now = self._highest  # nobody has anything to catch up
        if len(self._tabs) > MAX_TABS:
            idle = (name for name, known in self._tabs.items() if not known.n_here)
            self._tabs.pop(next(idle, ""), None)

"""Bounds on connections: how many, for how long silent, and who has to go when there are too many.

Uvicorn closes a connection that is idle between two requests, but waits without end for the rest of
a header, and accepts connections until the process has no file descriptor left; then nobody is
served. Here a header has a deadline. If there are too many connections, the server closes one that
it owes nothing: no connection of a page that is open, and none whose request is being answered.
"""

import asyncio
import logging
import sys
from collections import Counter, OrderedDict
from typing import Any

from starlette.types import Message, Receive, Scope, Send
from uvicorn.server import Server

from pages.frame.readers import named_proxies, network_in

MAX_CONNECTIONS = 2_048  # in all, where the limit of open files allows it
MAX_PER_ADDRESS = 1_024  # of one network: a school behind one router opens some hundreds
MAX_SOCKETS = 600  # pages that are open in all
MAX_SOCKETS_PER_ADDRESS = 400
MAX_HEADER_SECONDS = 15.0  # from a connection's begin, or a request's, until its header is whole
MAX_STALLED_SECONDS = 60.0  # in which a client takes nothing of an answer that waits for it
MAX_SOCKET_MESSAGE = 8 * 1024 * 1024  # bytes of one message of an open page
MAX_FILES = 8_192  # open files that the process asks for
FILES_KEPT = 256  # open files that are left for models, child processes and pipes
ACCEPTED_AT_ONCE = 32  # connections that asyncio accepts before it counts them
MAX_WAITING = 2_048  # connections that wait to be accepted
TRY_LATER = 1013  # the code of a websocket that is closed because there are too many
LOGGER = logging.getLogger(__name__)


# Connections


class Connections:
    """All connections of a server, by their transport, the oldest first."""

    def __init__(self, limit: int, per_network: int) -> None:
        self.limit, self.per_network = limit, per_network
        self._held: dict[Any, tuple[str, Any]] = {}  # network, and the protocol where it is HTTP
        self._by_network: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._held)

    def add(self, transport: Any, protocol: Any) -> None:
        """Counts a new connection; if it is one too many, closes one that the server owes nothing.

        Where every other connection is owed something, it is the new one that is closed.
        """
        network = _network_of(transport)
        self._held[transport] = network, protocol
        self._by_network[network] += 1
        is_own = network != "" and self._by_network[network] > self.per_network
        if is_own or len(self) > self.limit:
            self._close_one(network if is_own else None, transport)

    def upgrade(self, transport: Any) -> None:
        """Keeps a connection that has become a websocket's."""
        self._held[transport] = self._held[transport][0], None

    def remove(self, transport: Any) -> None:
        """Counts a connection no longer."""
        network, _ = self._held.pop(transport, ("", None))
        self._by_network -= Counter([network])

    def _close_one(self, network: str | None, newest: Any) -> None:
        """Closes the oldest connection that can go, of one network or of the one with the most."""
        idle = [
            (held, transport)
            for transport, (held, protocol) in self._held.items()
            if network in (None, held) and transport is not newest and _is_owed_nothing(protocol)
        ]
        most = max((self._by_network[held] for held, _ in idle), default=0)
        oldest = (one for held, one in idle if self._by_network[held] == most)
        closed = next(oldest, newest)
        self.remove(closed)
        closed.abort()


def _is_owed_nothing(protocol: Any) -> bool:
    """Returns whether an HTTP connection has no whole request, or takes nothing of its answer."""
    if protocol is None:  # a websocket
        return False
    cycle = protocol.cycle
    is_idle = cycle is None or cycle.response_complete
    return bool(is_idle or cycle.more_body or protocol.flow.write_paused)


def _network_of(transport: Any) -> str:
    """Returns the network at the other end of a connection; "" if it may be many people's."""
    peer = transport.get_extra_info("peername")
    return named_proxies().network(str(peer[0])) if isinstance(peer, tuple) and peer else ""


# Deadlines


class Bounds(asyncio.Protocol):
    """What is put over a protocol of Uvicorn's: it is counted, and has deadlines."""

    counted: Connections
    transport: Any
    _deadline: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Waits no longer for a client that takes nothing."""
        super().pause_writing()
        self.set_deadline(MAX_STALLED_SECONDS)

    def resume_writing(self) -> None:
        """Goes on with a client that takes what it is sent."""
        super().resume_writing()
        self.set_deadline(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Counts the connection no longer."""
        self.set_deadline(None)
        self.counted.remove(self.transport)
        super().connection_lost(exc)

    def set_deadline(self, seconds: float | None) -> None:
        """Closes the connection after so many seconds, unless another deadline is set before."""
        if self._deadline is not None:
            self._deadline.cancel()
        later = asyncio.get_running_loop().call_later
        self._deadline = later(seconds, self.transport.abort) if seconds else None


class HttpBounds(Bounds):
    """What is put over Uvicorn's HTTP protocol: a header has a deadline, too."""

    cycle: Any  # the request that was read last

    def connection_made(self, transport: Any) -> None:
        """Counts the connection, and waits for its first header."""
        super().connection_made(transport)
        self.counted.add(transport, self)
        self.set_deadline(MAX_HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Reads what came; what begins a header has to complete it."""
        super().data_received(data)
        is_between = self.cycle is None or self.cycle.response_complete
        if self.transport.get_protocol() is not self or not is_between:
            self.set_deadline(None)
        elif self._deadline is None:
            self.set_deadline(MAX_HEADER_SECONDS)

    def handle_websocket_upgrade(self, *event: Any) -> None:
        """Hands the connection over to the websocket's protocol."""
        self.counted.upgrade(self.transport)
        base: Any = super()
        base.handle_websocket_upgrade(*event)

    def timeout_keep_alive_handler(self) -> None:
        """Closes an idle connection, also one that has not taken the end of its answer."""
        base: Any = super()
        base.timeout_keep_alive_handler()
        self.set_deadline(MAX_STALLED_SECONDS)


def bound_connections() -> None:
    """Lets every server that starts from now on bound its connections; call it once."""
    startup = Server.startup

    async def bounded_startup(self: Server, sockets: Any = None) -> None:
        limit = connection_limit()
        connections = Connections(limit, min(MAX_PER_ADDRESS, limit // 2))
        config: Any = self.config
        config.ws_max_size = MAX_SOCKET_MESSAGE
        for name, bounds in (("http_protocol_class", HttpBounds), ("ws_protocol_class", Bounds)):
            if base := getattr(config, name):  # None where no websockets are served
                bounded = type(bounds.__name__, (bounds, base), {"counted": connections})
                setattr(config, name, bounded)
        config.backlog = ACCEPTED_AT_ONCE
        await startup(self, sockets)
        for waiting in sockets or ():
            waiting.listen(MAX_WAITING)

    Server.startup = bounded_startup  # type: ignore[method-assign]  # no option


# Open pages


class Sockets:
    """Open pages by their websockets; of too many, the one that was silent longest is closed."""

    def __init__(self) -> None:
        self._open: OrderedDict[int, tuple[str, Send]] = OrderedDict()
        self._n, self._limit = 0, min(MAX_SOCKETS, connection_limit() // 2)

    async def serve(self, app: Any, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one, and closes another where there are too many."""
        self._n += 1
        number, network = self._n, network_in(scope)

        async def receive_and_note() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and number in self._open:
                self._open.move_to_end(number)
            return message

        self._open[number] = network, send
        try:
            await self._close_one_too_many(network)
            await app(scope, receive_and_note, send)
        finally:
            self._open.pop(number, None)

    async def _close_one_too_many(self, network: str) -> None:
        here = [n for n, (of, _) in self._open.items() if of == network]
        if network and len(here) > MAX_SOCKETS_PER_ADDRESS:
            silent = here[0]
        elif len(self._open) > self._limit:
            silent = next(iter(self._open))
        else:
            return
        _, close = self._open.pop(silent)
        try:
            await close({"type": "websocket.close", "code": TRY_LATER})
        except (RuntimeError, OSError):  # it is going already
            LOGGER.debug("a page left while it was closed")


# Files


def connection_limit() -> int:
    """Returns how many connections the open files allow."""
    return min(MAX_CONNECTIONS, max(open_files() - FILES_KEPT, FILES_KEPT // 2))


def open_files() -> int:
    """Returns how many files the process may have open."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit on sockets
        return MAX_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_FILES if soft == resource.RLIM_INFINITY else soft


def raise_file_limit() -> int:
    """Raises the limit of open files as far as the system lets it; returns what it is then."""
    try:
        import resource
    except ImportError:  # Windows
        return open_files()
    before = open_files()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FILES if hard == resource.RLIM_INFINITY else min(MAX_FILES, hard)
    if wanted > before:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):
            LOGGER.warning("the limit of open files stays %d: raise it with ulimit -n", before)
    now = open_files()
    raised = f", raised from {before:,}" if now > before else ""
    n_connections = f"up to {connection_limit():,} connections"
    sys.stdout.write(f"  Open files: {now:,}{raised}; {n_connections}.\n")
    return now

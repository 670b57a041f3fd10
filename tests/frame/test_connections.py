"""How many connections there are, how long one may be silent, and who goes when there are many."""

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import Server

from pages.frame import connections
from pages.frame.connections import Connections, Sockets
from tests.frame.asgi import run_apart

PATIENCE_SECONDS = 60  # of a busy machine


class ConnectionEnd:
    """One end of a connection, which notes that it was closed."""

    def __init__(self, address: str) -> None:
        self.address, self.is_closed = address, False

    def get_extra_info(self, _name: str) -> tuple[str, int]:
        return self.address, 1

    def abort(self) -> None:
        self.is_closed = True


def protocol(*, answering: bool = False, sending: bool = False, stalled: bool = False) -> Any:
    cycle = SimpleNamespace(response_complete=False, more_body=sending)
    flow = SimpleNamespace(write_paused=stalled)
    is_busy = answering or sending or stalled
    return SimpleNamespace(cycle=cycle if is_busy else None, flow=flow)


def test_the_oldest_that_is_owed_nothing_goes_and_no_page_that_is_open() -> None:
    held = Connections(limit=5, per_network=5)
    lines = [ConnectionEnd("127.0.0.1") for _ in range(8)]
    held.add(lines[0], protocol())
    held.upgrade(lines[0])  # an open page
    held.add(lines[1], protocol(answering=True))
    held.add(lines[2], protocol())  # silent
    held.add(lines[3], protocol(sending=True))  # half a body
    held.add(lines[4], protocol(answering=True, stalled=True))  # takes nothing
    for new in lines[5:]:
        held.add(new, protocol(answering=True))
    assert [line.is_closed for line in lines] == [False, False, True, True, True] + [False] * 3
    last = ConnectionEnd("127.0.0.1")
    held.add(last, protocol())
    assert last.is_closed
    assert len(held) == 5


def test_one_network_takes_no_other_s_place() -> None:
    held = Connections(limit=20, per_network=10)
    here = [ConnectionEnd("192.0.2.7") for _ in range(3)]
    many = [ConnectionEnd("192.0.2.9") for _ in range(300)]
    for line in (*here, *many):
        held.add(line, protocol())
    assert not any(line.is_closed for line in here)
    assert sum(not line.is_closed for line in many) == 10
    spread = [ConnectionEnd(f"198.51.100.{i}") for i in range(200)]
    for line in spread:
        held.add(line, protocol())
    assert len(held) == 20
    for line in (*here, *many, *spread):
        held.remove(line)
        held.remove(line)
    assert len(held) == 0


def test_a_machine_with_many_addresses_is_one_network() -> None:
    held = Connections(limit=20, per_network=10)
    many = [ConnectionEnd(f"2001:db8:1:2::{i:x}") for i in range(15)]
    for line in many:
        held.add(line, protocol())
    assert sum(not line.is_closed for line in many) == 10


@pytest.mark.parametrize("named", ["10.0.0.5", "10.0.0.0/8", "*"])
def test_a_named_proxy_limits_nobody(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", named)
    held = Connections(limit=20, per_network=10)
    lines = [ConnectionEnd("10.0.0.5") for _ in range(15)]
    for line in lines:
        held.add(line, protocol())
    assert not any(line.is_closed for line in lines)


async def served(app: Any, talk: Callable[[int], Awaitable[Any]]) -> Any:
    """Runs Uvicorn on a free port while something talks to it."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = Server(
            Config(app, lifespan="off", ws="none", log_level="critical", timeout_keep_alive=1)
        )
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.01)
            assert not serving.done()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await talk(listening.getsockname()[1])
        finally:
            server.should_exit = True
            await serving


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers have the bounds, and short deadlines."""
    monkeypatch.setattr(Server, "startup", Server.startup)
    monkeypatch.setattr(connections, "MAX_HEADER_SECONDS", 0.2)
    monkeypatch.setattr(connections, "MAX_STALLED_SECONDS", 0.2)
    connections.bound_connections()


REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("half", [b"", b"G", b"GET / HTTP/1.1\r\nHost: loc", REQUEST + REQUEST[:9]])
def test_half_a_header_is_hung_up_on(half: bytes) -> None:
    async def talk(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(half)
        try:
            return await reader.read()  # until the server hangs up
        finally:
            writer.close()

    answered = run_apart(served(PlainTextResponse("hello"), talk))
    assert answered.count(b"200 OK") == half.count(b"\r\n\r\n")


@pytest.mark.usefixtures("bounded")
def test_a_trickle_is_no_whole_header_and_a_slow_answer_is_waited_for() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await Request(scope, receive).body()
        await asyncio.sleep(0.5)
        await PlainTextResponse("hello")(scope, receive, send)

    async def trickle(port: int) -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for byte in REQUEST * 99:
            writer.write(bytes([byte]))
            await asyncio.sleep(0.02)
            if reader.at_eof() or reader.exception() or writer.is_closing():
                return True
        return False

    async def ask(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        try:
            return await reader.read()
        finally:
            writer.close()

    assert run_apart(served(slow, trickle))
    assert run_apart(served(slow, ask)).endswith(b"hello")


@pytest.mark.usefixtures("bounded")
def test_who_takes_nothing_of_an_answer_is_hung_up_on() -> None:
    async def talk(port: int) -> int:
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            line.sendall(REQUEST)
            while not gone:
                await asyncio.sleep(0.05)
        return len(gone)

    gone: list[bool] = []

    async def large(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(b"x" * 50_000_000)(scope, receive, send)
        gone.append((await receive())["type"] == "http.disconnect")

    assert run_apart(served(large, talk)) == 1


@pytest.mark.parametrize(("limit", "per_address", "n_closed"), [(4, 9, 3), (9, 4, 3), (9, 9, 0)])
def test_of_too_many_open_pages_the_one_that_was_silent_longest_goes(
    monkeypatch: pytest.MonkeyPatch, limit: int, per_address: int, n_closed: int
) -> None:
    monkeypatch.setattr(connections, "MAX_SOCKETS", limit)
    monkeypatch.setattr(connections, "MAX_SOCKETS_PER_ADDRESS", per_address)
    closed: list[int] = []

    async def app(_scope: Scope, receive: Receive, _send: Send) -> None:
        while (await receive())["type"] != "websocket.disconnect":
            pass

    async def talk() -> None:
        sockets, queues = Sockets(), [asyncio.Queue[Message]() for _ in range(7)]

        async def visit(number: int) -> None:
            async def send(message: Message) -> None:
                assert message["code"] == connections.TRY_LATER
                closed.append(number)
                queues[number].put_nowait({"type": "websocket.disconnect"})

            scope = {"type": "websocket", "client": ("192.0.2.9", number)}
            await sockets.serve(app, scope, queues[number].get, send)

        visits = []
        for number in range(7):
            visits.append(asyncio.create_task(visit(number)))
            queues[0].put_nowait({"type": "websocket.receive"})  # the first goes on speaking
            for _ in range(5):
                await asyncio.sleep(0)
        for queue in queues:
            queue.put_nowait({"type": "websocket.disconnect"})
        await asyncio.gather(*visits)

    run_apart(talk())
    assert closed == [1, 2, 3][:n_closed]


def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = [(256, 4_096)]
    resource = SimpleNamespace(
        RLIMIT_NOFILE=7,
        RLIM_INFINITY=-1,
        getrlimit=lambda _: limits[-1],
        setrlimit=lambda _, to: limits.append(to),
    )
    monkeypatch.setitem(sys.modules, "resource", resource)
    assert connections.connection_limit() == connections.FILES_KEPT // 2
    assert connections.raise_file_limit() == 4_096
    assert limits[-1] == (4_096, 4_096)
    assert "4,096" in capsys.readouterr().out
    assert connections.connection_limit() == connections.MAX_CONNECTIONS

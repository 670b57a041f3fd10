"""Whose request is answered next: strangers who ask without end keep no press waiting."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from pages.home.answer_queue import MAX_TABS, MAX_WAITING, PLACES, AnswerQueue, FullError
from tests.frame.asgi import run_apart

SCHOOL, STRANGER = "192.0.2.7", "203.0.113.9"


class NotedQueue:
    """A queue whose answers end when they are told to; it notes who was answered."""

    def __init__(self) -> None:
        self.now = 0.0
        self.queue = AnswerQueue(lambda: self.now)
        self.begun: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []
        self._ends: dict[str, asyncio.Event] = {}

    async def ask(self, tab: str, network: str = "", seconds: float = 0.01, kind: str = "") -> None:
        async def answered() -> None:
            async with self.queue.place(tab, network) as place:
                self.begun.append(tab)
                self._ends[tab] = asyncio.Event()
                await self._ends[tab].wait()
                place.seconds, place.is_remote = seconds, kind == "remote"

        self.tasks.append(asyncio.create_task(answered()))
        await self.settle()

    async def end(self, tab: str) -> None:
        self._ends.pop(tab).set()
        await self.settle()

    async def end_all(self) -> None:
        while self._ends:
            await self.end(next(iter(self._ends)))

    async def settle(self) -> None:
        for _ in range(9):
            await asyncio.sleep(0)


def scene(play: Callable[[NotedQueue], Coroutine[Any, Any, None]]) -> NotedQueue:
    async def run() -> NotedQueue:
        server = NotedQueue()
        await play(server)
        await server.end_all()
        return server

    server: NotedQueue = run_apart(run())
    assert not server.queue._waiting
    assert not +server.queue._taken
    assert not +server.queue._of_network
    return server


def test_a_press_goes_before_those_who_were_served_more() -> None:
    async def play(server: NotedQueue) -> None:
        strangers = [f"stranger {i}" for i in range(20)]
        for _ in range(3):
            for stranger in strangers:
                await server.ask(stranger)
        await server.ask("reader")
        assert "reader" not in server.begun
        for _ in range(25):
            await server.end(next(iter(server._ends)))
        n_before = server.begun.index("reader")
        assert n_before <= len(strangers) + PLACES["short"], "each had at most one before it"

    assert scene(play).begun.count("stranger 0") == 3


def test_who_asked_much_waits_behind_who_asked_little() -> None:
    async def play(server: NotedQueue) -> None:
        for i in range(PLACES["short"]):
            await server.ask(f"other {i}")
        for tab in ("stranger", "reader"):
            await server.ask(tab)
        await server.end("other 0")
        assert server.begun[-1] == "stranger"
        await server.end("stranger")
        await server.ask("stranger")  # goes on at once
        await server.ask("reader 2")
        for tab in ("reader", "other 1"):
            await server.end(tab)
        assert server.begun[-2:] == ["reader 2", "stranger"]

    scene(play)


def test_what_takes_long_has_a_place_of_its_own() -> None:
    async def play(server: NotedQueue) -> None:
        strangers = [f"stranger {i}" for i in range(8)]
        for stranger in strangers:
            await server.ask(stranger, seconds=1.0)
            await server.end_all()
        for stranger in strangers:
            await server.ask(stranger, seconds=1.0)
        assert len(server._ends) == PLACES["long"]
        await server.ask("reader")
        assert server.begun[-1] == "reader"
        await server.end_all()
        server.now += 60  # long ago
        await server.ask("stranger 0")
        await server.ask("stranger 1")
        assert len(server._ends) == 2

    scene(play)


def test_many_wait_for_a_server_s_model_at_once() -> None:
    async def play(server: NotedQueue) -> None:
        readers = [f"reader {i}" for i in range(20)]
        for reader in readers:
            await server.ask(reader, seconds=1.0, kind="remote")
            await server.end_all()
        for reader in readers:
            await server.ask(reader, kind="remote")
        assert len(server._ends) == len(readers)

    scene(play)


@pytest.mark.parametrize(("network", "n_before"), [(STRANGER, 2), ("", PLACES["short"])])
def test_one_address_leaves_places_to_others(network: str, n_before: int) -> None:
    async def play(server: NotedQueue) -> None:
        for i in range(99):
            await server.ask(f"stranger {i}", network)
        assert len(server._ends) == PLACES["short"], "alone it has all"
        for i in range(4):
            await server.ask(f"pupil {i}", SCHOOL)
        for i in range(4):
            await server.end(f"stranger {i}")
        here = [tab for tab in server.begun[PLACES["short"] :] if tab.startswith("stranger")]
        assert len(here) == n_before

    scene(play)


def test_a_tab_has_one_request_answered_and_few_that_wait() -> None:
    async def play(server: NotedQueue) -> None:
        for _ in range(MAX_WAITING + 2):
            await server.ask("tab")
        assert server.begun == ["tab"]
        assert [task.done() for task in server.tasks] == [False] * MAX_WAITING + [True] * 2
        assert all(isinstance(task.exception(), FullError) for task in server.tasks[-2:])

    assert scene(play).begun == ["tab"] * MAX_WAITING


def test_who_gives_up_takes_no_place_and_nobody_is_remembered_for_ever() -> None:
    async def play(server: NotedQueue) -> None:
        for i in range(PLACES["short"] + 2):
            await server.ask(f"tab {i}")
        server.tasks[0].cancel()  # while it is answered
        server.tasks[-2].cancel()  # while it waits
        await server.settle()
        server._ends.pop("tab 0")
        assert server.begun[-1] == f"tab {PLACES['short'] + 1}"
        for i in range(MAX_TABS + 9):
            await server.end_all()
            await server.ask(f"guest {i}")
        assert len(server.queue._tabs) <= MAX_TABS + 2

    scene(play)

"""Wrong room codes: many are answered slowly, and a right one is never kept waiting by them."""

import asyncio
import logging

import pytest
from starlette.applications import Starlette

from model.classroom.limits import MAX_WRONG_AT_ONCE, MAX_WRONG_HELD, WRONG_RATE
from model.classroom.rooms import end_rooms, open_room
from pages.lessons.classroom import phone, wire, wrong_codes
from pages.lessons.classroom.wrong_codes import WrongCodes
from tests.frame.asgi import ask, run_apart


def test_a_few_are_answered_at_once_and_so_many_a_second() -> None:
    async def play() -> None:
        now = [0.0]
        codes = WrongCodes(lambda: now[0])
        for _ in range(MAX_WRONG_AT_ONCE):
            assert not await codes.hold()
        tries = [asyncio.create_task(codes.hold()) for _ in range(MAX_WRONG_HELD + 5)]
        done, held = await asyncio.wait(tries, timeout=0)
        while len(done) < 5:  # those of which none waits any more
            done, held = await asyncio.wait(tries, timeout=0.01)
        assert len(held) == MAX_WRONG_HELD
        assert all(task.result() for task in done)
        now[0] += 1
        assert [await codes.hold() for _ in range(WRONG_RATE)] == [False] * WRONG_RATE
        for task in held:
            task.cancel()
        await asyncio.wait(held)
        now[0] += 3_600
        assert [await codes.hold() for _ in range(MAX_WRONG_AT_ONCE)] == [False] * MAX_WRONG_AT_ONCE

    run_apart(play())


def test_a_right_code_is_answered_at_once_among_wrong_ones(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(wrong_codes, "MAX_WRONG_HELD", 0)
    monkeypatch.setattr(wire, "_WRONG_CODES", WrongCodes(lambda: 0.0))
    app, room = Starlette(routes=phone.routes("")), open_room()
    for i in range(MAX_WRONG_AT_ONCE):
        assert "connection" not in ask(app, f"/room/A{i}/state").headers

    with caplog.at_level(logging.WARNING):
        answers = [ask(app, f"/room/A{i}/state", {"x-phone": "forged"}) for i in range(9)]
    assert {(one.status, one.headers["connection"]) for one in answers} == {(409, "close")}
    assert len(caplog.records) == 1
    joined = ask(app, f"/room/{room.code}/join", method="POST", body=b'{"name": "Ada"}')
    assert joined.status == 200
    end_rooms([room])

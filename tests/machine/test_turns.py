"""Who goes first: steps before slices, one slice at a time, one job that measures until it ends."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from model.machine.turns import (
    COMPANY_SECONDS,
    LEFT_SECONDS,
    MAX_REST,
    PRESSING_SECONDS,
    REST_RATIO,
    Turns,
)

LONG = 60.0  # seconds: only what is wrong waits so long


class Asker:
    """Whoever asks for turns, such as a job."""


@contextmanager
def beside(act: Callable[[], object]) -> Iterator[None]:
    """Do something in another thread until the block ends, and longer."""
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    yield
    thread.join(LONG)
    assert not thread.is_alive()


def ask(turns: Turns, job: object, *, is_timed: bool = False) -> bool:
    """Ask once for a slice, without patience."""
    with turns.slice_of(job, 0.0, is_timed=is_timed) as has_turn:
        return has_turn


def serve(turns: Turns) -> None:
    with turns.step():
        pass


def test_a_slice_gives_way_until_the_last_step_is_over_and_no_step_waits_for_it() -> None:
    turns, order = Turns(), list[str]()
    may_begin, has_begun = threading.Event(), threading.Event()

    def work() -> None:
        may_begin.wait(LONG)
        with turns.slice_of(Asker(), LONG, is_timed=False):
            has_begun.set()
            assert turns.give_way(LONG)
            order.append("slice")

    with beside(work), turns.step():
        may_begin.set()
        has_begun.wait(LONG)
        serve(turns)
        assert not turns.give_way(0.0)
        order.append("step")
    assert order == ["step", "slice"]
    assert (turns.n_steps, turns.is_serving) == (1, False), "a step within a step is the same"
    with turns.slice_of(Asker(), LONG, is_timed=False) as has_turn:  # once the first has rested
        assert has_turn
        with beside(lambda: serve(turns)):
            pass
        with turns.step():
            assert (turns.n_steps, turns.is_serving) == (2, False), "what a slice does is no step"


def test_a_step_is_told_whether_others_were_at_work_meanwhile() -> None:
    turns = Turns()
    with turns.step() as is_shared:
        with turns.step() as is_shared_within:
            assert not is_shared_within()
        with beside(lambda: serve(turns)):
            pass
        assert is_shared()
        with turns.step() as is_shared_later:
            assert not is_shared_later()


def test_who_meets_another_at_work_has_company_for_a_while() -> None:
    now = [0.0]
    turns = Turns(lambda: now[0])
    with turns.step(), turns.step():
        assert not turns.has_company, "a step within a step"
    with turns.step(), beside(lambda: serve(turns)):
        pass
    assert turns.has_company
    now[0] += COMPANY_SECONDS
    assert not turns.has_company
    with turns.slice_of(Asker(), 0.0, is_timed=False), beside(lambda: serve(turns)):
        pass
    assert turns.has_company


def test_one_slice_runs_at_a_time_and_whose_turn_was_the_longest_ago_is_next() -> None:
    turns, order = Turns(), list[int]()
    jobs = [Asker() for _ in range(4)]

    def work(number: int) -> None:
        with turns.slice_of(jobs[number], LONG, is_timed=False) as has_turn:
            assert has_turn
            order.append(number)

    for job in (jobs[2], jobs[0], jobs[3], jobs[1]):
        assert ask(turns, job)
    with ThreadPoolExecutor(4) as pool:
        with turns.slice_of(jobs[1], 0.0, is_timed=False):
            done = [pool.submit(work, number) for number in (3, 0, 2)]
            while len(turns._asking) < 3:
                time.sleep(0.001)
            assert order == []
        for future in done:
            future.result(LONG)
    assert order == [2, 0, 3]


@pytest.mark.parametrize(("length", "rest"), [(0.3, 0.3 * REST_RATIO), (9.0, MAX_REST)])
def test_while_readers_press_all_jobs_together_rest_after_each_slice(
    length: float, rest: float
) -> None:
    now = [0.0]
    turns, first, second = Turns(lambda: now[0]), Asker(), Asker()
    with turns.slice_of(first, 0.0, is_timed=False):
        now[0] += length
    assert ask(turns, second), "nobody presses"
    with turns.slice_of(first, 0.0, is_timed=False):
        now[0] += length
        with beside(lambda: serve(turns)):
            pass
    for job in (first, second):
        assert not ask(turns, job)
    now[0] += rest * 0.99
    assert not ask(turns, second)
    now[0] += rest * 0.02
    assert ask(turns, second)
    now[0] += PRESSING_SECONDS
    assert ask(turns, first)
    assert ask(turns, second)


def test_a_job_is_drawn_after_the_press_that_is_under_way() -> None:
    turns, order = Turns(), list[str]()

    def draw() -> None:
        with turns.drawing(LONG):
            order.append("drawn")

    with ThreadPoolExecutor(1) as pool:
        with turns.step():
            drawn = pool.submit(draw)
            while not turns._drawing.locked():
                time.sleep(0.001)
            order.append("pressed")
        drawn.result(LONG)
    assert order == ["pressed", "drawn"]


def test_of_those_that_measure_one_goes_on_and_the_others_see_their_place() -> None:
    turns = Turns()
    first, second, third, free = (Asker() for _ in range(4))
    assert ask(turns, first, is_timed=True)
    assert not ask(turns, second, is_timed=True)
    assert not ask(turns, third, is_timed=True)
    assert ask(turns, free)
    assert ask(turns, first, is_timed=True)
    assert [turns.place(job) for job in (first, second, third, free)] == [0, 1, 2, 0]
    turns.leave(first)
    assert not ask(turns, third, is_timed=True)
    assert ask(turns, second, is_timed=True)
    assert [turns.place(job) for job in (second, third)] == [0, 1]


def test_who_left_loses_the_place_within_seconds_and_a_long_pass_is_no_leaving() -> None:
    now = [0.0]
    turns = Turns(lambda: now[0])
    gone, waiting = Asker(), Asker()
    assert ask(turns, gone, is_timed=True)
    now[0] = LEFT_SECONDS
    assert not ask(turns, waiting, is_timed=True)
    now[0] += 0.001
    assert ask(turns, waiting, is_timed=True)
    assert not ask(turns, gone, is_timed=True), "who comes back stands behind"
    del waiting
    other = Asker()
    with turns.slice_of(gone, 0.0, is_timed=True) as has_turn:
        assert has_turn, "a session that ended takes its jobs along"
        now[0] += 10 * LEFT_SECONDS
        with beside(lambda: ask(turns, other, is_timed=True)):
            pass
    assert ask(turns, gone, is_timed=True)
    assert turns.place(other) == 1


def test_many_threads_all_come_to_their_turn() -> None:
    turns, at_work, drawing, most = Turns(), list[int](), list[int](), list[int]()

    def work(number: int) -> int:
        job = Asker()
        for _ in range(20):
            serve(turns)
            with turns.drawing():
                drawing.append(number)
                most.append(len(drawing))
                drawing.pop()
            with turns.slice_of(job, LONG, is_timed=number % 2 == 0) as has_turn:
                assert has_turn
                at_work.append(number)
                turns.give_way()
                most.append(len(at_work))
                at_work.pop()
        turns.leave(job)
        return number

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(6))) == list(range(6))
    assert set(most) == {1}

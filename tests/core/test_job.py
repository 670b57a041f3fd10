"""A job by hand: counted passes, a stop between two of them, every way in which it can end."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import torch

from model.job import N_LOOKS, Job, Progress, Stopped, Work, finish, meanwhile, part_of
from model.machine.turns import TURNS

FOREVER = 1e9  # seconds


def count_to(n: int, *, fails_at: int | None = None, error: Exception | None = None) -> Work[int]:
    """Count, one number at each pass."""
    if n < 0:
        raise ValueError("Count to 0 or more.")
    for done in range(n):
        yield Progress(done, n, f"number {done + 1}", look=partial(int, done))
        if done == fails_at and error is not None:
            raise error
    return n


def test_a_job_runs_to_its_end_and_finds_what_its_work_returns() -> None:
    job = Job(count_to(5))
    assert (job.is_running, job.fraction, job.found) == (True, 0.0, None)
    assert job.progress.doing == "number 1"
    job.run_for(FOREVER)
    assert (job.is_running, job.is_done, job.fraction, job.found) == (False, True, 1.0, 5)
    assert job.seconds > 0
    assert finish(count_to(5)) == 5
    empty = Job(count_to(0))
    assert (empty.is_running, empty.is_done, empty.fraction, empty.found) == (False, True, 1.0, 0)
    with pytest.raises(ValueError, match="0 or more"):
        Job(count_to(-1))


def test_what_was_found_is_looked_at_a_few_times_on_the_way() -> None:
    looks = []

    def work() -> Work[int]:
        for i in range(1000):
            yield Progress(i, 1000, look=lambda: looks.append(1) or len(looks))
        return -1

    job = Job(work())
    while job.is_running:
        job.run_for(1e-5)
    assert 0 < len(looks) <= N_LOOKS
    assert job.found == -1


def test_a_job_that_is_stopped_keeps_what_it_found() -> None:
    job = Job(count_to(1_000_000_000))
    job.run_for(0.01)
    job.stop()
    n_done = job.progress.n_done
    job.run_for(FOREVER)
    job.stop()
    assert (job.is_running, job.is_done) == (False, False)
    assert job.found == job.progress.n_done == n_done > 0


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """What a thread waits for that must not outlive its test."""
    event = threading.Event()
    yield event
    event.set()


def test_a_part_is_told_of_a_stop_and_nobody_waits_for_what_runs_meanwhile(
    released: threading.Event,
) -> None:
    """What the work returns where it is stopped is kept, too."""
    told = []

    def part() -> Work[int]:
        try:
            return (yield from meanwhile(lambda: released.wait() and 7, "waiting"))
        except Stopped:
            told.append("stopped")
            raise

    def whole() -> Work[int]:
        try:
            return (yield from part_of(part(), lambda progress: progress))
        except Stopped:
            return 3

    job = Job(whole())
    job.run_for(0.01)
    assert (job.is_running, job.progress.doing) == (True, "waiting")
    job.stop()
    assert (told, job.is_running, job.is_done, job.found) == (["stopped"], False, False, 3)
    released.set()
    assert finish(whole()) == 7


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("Choose less."), "Choose less."),
        (MemoryError(), "memory ran out"),
        (torch.OutOfMemoryError("CUDA out of memory."), "memory ran out"),
        (RuntimeError("CUDA is tired\n at 0x1"), "CUDA is tired at 0x1"),
    ],
)
def test_a_pass_that_fails_ends_the_job_with_one_sentence(error: Exception, said: str) -> None:
    job = Job(count_to(5, fails_at=3, error=error))
    job.run_for(FOREVER)
    assert (job.is_running, job.is_done, job.found) == (False, False, 3)
    assert said in str(job.notice)


def test_two_jobs_that_measure_take_turns() -> None:
    first, second, free = (Job(count_to(5), is_timed=is_timed) for is_timed in (True, True, False))
    first.run_for(0.0)
    second.run_for(FOREVER)
    assert (second.place, second.n_parts, second.is_running) == (1, 0, True)
    free.run_for(FOREVER)
    assert free.is_done
    first.stop()
    second.run_for(FOREVER)
    assert (second.place, second.is_done) == (0, True)


@pytest.mark.parametrize("is_timed", [True, False])
def test_a_timing_taken_while_others_were_served_is_counted(is_timed: bool) -> None:
    def work() -> Work[int]:
        yield Progress(0, 2)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(press).result()
        yield Progress(1, 2)
        return 2

    def press() -> None:
        with TURNS.step():
            pass

    job = Job(work(), is_timed=is_timed)
    job.run_for(FOREVER)
    assert (job.is_done, job.n_parts, job.n_shared) == (True, 2, int(is_timed))

"""Work in slices: it stops between two bits, ends when nothing is left, and says what failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import torch

from model.timing import one_at_a_time
from pages.frame.slices import SlicedRun, TimedRun, go_on, take


@dataclass
class Counting:
    """Counts up to a number; fails at another."""

    n_most: int
    fails_at: int = -1
    n: int = 0

    @property
    def is_done(self) -> bool:
        return self.n >= self.n_most

    def advance(self) -> None:
        if self.n == self.fails_at:
            raise ValueError("The text is too long: shorten it.")
        self.n += 1


@dataclass
class Run:
    is_running: bool = True
    notice: str | None = None


def test_a_slice_of_no_time_does_nothing_and_the_run_goes_on() -> None:
    run, work = Run(), Counting(3)
    go_on(run, work, 0.0)
    assert (work.n, run.is_running, run.notice) == (0, True, None)


def test_a_run_ends_when_nothing_is_left() -> None:
    run, work = Run(), Counting(3)
    go_on(run, work, 60.0)
    assert (work.n, run.is_running, run.notice) == (3, False, None)


def test_what_fails_ends_the_run_with_its_sentence_and_keeps_what_was_done() -> None:
    run, work = Run(), Counting(3, fails_at=2)
    go_on(run, work, 60.0)
    assert work.n == 2
    assert not run.is_running
    assert run.notice == "The text is too long: shorten it."


def test_bits_are_taken_until_there_is_none_and_one_that_fails_ends_the_run() -> None:
    def bits(n_whole: int, failure: Exception | None = None) -> Iterator[int]:
        yield from range(n_whole)
        if failure is not None:
            raise failure

    run = Run()
    assert list(take(run, bits(3), 60.0)) == [0, 1, 2]
    assert (run.is_running, run.notice) == (False, None)
    run, three = Run(), bits(3)
    assert list(take(run, three, 0.0)) == []
    assert next(take(run, three, 60.0)) == 0
    assert list(take(run, three, 60.0)) == [1, 2]  # nothing is lost between two slices
    run = Run()
    assert list(take(run, bits(2, ValueError("One sentence.")), 60.0)) == [0, 1]
    assert (run.is_running, run.notice) == (False, "One sentence.")


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (MemoryError(), "The memory ran out"),
        (torch.OutOfMemoryError("CUDA out of memory."), "The memory ran out"),
        (RuntimeError("no kernel image."), "It failed on the way (no kernel image)"),
    ],
)
def test_whatever_a_device_says_becomes_one_sentence(failure: Exception, said: str) -> None:
    class Failing(Counting):
        def advance(self) -> None:
            super().advance()
            raise failure

    run = SlicedRun(Failing(3))
    run.slice(60.0)
    assert run.work.n == 1
    assert not run.is_running
    assert said in (run.notice or "")
    assert (run.notice or "").endswith(".")


def test_what_is_timed_waits_for_its_turn_and_loses_nothing() -> None:
    run = TimedRun(Counting(3))
    with one_at_a_time():
        run.slice(60.0)
        assert (run.is_waiting, run.is_running, run.work.n) == (True, True, 0)
    run.slice(60.0)
    assert (run.is_waiting, run.is_running, run.work.n) == (False, False, 3)

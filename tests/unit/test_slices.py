"""Work in slices: it stops between two bits, ends when nothing is left, and says what failed."""

from __future__ import annotations

from dataclasses import dataclass

from pages.parts.slices import go_on


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

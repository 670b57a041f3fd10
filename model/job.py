"""A job: work of many passes that can be stopped between any two of them.

The work is a generator. It does its next pass when it is asked for more, says how far it is, and
returns what it found. `Job` runs it for a while at a time, alone where it measures, until it is
done, is stopped, or fails; `finish` runs all of it at once. Knows no model and no page.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from dataclasses import KW_ONLY, dataclass
from typing import Generic, TypeAlias, TypeVar

from model.machine.threads import leave_a_core
from model.machine.turns import TURNS
from model.records import Machine
from model.sentences import reason

LOGGER = logging.getLogger(__name__)
WAIT_SECONDS = 1.0  # for a turn, before the page is looked at again
LOOK_SECONDS = 0.1  # between two looks at what runs in a thread of its own
N_LOOKS = 20  # at what was found, while a job goes on: a figure that always changes flickers

Found = TypeVar("Found")
Part = TypeVar("Part")


class Stopped(Exception):  # noqa: N818  it is no error
    """Thrown into the work of a job that is stopped; what the work returns then is kept."""


@dataclass(frozen=True)
class Progress(Generic[Found]):
    """How far a job is, said before each of its passes."""

    n_done: int  # passes, tokens, texts: whatever the job counts
    n_total: int
    doing: str = ""  # the pass that comes next, in a few words
    look: Callable[[], Found] | None = None  # makes the record of what was found so far
    unit: str = ""  # what the numbers count, where the page does not say so


Work: TypeAlias = Generator[Progress[Found], None, Found]


@dataclass(eq=False)
class Job(Generic[Found]):
    """Some work that is done a while at a time; its first pass runs when it is first asked to.

    Raises:
        ValueError: what the work refuses before its first pass.
    """

    work: Work[Found]
    _: KW_ONLY
    is_timed: bool = False  # it measures: then no other such job runs meanwhile
    is_idle: bool = False  # it only waits for what runs elsewhere: then it takes nobody's turn
    recorded_on: Machine | None = None  # where it ran, if not here
    seconds: float = 0.0  # that its passes took so far
    progress: Progress[Found] = Progress(0, 0)
    found: Found | None = None  # so far, None where that is nothing; all of it once it is done
    is_running: bool = True
    is_done: bool = False  # it ran to its end
    place: int = 0  # how many jobs measure before this one may
    n_parts: int = 0  # passes that were done so far, or what else lies between two yields
    n_shared: int = 0  # those of them, where it measures, while which other readers were served
    notice: str | None = None  # why it failed, in one sentence with the remedy
    _looked_at: float = 0.0  # how much was done when it was last asked what it found

    def __post_init__(self) -> None:
        """Goes to the first pass."""
        try:
            self.progress = next(self.work)
        except StopIteration as end:  # there is nothing to do
            self.found, self.is_running, self.is_done = end.value, False, True

    @classmethod
    def of_recording(cls, found: Found, seconds: float, machine: Machine) -> Job[Found]:
        """Returns a job that is done, with what another run found."""
        return cls(_nothing_left(found), seconds=seconds, recorded_on=machine)

    @property
    def result(self) -> Found:
        """What it found, for whoever draws it: a panel does so once there is something."""
        assert self.found is not None
        return self.found

    @property
    def fraction(self) -> float:
        """How much of it is done, from 0 to 1."""
        return (
            1.0 if self.is_done else min(1.0, self.progress.n_done / max(1, self.progress.n_total))
        )

    def run_for(self, seconds: float) -> None:
        """Does as many passes as begin within some seconds; one that fails ends the job."""
        turn = TURNS.slice_of(self, WAIT_SECONDS, is_timed=self.is_timed)
        with nullcontext(True) if self.is_idle else turn as has_turn:
            self.place = TURNS.place(self)
            started = time.perf_counter()
            while has_turn and self.is_running and time.perf_counter() - started < seconds:
                TURNS.give_way()
                with leave_a_core() if TURNS.has_company else nullcontext():
                    self._go_on()
            self.seconds += time.perf_counter() - started if has_turn else 0.0
        if not self.is_running:
            TURNS.leave(self)
        self._look(is_last=not self.is_running)

    def stop(self) -> None:
        """Ends the job; what it found so far stays."""
        if self.is_running:
            self._look(is_last=True)
            self._guarded(lambda: self.work.throw(Stopped()))
            self.is_running, self.is_done = False, False
            TURNS.leave(self)

    def _go_on(self) -> None:
        """Does the next pass, and notes whether others were served meanwhile."""
        n_before, is_shared = TURNS.n_steps, TURNS.is_serving
        self._guarded(lambda: next(self.work))
        self.n_parts += 1
        self.n_shared += self.is_timed and (is_shared or TURNS.n_steps > n_before)

    def _guarded(self, advance: Callable[[], Progress[Found]]) -> None:
        """Goes on by one pass; the end of the work, or what went wrong in it, ends the job."""
        try:
            self.progress = advance()
            return
        except StopIteration as end:
            self.found, self.is_done = end.value, True
        except Stopped:
            pass
        except ValueError as error:
            self.notice = error.args[0] if error.args else str(error)
        except (MemoryError, RuntimeError) as error:
            LOGGER.exception("A job failed on the way")
            self.notice = _why(error)
        self.is_running = False

    def _look(self, *, is_last: bool) -> None:
        look = self.progress.look
        is_due = is_last or self.fraction - self._looked_at >= 1 / N_LOOKS
        if look is not None and is_due and not self.is_done:
            self.found, self._looked_at = look() or None, self.fraction


def _nothing_left(found: Found) -> Work[Found]:
    """Is the work of a job that is done."""
    yield from ()
    return found


def part_of(
    work: Work[Part], progress: Callable[[Progress[Part]], Progress[Found]]
) -> Generator[Progress[Found], None, Part]:
    """Does some work as a part of a larger one, which takes what this returns by `yield from`.

    Args:
        work: the part.
        progress: says how far the larger work is, told how far its part is.
    """
    while True:
        try:
            part = next(work)
        except StopIteration as end:
            result: Part = end.value
            return result
        try:
            yield progress(part)
        except Stopped as stopped:
            with suppress(StopIteration):
                work.throw(stopped)
            raise


def meanwhile(call: Callable[[], Part], doing: str) -> Work[Part]:
    """Makes work of a call that takes long and cannot be cut up: it runs in a thread of its own.

    Args:
        call: what is to be done; stopped, it still runs to its end, and nobody takes what it finds.
        doing: says what, in a few words.
    """
    thread = ThreadPoolExecutor(1)
    future = thread.submit(call)
    thread.shutdown(wait=False)
    while not future.done():
        yield Progress(0, 0, doing)
        wait([future], LOOK_SECONDS)
    return future.result()


def finish(work: Work[Found], watch: Callable[[Progress[Found]], object] = lambda _: None) -> Found:
    """Does all of some work at once, tells who watches how far it is, and returns what it found."""
    while True:
        try:
            watch(next(work))
        except StopIteration as end:
            found: Found = end.value
            return found


def _why(error: Exception) -> str:
    """Says in one sentence what ended a job; a device's lack of memory is an error of its own."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return (
            "The memory ran out on the way: what was found so far stays; choose a smaller model "
            "or close other programs."
        )
    why = reason(error)
    return f"It failed on the way ({why}): what was found so far stays; press the button again."

"""Whose turn it is to compute: any reader's step goes before the slice of a job.

All readers share the processor and Python's interpreter. A press waits for a few milliseconds of
work, a job for minutes of it: so one job's slice runs at a time, and before each of its passes it
gives way to those who wait for a single one. While readers press, a rest follows each slice, so
that five jobs take no more of the machine than one. Of the jobs that measure, one goes on until it
has ended, and the others stand in line. This module knows neither what computes nor what for.
"""

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

LEFT_SECONDS = 5.0  # without a word from its reader, after which a job has no place in line
PATIENCE_SECONDS = 1.0  # seconds; a class that always presses delays each pass of a job by no more
PRESSING_SECONDS = 2.0  # since the last step, in which readers are taken to press
REST_RATIO = 0.5  # rest that follows a slice, in lengths of the slice
MAX_REST = 0.5  # seconds
COMPANY_SECONDS = 1.0  # for which a reader who met another at work is taken to have company


class Turns:
    """The turns of one process.

    Attributes:
        n_steps: that have begun so far.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begins with nobody at work.

        Args:
            clock: tells the seconds by which readers leave, press, and jobs rest.
        """
        self.n_steps = 0
        self._clock, self._changed = clock, threading.Condition()
        self._n_served = 0  # steps under way
        self._served_at = -math.inf  # when a step last began
        self._met = -math.inf  # when a step last began beside another, or beside a job
        self._slice_began = self._rests_until = -math.inf
        self._drawing = threading.Lock()  # one job's page is drawn at a time
        # .is_slice, .is_step: whether this thread runs a job's slice, or serves a reader
        self._here = threading.local()
        self._running: object | None = None  # the job whose slice runs
        self._asking: set[object] = set()  # jobs whose threads wait for a slice
        self._count = itertools.count(1)
        self._last: WeakKeyDictionary[object, int] = WeakKeyDictionary()  # turn of each job
        # jobs that measure, the first at work: when each last asked
        self._line: WeakKeyDictionary[object, float] = WeakKeyDictionary()

    @contextmanager
    def step(self) -> Iterator[Callable[[], bool]]:
        """Keeps jobs from beginning a pass while a reader is served; in a job it only gives way.

        Yields:
            Tells whether others were at work in the meantime.
        """
        if self.is_slice:
            self.give_way()
        if self.is_slice or getattr(self._here, "is_step", False):  # a step within a step
            yield self._watch()
            return
        with self._changed:
            if self._n_served or self._running is not None:
                self._met = self._clock()
            self._n_served += 1
            self.n_steps += 1
            self._served_at = self._clock()
        self._here.is_step = True
        try:
            yield self._watch()
        finally:
            self._here.is_step = False
            with self._changed:
                self._n_served -= 1
                self._changed.notify_all()

    def _watch(self) -> Callable[[], bool]:
        """Returns what tells whether others than this thread have been at work from now on."""
        n_before, n_own = self.n_steps, 0 if self.is_slice else 1
        is_shared = self._n_served > n_own or (self._running is not None and not self.is_slice)
        return lambda: is_shared or self.n_steps > n_before

    def give_way(self, patience: float = PATIENCE_SECONDS) -> bool:
        """Waits until nobody is being served, for so many seconds at most; tells whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._n_served, patience)

    @contextmanager
    def drawing(self, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
        """Draws what a job found, alone among jobs, after those who wait for a single step.

        Python runs one thread at a time: five pages that are drawn at once stretch every press.
        """
        with self._drawing:
            self.give_way(patience)
            yield

    @contextmanager
    def slice_of(self, job: object, patience: float, *, is_timed: bool) -> Iterator[bool]:
        """Waits for a job's turn; yields False where it has not come in time.

        Args:
            job: whose last turn was the longest ago goes first.
            patience: seconds.
            is_timed: whether it measures, and so keeps its place in line until it leaves.
        """
        if self.is_slice:  # a job within a job
            yield True
            return
        has_turn = self._take(job, patience, is_timed)
        self._here.is_slice = has_turn
        try:
            yield has_turn
        finally:
            self._here.is_slice = False
            if has_turn:
                self._give_back(job, is_timed)

    def place(self, job: object) -> int:
        """Returns how many jobs measure before this one; 0 for one that does not measure."""
        with self._changed:
            return list(self._line).index(job) if job in self._line else 0

    def leave(self, job: object) -> None:
        """Removes a job from the queue."""
        with self._changed:
            self._line.pop(job, None)
            self._changed.notify_all()

    @property
    def has_company(self) -> bool:
        """Whether steps have lately run beside each other, or beside a job."""
        return self._clock() - self._met < COMPANY_SECONDS

    @property
    def is_serving(self) -> bool:
        """Whether a step is under way."""
        return self._n_served > 0

    @property
    def is_slice(self) -> bool:
        """Whether this thread runs a job's slice."""
        return getattr(self._here, "is_slice", False)

    def _take(self, job: object, patience: float, is_timed: bool) -> bool:
        with self._changed:
            if is_timed:
                self._line[job] = self._clock()  # a place that it has, it keeps
            self._asking.add(job)
            has_turn = self._wait_for_turn(job, patience)
            self._asking.remove(job)
            if has_turn:
                self._running, self._slice_began = job, self._clock()
            return has_turn

    def _wait_for_turn(self, job: object, patience: float) -> bool:
        until = time.monotonic() + patience
        while True:
            rest, left = self._rests_until - self._clock(), until - time.monotonic()
            if rest <= 0 and self._is_next(job):
                return True
            if left <= 0:
                return False
            self._changed.wait(min(left, rest) if rest > 0 else left)

    def _give_back(self, job: object, is_timed: bool) -> None:
        with self._changed:
            self._running, self._last[job] = None, next(self._count)
            now = self._clock()
            if now - self._served_at < PRESSING_SECONDS:
                self._rests_until = now + min(MAX_REST, REST_RATIO * (now - self._slice_began))
            if is_timed and job in self._line:
                self._line[job] = self._clock()
            self._changed.notify_all()

    def _is_next(self, job: object) -> bool:
        """Tells whether a job that asks may go on."""
        if self._running is not None:
            return False
        long_ago = self._clock() - LEFT_SECONDS
        for other, asked in list(self._line.items()):
            if asked < long_ago and other not in self._asking:
                del self._line[other]
        first = next(iter(self._line), None)
        able = (other for other in self._asking if other is first or other not in self._line)
        return job is min(able, key=lambda other: self._last.get(other, 0), default=None)


TURNS = Turns()  # of this process

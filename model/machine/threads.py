"""How many threads of the CPU a pass takes: as many as were quickest lately.

All threads of a pass wait for the last, so a core that is busy with the page or the browser stops
the others: of two cores in use elsewhere, a GPT-2 took 300 ms a token on two threads and 26 on one.
What is quickest depends on the machine, on the model and on who else computes now, so the passes
themselves are what is measured. Beside other readers a core is left to them in any case: they wait
for this pass, and a thread that saves them nothing takes the time in which they are answered.
"""

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch

ALL_THREADS = torch.get_num_threads()
NUMBERS = tuple(sorted({1, max(1, ALL_THREADS // 2), ALL_THREADS}))
_TRIAL_RATIO = 30  # passes take so many times what a trial would before it is made: it costs a 30th
_CLEAR_RATIO = 0.9  # of the time: threads that save less are left to others
_NOTICEABLE_SECONDS = (
    0.004  # seconds of a pass, a quarter of a frame: who saves less takes a core for nothing
)


@dataclass
class _Tried:
    """What passes on one number of threads took when it was last used."""

    seconds: float  # for each token
    since: float = 0.0  # seconds for each token that passes took on other numbers after it


@contextmanager
def leave_a_core(numbers: Sequence[int] = NUMBERS) -> Iterator[None]:
    """Lets what runs in this thread take all threads but those that others are left."""
    before = torch.get_num_threads()
    torch.set_num_threads(numbers[-2] if len(numbers) > 1 else numbers[-1])
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Threads:
    """The threads of one model's passes, learnt for each size: 1 token, 2 to 3, 4 to 7...

    What is learnt alone and what beside others is kept apart.
    """

    def __init__(self, numbers: Sequence[int] = NUMBERS) -> None:
        self._numbers = numbers
        self._tried: dict[tuple[int, bool], dict[int, _Tried]] = defaultdict(dict)

    @contextmanager
    def of_pass(self, n_tokens: int, *, in_company: bool = False) -> Iterator[int]:
        """Gives torch some threads for one pass, learns from the time it takes, and frees them.

        Args:
            n_tokens: that the pass reads.
            in_company: whether others are served at this time.
        """
        leaves_one = in_company and len(self._numbers) > 1
        numbers = self._numbers[:-1] if leaves_one else self._numbers
        tried = self._tried[n_tokens.bit_length(), in_company]
        number = _choose(numbers, tried, _NOTICEABLE_SECONDS / max(1, n_tokens))
        before = torch.get_num_threads()
        torch.set_num_threads(number)
        started = time.perf_counter()
        try:
            yield number
            _learn(tried, number, (time.perf_counter() - started) / max(1, n_tokens))
        finally:
            torch.set_num_threads(before)


def _choose(numbers: Sequence[int], tried: Mapping[int, _Tried], felt: float) -> int:
    """Returns a number that is due for a trial, else the fewest threads that are quick.

    Args:
        numbers: of threads, the fewest first.
        tried: what passes took on them.
        felt: seconds for each token that more threads must save at least.
    """
    best = numbers[0]
    for number in numbers:
        if number > best and tried[best].seconds * (1 - best / number) < felt:
            continue  # were the work divided evenly, it would not save enough
        if number not in tried or tried[number].since > _TRIAL_RATIO * tried[number].seconds:
            return number
        fewer = tried[best].seconds
        if tried[number].seconds < min(_CLEAR_RATIO * fewer, fewer - felt):
            best = number
    return best


def _learn(tried: dict[int, _Tried], number: int, seconds: float) -> None:
    """Believes what is quicker at once and what is slower by half: one slow pass may be chance."""
    is_first = not tried
    known = tried.setdefault(number, _Tried(seconds))
    known.seconds = min(seconds, (known.seconds + seconds) / 2)
    for each in tried.values():
        each.since += seconds
    known.since = math.inf if is_first else 0.0  # the first pass is slow in any case: once more

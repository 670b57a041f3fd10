"""Keep the garbage collector away from the libraries, and from a class that presses.

Streamlit may collect after every run; with torch and transformers imported that walks some 466,000
objects and takes about 200 ms while the answer waits to be sent. What is loaded once and stays is
moved out of the collector's sight. Call `freeze_heap` again whenever a model has been loaded.
"""

import ctypes
import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SOON = 1.0  # seconds; whoever let a model go is served first
_ARENAS, _LARGE = (-8, 2), (-3, 2_000_000)  # M_ARENA_MAX; M_MMAP_THRESHOLD, bytes
EVERY = 60.0  # seconds from one full collection to the next
_NEVER = 1_000_000  # collections of what is younger before a full one comes by itself


def collect_once_a_minute() -> None:
    """Lets full collections come by the clock, and not whenever much is new.

    One stops all readers while it walks over what each of them has on the page: a quarter of a
    second where two hundred were, and every five seconds while a class presses.
    """
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    later(EVERY, _collect_again)


def _collect_again() -> None:
    gc.collect()
    trim_heap()
    later(EVERY, _collect_again)


def share_heap() -> bool:
    """Lets all threads allocate from two heaps, and gives large blocks back once they are free.

    With a heap for each of its threads, glibc held 340 MB after strangers had had long texts read,
    which 32 threads took turns to do; so it is 100 MB, their caches. Returns whether it is glibc.
    """
    change = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return change is not None and bool(change(*_ARENAS) and change(*_LARGE))


def trim_heap() -> bool:
    """Gives memory that is free within the process back to the system; returns whether any was.

    After two hundred readers have left, glibc goes on to hold a tenth of the process. Other
    libraries of C give theirs back by themselves, or cannot be asked.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    return trim is not None and bool(trim(0))


def freeze_heap() -> int:
    """Collects once, then freezes all that is left; returns how many objects are frozen."""
    gc.collect()
    gc.freeze()
    return gc.get_freeze_count()


def free_when_gone(model: object) -> None:
    """Sees to it that a model's memory is given back once nobody holds it any more.

    What is frozen is not looked at again, and a model that is laid out over several devices holds
    itself: each of its layers knows a function that knows the layer.
    """
    weakref.finalize(model, later, _SOON, _collect_all).atexit = False


def later(seconds: float, act: Callable[..., None], *args: object) -> None:
    """Does something in some seconds, in a thread that keeps no server from ending."""
    timer = threading.Timer(seconds, act, args)
    timer.daemon = True
    timer.start()


def _collect_all() -> None:
    gc.unfreeze()
    freeze_heap()


@contextmanager
def collector_paused(library: str) -> Iterator[None]:
    """Keeps the collector off the first import of a library: it makes much, none of it garbage."""
    if library not in sys.modules:
        gc.disable()
    try:
        yield
    finally:
        gc.enable()

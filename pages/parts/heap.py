"""Keep the garbage collector away from the libraries.

Streamlit may collect after every run; with torch and transformers imported that walks some 466,000
objects and takes about 200 ms while the answer waits to be sent. What is loaded once and stays is
moved out of the collector's sight. Call `freeze_heap` again whenever a model has been loaded.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def freeze_heap() -> int:
    """Collect once, then freeze all that is left; return how many objects are frozen."""
    gc.collect()
    gc.freeze()
    return gc.get_freeze_count()


@contextmanager
def collector_paused(library: str) -> Iterator[None]:
    """Keep the collector off the first import of a library: it makes much, none of it garbage."""
    if library not in sys.modules:
        gc.disable()
    try:
        yield
    finally:
        gc.enable()

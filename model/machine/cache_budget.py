"""How much memory the caches of all texts may take together: the longest idle are dropped first.

Nothing is lost by it. The ids are the text, and its next pass reads them again in one prefill. A
fork counts whole, though it shares its storage until one of the two goes on. This module knows no
model: a text tells what its cache holds, and drops it when it is told to.
"""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Protocol
from weakref import WeakKeyDictionary

import torch

from model.machine.device import free_bytes

LOGGER = logging.getLogger(__name__)
VARIABLE = "ONE_TOKEN_CACHE_GB"
SHARE = 0.25  # of the memory that is free when the first text begins


class Holder(Protocol):
    """A text with a cache."""

    @property
    def bytes_held(self) -> int:
        """Bytes of the storage behind the cache."""

    def drop_cache(self) -> None:
        """Lets the cache go."""


class CacheBudget:
    """The caches of one device.

    Attributes:
        limit: bytes that they may take.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._idle: WeakKeyDictionary[Holder, int] = WeakKeyDictionary()  # the longest idle first
        self._at_most = 0  # bytes that they hold, those of texts that have gone since included

    @contextmanager
    def in_use(self, text: Holder) -> Iterator[None]:
        """Keeps a text's cache while it is worked with; then drops others that are too much."""
        with self._lock:
            self._at_most -= self._idle.pop(text, 0)
        try:
            yield
        finally:
            n_bytes = text.bytes_held
            with self._lock:
                self._idle[text] = n_bytes
                self._at_most += n_bytes
                if self._at_most > self.limit:
                    self._evict_oldest()

    @property
    def bytes_held(self) -> int:
        """Bytes of all caches that are not being worked with."""
        with self._lock:
            return sum(self._idle.values())

    def _evict_oldest(self) -> None:
        self._at_most = sum(self._idle.values())
        for text, n_bytes in list(self._idle.items())[:-1]:  # the last is in use, but for a moment
            if self._at_most <= self.limit:
                return
            if n_bytes:
                text.drop_cache()
                self._idle[text] = 0
                self._at_most -= n_bytes


@cache
def budget_of(device: torch.device) -> CacheBudget:
    """Returns the budget of a device: what the operator says, else a share of what is free."""
    return CacheBudget(_operators_limit() or int(SHARE * free_bytes(device)))


def _operators_limit() -> int | None:
    said = os.environ.get(VARIABLE)
    if said is None:
        return None
    try:
        limit = int(1e9 * float(said))
    except (ValueError, OverflowError):
        limit = 0
    if limit <= 0:
        LOGGER.warning("%s is %r: give a number of GB above 0. It does not count.", VARIABLE, said)
        return None
    return limit

"""Wrong room codes: a few are answered at once, and of more each costs a while and a connection.

A right code never waits, whoever else tries: so nobody can keep a class out of its room, and a
guess takes as long as a new connection at least.
"""

import asyncio
import logging
import time
from collections.abc import Callable

from model.classroom.limits import MAX_WRONG_AT_ONCE, MAX_WRONG_HELD, WRONG_RATE, WRONG_SECONDS

LOGGER = logging.getLogger(__name__)
_EVERY = 60.0  # seconds from one warning to the next


class WrongCodes:
    """Those that were tried lately, by whomever."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begins with none."""
        self._clock, self._since = clock, clock()
        self._left = float(MAX_WRONG_AT_ONCE)  # that are answered at once
        self._n_held, self._warned_at = 0, -_EVERY

    async def hold(self) -> bool:
        """Waits before a wrong code is answered; returns whether there are too many of them."""
        now = self._clock()
        self._left = min(MAX_WRONG_AT_ONCE, self._left + (now - self._since) * WRONG_RATE)
        self._since = now
        if self._left >= 1:
            self._left -= 1
            return False
        if now - self._warned_at >= _EVERY:
            self._warned_at = now
            LOGGER.warning("somebody tries room codes: over %d a second are wrong", WRONG_RATE)
        if self._n_held < MAX_WRONG_HELD:
            self._n_held += 1
            try:
                await asyncio.sleep(WRONG_SECONDS)
            finally:
                self._n_held -= 1
        return True

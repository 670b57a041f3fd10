"""How often somebody may do something, by the network that they come from.

A school is behind one address: a limit lets a whole class in at once, and no machine for long.
"""

import ipaddress
import threading
import time
from collections.abc import Callable

_MAX_KEYS = 10_000  # of which anything is kept


class Rate:
    """So many at once for each key, and then one every so many seconds (a leaky bucket)."""

    def __init__(
        self, at_once: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begins with nothing taken."""
        # half a step more than what fits: sums of seconds are rounded
        self._burst, self._seconds, self._clock = (at_once - 0.5) * seconds, seconds, clock
        self._empty_at: dict[str, float] = {}  # when what was taken is forgotten
        self._lock = threading.Lock()

    def is_spent(self, key: str) -> bool:
        """Tells whether the next one of a key would be refused."""
        now = self._clock()
        return self._empty_at.get(key, now) - now > self._burst

    def take(self, key: str) -> bool:
        """Takes one; returns whether it may be had."""
        with self._lock:
            if self.is_spent(key):
                return False
            now = self._clock()
            if len(self._empty_at) >= _MAX_KEYS:
                self._empty_at = {key: at for key, at in self._empty_at.items() if at > now}
            self._empty_at[key] = max(now, self._empty_at.get(key, now)) + self._seconds
            return True


def network_of(host: str | None) -> str:
    """Returns whom an address stands for: itself, of IPv6 its network; "" for this machine."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if address.is_loopback:
        return ""
    if address.version == 6:  # one machine has as many addresses as it likes
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)

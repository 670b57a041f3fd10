"""A child that rehearses with a second of the processor."""

import time

from model.machine.child import answer


def spend(seconds: float) -> float:
    """Spends so much of the processor."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return seconds


if __name__ == "__main__":
    answer(spend, seconds=1.0)

"""A value that somebody wrote, read once: what these functions return is used, and never the text.

Links, fields, files and the browser's messages are what anybody may have written.
"""

import math
import re

_WHOLE = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")
MAX_BITS = 63  # of a whole number that the browser sends


def whole_of(text: str, low: int = 0, high: int = 10**9) -> int | None:
    """Returns a whole number without a sign, from `low` to `high`; None for any other text."""
    number = int(text) if _WHOLE.fullmatch(text) else None
    return number if number is not None and low <= number <= high else None


def number_of(text: str, low: float = -math.inf, high: float = math.inf) -> float | None:
    """Returns a finite number, from `low` to `high`; None for any other text."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return number if math.isfinite(number) and low <= number <= high else None


def is_whole(value: object) -> bool:
    """Returns whether a browser's value is a whole number that can be counted with."""
    return type(value) is int and value.bit_length() <= MAX_BITS

"""Medians and spreads, and the machine that they were measured on."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from statistics import median

LIBRARIES = ("streamlit", "torch", "transformers", "plotly", "numpy")


@dataclass(frozen=True)
class Timing:
    """Many measurements of one thing."""

    label: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one, seconds."""
        return median(self.seconds)

    @property
    def p90(self) -> float:
        """What nine in ten do not exceed, seconds."""
        return quantile(self.seconds, 0.9)

    def line(self, baseline: Timing | None = None) -> str:
        """Returns one line for the terminal, with the ratio to what it is compared with."""
        text = (
            f"{self.label:<48} median {milliseconds(self.median)}  p90 {milliseconds(self.p90)}"
            f"  n {len(self.seconds)}"
        )
        if baseline is None:
            return text
        return f"{text}  {self.median / baseline.median:.2f}x of {baseline.label}"


def quantile(values: Sequence[float], fraction: float) -> float:
    """Returns the smallest value that at least this fraction of the values does not exceed."""
    if not values:
        raise ValueError("There is nothing to take a quantile of: measure at least once.")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(fraction * len(ordered)) - 1)]


def milliseconds(seconds: float) -> str:
    """Writes a duration the same way everywhere."""
    return f"{seconds * 1000:8.2f} ms"


def describe_machine() -> str:
    """Returns the machine and the versions, one line each: a figure means nothing without them."""
    from model.timing import processor  # torch comes in behind it, and not every benchmark needs it

    versions = ", ".join(f"{name} {metadata.version(name)}" for name in LIBRARIES)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{processor()}, {os.cpu_count()} cores{load}, {platform.system()} {platform.machine()}\n"
        f"Python {platform.python_version()}, {versions}"
    )

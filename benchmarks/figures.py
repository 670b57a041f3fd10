"""Medians and spreads, and the machine that they were measured on."""

from __future__ import annotations

import functools
import json
import math
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from statistics import median

import psutil  # type: ignore[import-untyped]  # ships no types

FILE = "ONE_TOKEN_MEASURED"  # variable with the file of the figures to keep; `make bench` sets it
MAX_BUSY = 25  # percent of the processor that other programs may take while we measure
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


def record(what: str, shown: str, aim: str = "", *, is_met: bool | None = None) -> None:
    """Prints a named figure beside its aim, and keeps it where `make bench` collects them.

    Args:
        what: names it, the same on every machine.
        shown: as the table shows it.
        aim: in words, where there is one.
        is_met: whether the figure reaches its aim.
    """
    verdict = f"  (aim {aim}: {'met' if is_met else 'missed'})" if aim else ""
    print(f"  {what}: {shown}{verdict}")
    if path := os.environ.get(FILE):
        kept = json.loads(Path(path).read_text(encoding="utf-8")) if Path(path).exists() else {}
        kept.setdefault(machine_kind(), {})[what] = {
            "shown": shown,
            "aim": aim,
            "is_met": is_met,
            "commit": _commit(),
            "is_busy": busy_by_others() > MAX_BUSY,
        }
        Path(path).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


@functools.cache
def busy_by_others() -> float:
    """Returns how much of the processor was taken when this was first asked, percent."""
    return float(psutil.cpu_percent(0.5))


def machine_kind() -> str:
    """Names this kind of machine: its GPU, or the processor and its cores."""
    import torch  # not every benchmark needs it

    from model.machine.device import processor

    if torch.cuda.is_available():
        return processor(torch.device("cuda", 0))
    return f"{processor()}, {os.cpu_count()} cores"


@functools.cache
def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def brief(timing: Timing) -> str:
    """Writes a median and its p90 for the table: 54 ms (66)."""
    return f"{timing.median * 1e3:.0f} ms ({timing.p90 * 1e3:.0f})"


def describe_machine() -> str:
    """Returns the machine and the versions, one line each: a figure means nothing without them."""
    from model.machine.device import (
        processor,  # torch comes in behind it, and not every benchmark needs it
    )

    versions = ", ".join(f"{name} {metadata.version(name)}" for name in LIBRARIES)
    return (
        f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"{busy_by_others():.0f} % taken by others\n"
        f"Python {platform.python_version()}, {versions}"
    )

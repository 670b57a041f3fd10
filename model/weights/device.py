"""Where a model runs and in which numbers, and whether it fits there.

Free memory is asked of the operating system and of the accelerator; where neither says, nothing is
refused. This module knows no model, only its name and size.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import torch

from model.weights.check import LoadError

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
_HEADROOM = 1.1  # of the weights: what the first passes need beside them
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def choose_devices(device: str) -> list[torch.device]:
    """Returns the device of this name, and the ones that a model may spread to if it must.

    "auto" takes CUDA, then MPS, then the CPU, and may spread over all GPUs where accelerate, which
    does the spreading, is installed.

    Raises:
        LoadError: where this machine has no such device.
    """
    is_free = device == "auto" and find_spec("accelerate") is not None
    if device == "auto":
        is_mps = torch.backends.mps.is_available()
        device = "cuda" if torch.cuda.is_available() else "mps" if is_mps else "cpu"
    kind, _, index = device.partition(":")
    counts = {"cpu": 1, "mps": int(torch.backends.mps.is_available())}
    counts["cuda"] = torch.cuda.device_count()
    is_known = kind in counts and (not index or index.isdecimal())
    if not is_known or int(index or 0) >= counts[kind]:
        here = ", ".join(name for name, count in counts.items() if count)
        raise LoadError(f"This machine has no device {device!a}: choose auto or one of {here}.")
    if is_free and device == "cuda":
        return [torch.device("cuda", number) for number in range(counts["cuda"])]
    return [torch.device(device)]


def choose_dtype(dtype: str, device: torch.device) -> torch.dtype:
    """Returns the number format of this name; 16 bits only where they are fast by themselves."""
    if dtype == "auto":
        is_fast = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if is_fast else torch.float32
    if dtype not in _DTYPES:
        raise LoadError(f"There is no dtype {dtype!a} here: choose auto, {', '.join(_DTYPES)}.")
    return _DTYPES[dtype]


def check_memory(name: str, n_bytes: int, places: Sequence[torch.device]) -> bool:
    """Tells whether a model has to spread over all of these devices, rather than use the first.

    Raises:
        LoadError: where it would not even so fit beside what is loaded already.
    """
    need = n_bytes * _HEADROOM
    free = [free_bytes(place) for place in places]
    known = [n_free for n_free in free if n_free is not None]
    if known and need > sum(known):
        raise LoadError(
            f"{name} needs about {need / 1e9:,.1f} GB of memory and {sum(known) / 1e9:,.1f} GB is "
            f"free on {places[0].type}: choose a smaller model, a 16-bit dtype, or close other "
            "programs."
        )
    return bool(known) and need > known[0]


def free_bytes(device: torch.device) -> int | None:
    """Returns the bytes that a model may still take on a device; None where nobody knows."""
    if device.type == "cuda":
        # what torch holds and does not use is free to a model that torch loads
        held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0]) + held
    limits = [limit for limit in (_of_system(), _of_container()) if limit is not None]
    return min(limits, default=None)


def _of_system() -> int | None:
    """Returns the free main memory, what the system only borrows for its file cache included."""
    if sys.platform == "win32":
        return _of_windows()
    if _MEMINFO.is_file():
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    names = os.sysconf_names
    if "SC_PHYS_PAGES" in names and "SC_PAGE_SIZE" in names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _of_windows() -> int | None:
    """Returns the free main memory of Windows: ullAvailPhys of MEMORYSTATUSEX."""
    status = (ctypes.c_uint64 * 8)(64)  # dwLength and dwMemoryLoad share the first of the eight
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 (absent from other systems' stubs)
    return int(status[2]) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None


def _of_container() -> int | None:
    """Returns what is left under a container's own limit, where there is one."""
    try:
        limit = (_CGROUP / "memory.max").read_text().strip()
        used = int((_CGROUP / "memory.current").read_text())
        stat = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
        borrowed = int(stat.get("inactive_file", 0))  # file cache, given back on demand
        return None if limit == "max" else int(limit) - used + borrowed
    except (OSError, ValueError):
        return None

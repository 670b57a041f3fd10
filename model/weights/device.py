"""Where a model runs and in which numbers, and whether it fits there.

Free memory is asked of the operating system, of the container and of the accelerator. This module
knows no model, only its name and size.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # ships no types
import torch

from model.weights.check import LoadError

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
_HEADROOM = 1.1  # of the weights: what the first passes need beside them
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
    if dtype not in DTYPES:
        raise LoadError(f"There is no dtype {dtype!a} here: choose auto, {', '.join(DTYPES)}.")
    return DTYPES[dtype]


def check_memory(name: str, n_bytes: int, places: Sequence[torch.device]) -> bool:
    """Tells whether a model has to spread over all of these devices, rather than use the first.

    Raises:
        LoadError: where it would not even so fit beside what is loaded already.
    """
    need = n_bytes * _HEADROOM
    free = [free_bytes(place) for place in places]
    if need > sum(free):
        raise LoadError(
            f"{name} needs about {need / 1e9:,.1f} GB of memory and {sum(free) / 1e9:,.1f} GB is "
            f"free on {places[0].type}: choose a smaller model, a 16-bit dtype, or close other "
            "programs."
        )
    has_to_spread = need > free[0]
    if places[0].type == "cuda" and not has_to_spread:
        here = free_bytes(torch.device("cpu"))  # through which a GPU's weights come
        if need > here:
            raise LoadError(
                f"{name} is read through about {need / 1e9:,.1f} GB of this machine’s own memory "
                f"and {here / 1e9:,.1f} GB is free: choose a smaller model or close other programs."
            )
    return has_to_spread


def free_bytes(device: torch.device) -> int:
    """Returns the bytes that a model may still take on a device."""
    if device.type == "cuda":
        # what torch holds and does not use is free to a model that torch loads
        held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0]) + held
    # what the system only borrows for its file cache is free as well
    here = int(psutil.virtual_memory().available)
    limit = _of_container()
    return here if limit is None else min(here, limit)


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

"""A device: who may use it now, what is free on it, and when it has done all that it was given.

Free memory is asked of the operating system, of the container and of the accelerator.
"""

import platform
import threading
from collections import defaultdict
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # ships no types
import torch

_CPU_INFO = Path("/proc/cpuinfo")
_CGROUP = Path("/sys/fs/cgroup")
_SHARED = {"cuda", "mps"}  # devices of which all models share one lock
_locks: defaultdict[tuple[str, int], threading.RLock] = defaultdict(threading.RLock)


def lock_of(device: torch.device) -> threading.RLock:
    """Returns the lock under which a device is used: one for each accelerator, whatever runs on it.

    Two threads in MPS at once can end the process; on CUDA a wait for the device, in whichever
    thread, spoils a capture that goes on there. On the CPU nothing is shared: each call returns
    another lock.
    """
    if device.type not in _SHARED:
        return threading.RLock()
    return _locks[device.type, device.index or 0]


def free_bytes(device: torch.device) -> int:
    """Returns the bytes that a model may still take on a device."""
    if device.type == "cuda":
        # what torch holds and does not use is free to a model that torch loads
        held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0]) + held
    # what the system only borrows for its file cache is free as well
    here = int(psutil.virtual_memory().available)
    limit = _of_container()
    here = here if limit is None else min(here, limit)
    if device.type == "mps":  # its memory is this machine's, and it takes a part of it
        rest = torch.mps.recommended_max_memory() - torch.mps.current_allocated_memory()
        return max(0, min(here, rest))
    return here


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


def synchronise(device: torch.device) -> None:
    """Waits until a device has done all that it was given, so that a clock read now is true."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def processor(device: torch.device | None = None) -> str:
    """Returns the name of a device as its maker gives it; that of the CPU where none is named."""
    if device is not None and device.type == "cuda":
        return str(torch.cuda.get_device_name(device))
    if (device is None or device.type == "cpu") and _CPU_INFO.is_file():
        for line in _CPU_INFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()

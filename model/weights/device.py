"""Where a model runs and in which numbers, whether it fits there, and who may use it now.

Free memory is asked of the operating system, of the container and of the accelerator. This module
knows no model, only its name and size.
"""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # ships no types
import torch

from model.weights.check import LoadError, bytes_of

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
_STORED = {torch.float32: "F32", torch.bfloat16: "BF16", torch.float16: "F16"}  # in safetensors
_HEADROOM = 1.1  # of the weights: what the first passes need beside them
_SMALL = 256_000_000  # bytes; below, launching a step on MPS takes longer than computing it here
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


def has_accelerate() -> bool:
    """Tells whether accelerate is here, by which transformers reads weights onto a GPU."""
    return find_spec("accelerate") is not None


def choose_devices(device: str, n_bytes: int | None = None) -> list[torch.device]:
    """Returns the device of this name, and the ones that a model may spread to if it must.

    "auto" takes CUDA, then MPS, then the CPU, and may spread over all GPUs where accelerate, which
    does the spreading, is installed.

    Args:
        device: its name.
        n_bytes: of the weights, where they are known: small models stay off MPS, unless it was
            named.

    Raises:
        LoadError: where this machine has no such device.
    """
    is_free = device == "auto" and has_accelerate()
    if device == "auto":
        is_small = n_bytes is not None and n_bytes < _SMALL
        is_mps = torch.backends.mps.is_available() and not is_small
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


def host_bytes(counts: Mapping[str, int], numbers: torch.dtype) -> int:
    """Returns what weights take of this machine's own memory on their way to a GPU.

    Numbers in the format that is wanted stay in their file, mapped, until the GPU has them; others
    are converted here, all of them before the first is moved, unless accelerate moves each by
    itself. On Windows no file is mapped.

    Args:
        counts: of the numbers by their kind, as safetensors name it.
        numbers: in which they are loaded.
    """
    if has_accelerate():
        return 0
    mapped = "" if sys.platform == "win32" else _STORED[numbers]
    converted = {kind: n for kind, n in counts.items() if kind != mapped}
    return bytes_of(converted, numbers.itemsize)


def check_memory(name: str, n_bytes: int, places: Sequence[torch.device], n_here: int) -> bool:
    """Tells whether a model has to spread over all of these devices, rather than use the first.

    Args:
        name: of the model, for the message.
        n_bytes: of its weights.
        places: the devices.
        n_here: of `n_bytes`, those that are in this machine's own memory before a GPU has them.

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
        here = free_bytes(torch.device("cpu"))
        if n_here > here:
            raise LoadError(
                f"{name} is read through about {n_here / 1e9:,.1f} GB of this machine’s own "
                f"memory and {here / 1e9:,.1f} GB is free: install accelerate, choose a smaller "
                "model or close other programs."
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

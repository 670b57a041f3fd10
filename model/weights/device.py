"""Where a model runs and in which numbers, and whether it fits there.

This module knows no model, only its name and size.
"""

import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

import torch

from model.machine.device import free_bytes
from model.sentences import Sentence, apart
from model.weights.check import LoadError, bytes_of

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
_STORED = {torch.float32: "F32", torch.bfloat16: "BF16", torch.float16: "F16"}  # in safetensors
_HEADROOM = 1.1  # of the weights: what the first passes need beside them
_SMALL = 256_000_000  # bytes; below, launching a step on MPS takes longer than computing it here


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
        raise LoadError(
            Sentence(
                "This machine has no device {device}: choose auto or one of {here}.",
                device=ascii(device),
                here=here,
            )
        )
    if is_free and device == "cuda":
        return [torch.device("cuda", number) for number in range(counts["cuda"])]
    return [torch.device(device)]


def choose_dtype(dtype: str, device: torch.device) -> torch.dtype:
    """Returns the number format of this name; 16 bits only where they are fast by themselves."""
    if dtype == "auto":
        is_fast = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if is_fast else torch.float32
    if dtype not in DTYPES:
        raise LoadError(
            Sentence(
                "There is no dtype {dtype} here: choose auto, {dtypes}.",
                dtype=ascii(dtype),
                dtypes=", ".join(DTYPES),
            )
        )
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
        needed, there = apart(need / 1e9, sum(free) / 1e9)
        raise LoadError(
            Sentence(
                "{name} needs about {needed} GB of memory and {there} GB is free on {device}: "
                "choose a smaller model, a 16-bit dtype if this is none, or close other programs.",
                name=name,
                needed=needed,
                there=there,
                device=places[0].type,
            )
        )
    has_to_spread = need > free[0]
    if places[0].type == "cuda" and not has_to_spread:
        here = free_bytes(torch.device("cpu"))
        if n_here > here:
            needed, there = apart(n_here / 1e9, here / 1e9)
            raise LoadError(
                Sentence(
                    "{name} is read through about {needed} GB of this machine’s own memory and "
                    "{there} GB is free: install accelerate, choose a smaller model or close "
                    "other programs.",
                    name=name,
                    needed=needed,
                    there=there,
                )
            )
    return has_to_spread

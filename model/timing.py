"""The clock: the device waited for, and the machine named.

Times are of the model alone: what draws a page has no part in them. This module knows clocks and
devices; what is timed is for others to say.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import torch

from model.language_model import LanguageModel
from model.machine.device import synchronise
from model.machine.threads import ALL_THREADS
from model.records import Machine

LIBRARIES = ("torch", "transformers")


@torch.inference_mode()
def seconds_of(work: Callable[[], object], device: torch.device) -> float:
    """Runs some work once and returns its seconds, the device synchronised before and after."""
    synchronise(device)
    started = time.perf_counter()
    work()
    synchronise(device)
    return time.perf_counter() - started


def describe(lm: LanguageModel) -> Machine:
    """Writes down what a figure was measured on, and when."""
    return Machine(
        device=lm.place,
        processor=lm.backend.processor(lm),
        dtype=lm.dtype_name,
        n_threads=ALL_THREADS,
        model=Path(lm.name).name,
        n_parameters=lm.n_parameters,
        versions={name: metadata.version(name) for name in LIBRARIES},
        date=datetime.now(UTC).astimezone().isoformat(timespec="seconds"),
    )

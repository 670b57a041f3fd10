"""Runs of the phases, the roofline and the batches on other machines, to lay beside one's own."""

import re
from dataclasses import dataclass
from pathlib import Path

from model.prefill_decode.records import BatchRun, PhaseRun, Roofline
from model.recorded import FOLDER, read, write
from model.records import Machine


@dataclass(frozen=True)
class Recording:
    """One run of the phases, the roofline and the batches on one machine."""

    machine: Machine
    phases: PhaseRun
    roofline: Roofline
    batches: BatchRun

    @property
    def title(self) -> str:
        """What it is of, for a list."""
        return f"{self.machine.model} on {self.machine.processor}, {self.machine.dtype}"


def save_recording(recording: Recording, folder: Path = FOLDER) -> Path:
    """Writes a recording to a file that bears the names of its device and its model."""
    machine = recording.machine
    words = f"{machine.processor} {machine.device.partition(':')[0]} {machine.model}"
    name = re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-")
    return write(folder / f"{name}.json", recording)


def recordings(folder: Path = FOLDER) -> tuple[Recording, ...]:
    """Reads all recordings that are shipped."""
    return tuple(read(Recording, path) for path in sorted(folder.glob("*.json")))

"""Runs of the phases, the roofline and the batches on other machines, to lay beside one's own."""

from dataclasses import dataclass
from pathlib import Path

from model.prefill_decode.records import BatchRun, PhaseRun, Roofline
from model.recorded import FOLDER, read
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


def recordings(folder: Path = FOLDER) -> tuple[Recording, ...]:
    """Reads all recordings that are shipped."""
    return tuple(read(Recording, path) for path in sorted(folder.glob("*.json")))

"""Runs that were measured elsewhere, as small JSON files: what they say, when, and on what.

A recording is never shown as if it were of this machine: device, date, number format and versions
travel with it, and the page says "recorded". Save one with `python -m benchmarks.record`.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from model.prefill_decode.records import BatchRun, PhaseRun, Roofline
from model.records import Machine

FORMAT = 1
FOLDER = Path(__file__).parents[1] / "recorded"


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
    path = folder / f"{name}.json"
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"format": FORMAT, **asdict(recording)}, ensure_ascii=False)
    path.write_text(_shorter(text) + "\n", encoding="utf-8")
    return path


def _shorter(text: str) -> str:
    """Cuts every number to six significant digits: no clock is better."""
    cut = json.loads(text, parse_float=lambda digits: float(f"{float(digits):.6g}"))
    return json.dumps(cut, ensure_ascii=False, separators=(",", ":"))


def load_recording(path: Path) -> Recording:
    """Reads a recording.

    Raises:
        ValueError: where the file is none; one sentence with the remedy.
    """
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        if given.get("format") != FORMAT:
            raise ValueError(f"format {given.get('format')!a} and not {FORMAT}")
        del given["format"]
        recording: Recording = _built(Recording, given)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path.name} is no recording that can be read here ({error}): record it again."
        ) from error
    return recording


def recordings(folder: Path = FOLDER) -> tuple[Recording, ...]:
    """Reads all recordings that are shipped, those that cannot be read left out."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            found.append(load_recording(path))
        except ValueError:
            continue
    return tuple(found)


def _built(kind: Any, given: Any) -> Any:
    """Makes a record, and those inside it, of what JSON holds."""
    types = get_type_hints(kind) if is_dataclass(kind) else {}
    if types:
        return kind(**{name: _built(types[name], value) for name, value in given.items()})
    if get_origin(kind) is tuple:
        return tuple(_built(get_args(kind)[0], value) for value in given)
    return given

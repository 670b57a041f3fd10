"""What jobs found on another machine, as small JSON files: shown until the reader measures here.

A recording is never shown as if it were of this machine: device, date, number format and versions
travel with it, and the page says "recorded". Make all anew with `python -m benchmarks.record`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from model.job import Job
from model.records import Machine

FORMAT = 1
FOLDER = Path(__file__).parent
SECTIONS = FOLDER / "sections"
N_DIGITS = 6  # of every number: no clock is better
_ARRAY = {"dtype", "shape", "numbers"}  # what stands for one
N_ARRAY_DIGITS = 4  # of those in arrays, which are drawn and not read


@dataclass(frozen=True, eq=False)
class Section:
    """What one part of a page found, and what it was measured on."""

    machine: Machine
    seconds: float  # that its passes took
    found: object


@cache
def recorded_job(key: str, kind: Any, folder: Path = SECTIONS) -> Job[Any] | None:
    """Returns a job that is done and found what was recorded; None where nothing was.

    Args:
        key: of its panel.
        kind: of what it found, a record or a tuple of records.
        folder: where the recordings lie.
    """
    try:
        section = read(Section, folder / f"{key}.json", found=kind)
    except ValueError:
        return None
    return Job.of_recording(section.found, section.seconds, section.machine)


def write(path: Path, record: Any) -> Path:
    """Writes a record, and those inside it, as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    given = {"format": FORMAT, **_plain(record)}
    text = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")
    return path


def read(kind: Any, path: Path, **fields_of: Any) -> Any:
    """Reads a record of a kind.

    Args:
        kind: the class of the record.
        path: of the file.
        fields_of: what a field is made of, where the class leaves it open.

    Raises:
        ValueError: where the file holds none; one sentence with the remedy.
    """
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        if given.get("format") != FORMAT:
            raise ValueError(f"format {given.get('format')!a} and not {FORMAT}")
        del given["format"]
        return _built(kind, given, fields_of)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path.name} is no recording that can be read here ({error}): record it again."
        ) from error


def _plain(value: Any, n_digits: int = N_DIGITS) -> Any:
    """Makes what JSON holds of a record: its fields, an array as its type, shape and numbers."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        numbers = [_plain(number, N_ARRAY_DIGITS) for number in value.ravel().tolist()]
        return {"dtype": str(value.dtype), "shape": list(value.shape), "numbers": numbers}
    if isinstance(value, np.generic):
        return _plain(value.item(), n_digits)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return float(f"{value:.{n_digits}g}") if isinstance(value, float) else value


def _built(kind: Any, given: Any, hints: Mapping[str, Any] | None = None) -> Any:
    """Makes a record, and those inside it, of what JSON holds."""
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        types = get_type_hints(kind) | dict(hints or {})
        return kind(**{name: _built(types[name], value) for name, value in given.items()})  # type: ignore[operator]  # a class, never one of its objects
    if isinstance(given, Mapping) and given.keys() == _ARRAY:  # numpy 2.5 has it as an alias
        return np.array(given["numbers"], dtype=given["dtype"]).reshape(given["shape"])
    if origin in {Union, UnionType}:
        some = next(part for part in parts if part is not NoneType)
        return None if given is None else _built(some, given)
    if origin is tuple:
        inner = parts[:1] * len(given) if parts[-1] is ... else parts
        return tuple(_built(part, value) for part, value in zip(inner, given, strict=True))
    if origin in {dict, Mapping}:
        as_key = int if parts[0] is int else str
        return {as_key(key): _built(parts[1], value) for key, value in given.items()}
    return given

"""What an experiment on a claim found: the verdict, and the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["holds", "holds partly", "does not hold", "not run"]
Unit: TypeAlias = Literal[
    "count", "fraction", "seconds", "bytes", "nats", "ratio", "number", "text"
]


@dataclass(frozen=True)
class Quantity:
    """One number of a finding, still a number."""

    value: float | str  # a string for the unit "text" alone
    unit: Unit  # "fraction" of one; "ratio" how many times; "number" without a unit


@dataclass(frozen=True)
class Finding:
    """What one run of an experiment found."""

    verdict: Verdict
    says: str  # one sentence with a {name} for each of the quantities
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    why: str = ""  # where it does not simply hold: one sentence

"""What an experiment on a claim found: the verdict, and the numbers that it rests on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

ClaimOutcome: TypeAlias = Literal[
    "holds here",
    "holds partly",
    "does not hold here",
    "not to be told apart from chance",
    "by definition",  # there is nothing to run
    "not run",
]
QuantityUnit: TypeAlias = Literal[
    "count", "fraction", "share", "seconds", "bytes", "nats", "ratio", "number", "text"
]

ONE_SIDED = 1.645 / 1.96  # of a 95 % interval's half-width: 19 of 20 means lie above minus that


@dataclass(frozen=True)
class Quantity:
    """One number of a finding, still a number."""

    value: float | str  # a string for the unit "text" alone
    unit: QuantityUnit  # "fraction" of one; "ratio" how many times; "number" without a unit


@dataclass(frozen=True)
class Evidence:
    """One thing that was measured n times, and what follows from it."""

    what: str  # "right words by the vote, less those of one sample"
    outcome: ClaimOutcome
    mean: float  # of the unit "share": how many of the n, as a fraction
    interval: tuple[float, float] | None  # 95 %; None where nothing was left to chance
    n: int
    of: str  # what there are n of: "prompts", "runs"
    unit: QuantityUnit
    bar: float | None = None  # it holds where the whole interval lies above; None: where any does
    below: float | None = None  # and below this, where there is an upper bar
    is_condition: bool = False  # its failure refutes the claim; that it holds supports nothing
    seen_from: float | None = None  # 19 of 20 runs see that it holds where it truly is this or more

    @property
    def seen_to(self) -> float | None:
        """19 of 20 runs see that it holds where it truly is from `seen_from` to this."""
        return self._below_upper_bar(1 + ONE_SIDED)

    @property
    def refused_from(self) -> float | None:
        """19 of 20 runs refuse it where it truly is this or more; None without an upper bar."""
        return self._below_upper_bar(1 - ONE_SIDED)

    def _below_upper_bar(self, n_halves: float) -> float | None:
        """Returns what lies so many half-widths of the interval below the upper bar."""
        if self.below is None or self.interval is None:
            return None
        low, high = self.interval
        if self.unit == "ratio":
            return float(self.below * (low / high) ** (n_halves / 2))
        return self.below - n_halves * (high - low) / 2

    @property
    def must_always_be(self) -> bool:
        """Whether one failure is enough for the claim to fail: nothing was left to chance."""
        return self.unit == "share" and self.interval is None


@dataclass(frozen=True)
class Finding:
    """What one run of an experiment found."""

    outcome: ClaimOutcome
    says: str  # one sentence with a {name} for each of the quantities
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()  # none where it was not run
    control: str = ""  # what the same measurement gives where the claim says nothing; as `says`
    why: str = ""  # where it does not simply hold: one sentence
    ran_on: str = ""  # the models that it needs; empty where it ran on the page's


@dataclass(frozen=True)
class ClaimsRun:
    """What the experiments of some claims found, by the claims' ids."""

    findings: Mapping[str, Finding]
    seconds: Mapping[str, float]  # that each took

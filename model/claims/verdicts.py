"""From measurements to a verdict: one rule for every claim.

What is measured n times has a 95 % interval: Student's t for means, Wilson's for shares. It holds
where all of that lies above a bar that is set beforehand (and below a second one, if too much is
as wrong as too little), it does not where all lies outside, and else it cannot be told apart from
chance. So what lies at the bar passes in one run of forty; from which value on nineteen of twenty
runs see that it holds is stated beside the interval. A claim holds partly where some of its parts
do and another does not, cannot be told apart from chance where the other cannot, and does not hold
at all where one thing fails that must be so every time.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from model.claims.records import (
    ONE_SIDED,
    ClaimOutcome,
    Evidence,
    Finding,
    Quantity,
    QuantityUnit,
)
from model.snowball.records import Estimate

Z = 1.96  # half-width of a 95 % interval of a share, in standard errors
SEEN = 0.95  # of the runs: what the power of a verdict is stated for
# half-widths between a bar and a true value whose interval lies above it in so many runs
_POWER = 1 + ONE_SIDED
_NUMBER: Final = re.compile(r"\{(\w+):(\w+)\}")


def judge_mean(
    what: str,
    values: npt.ArrayLike | Estimate,
    of: str,
    unit: QuantityUnit = "number",
    *,
    above: float = 0.0,
    partly: float | None = None,
    below: float | None = None,
) -> Evidence:
    """Judges the mean of some values.

    Args:
        what: is measured.
        values: one from each run, those that are NaN left out; or a lesson's own estimate.
        of: what there is one value for: "prompts".
        unit: of the values.
        above: it holds where the whole interval is above this.
        partly: it holds partly where the whole interval is above this at least.
        below: it holds where the whole interval is below this as well.
    """
    mean = values if isinstance(values, Estimate) else Estimate.of(values)
    interval = (mean.mean - mean.half_width, mean.mean + mean.half_width)
    outcome = _outcome(interval, above, partly, below)
    seen_from = above + _POWER * mean.half_width
    return Evidence(
        what, outcome, mean.mean, interval, mean.n, of, unit, above, below, seen_from=seen_from
    )


def judge_ratio(
    what: str,
    over: npt.ArrayLike,
    under: npt.ArrayLike,
    of: str,
    *,
    above: float = 1.0,
    partly: float | None = None,
    below: float | None = None,
) -> Evidence:
    """Judges how many times as much one thing is as another, in pairs: their geometric mean."""
    logs = np.log(np.asarray(over, dtype=np.float64) / np.asarray(under, dtype=np.float64))
    mean = Estimate.of(logs)
    interval = (math.exp(mean.mean - mean.half_width), math.exp(mean.mean + mean.half_width))
    outcome = _outcome(interval, above, partly, below)
    ratio, seen_from = math.exp(mean.mean), above * math.exp(_POWER * mean.half_width)
    return Evidence(
        what, outcome, ratio, interval, mean.n, of, "ratio", above, below, seen_from=seen_from
    )


def judge_share(
    what: str, passed: Sequence[bool], of: str, *, partly: float | None = None
) -> Evidence:
    """Judges whether something is so more often than not."""
    n_passed, n = sum(passed), len(passed)
    interval = wilson(n_passed, n)
    outcome = _outcome(interval, 0.5, partly)
    seen_from = share_seen(n, 0.5)
    return Evidence(what, outcome, n_passed / n, interval, n, of, "share", 0.5, seen_from=seen_from)


def judge_shares(what: str, passed: float, control: float, n: int, of: str) -> Evidence:
    """Judges a share of n less that of n others (Newcombe's interval, from Wilson's)."""
    (low, high), (low_control, high_control) = (wilson(share * n, n) for share in (passed, control))
    interval = (
        passed - control - math.hypot(passed - low, high_control - control),
        passed - control + math.hypot(high - passed, control - low_control),
    )
    outcome = _outcome(interval, 0.0)
    seen_from = _POWER * (interval[1] - interval[0]) / 2
    return Evidence(
        what, outcome, passed - control, interval, n, of, "fraction", 0.0, seen_from=seen_from
    )


def judge_some(what: str, passed: Sequence[bool], of: str) -> Evidence:
    """Judges whether something can be: once is enough, and how often is said beside it."""
    outcome: ClaimOutcome = "holds here" if any(passed) else "does not hold here"
    n_passed, n = sum(passed), len(passed)
    return Evidence(what, outcome, n_passed / n, wilson(n_passed, n), n, of, "share")


def judge_all(
    what: str, passed: Sequence[bool], of: str, *, is_condition: bool = False
) -> Evidence:
    """Judges what must be so every time, where nothing is left to chance: one failure is one.

    Args:
        what: must be so.
        passed: whether it was, each time.
        of: what there is one of for each time.
        is_condition: whether the claim says more than this, so that it supports none by itself.
    """
    n_passed, n = sum(passed), len(passed)
    outcome: ClaimOutcome = "holds here" if n_passed == n else "does not hold here"
    return Evidence(what, outcome, n_passed / n, None, n, of, "share", is_condition=is_condition)


def wilson(n_passed: float, n: int) -> tuple[float, float]:
    """Returns Wilson's 95 % interval of a share (1927, doi:10.1080/01621459.1927.10502953)."""
    share, scale = n_passed / n, 1 + Z**2 / n
    centre = (share + Z**2 / (2 * n)) / scale
    half = Z * math.sqrt(share * (1 - share) / n + (Z / (2 * n)) ** 2) / scale
    return centre - half, centre + half


def share_seen(n: int, bar: float) -> float:
    """Returns the least true share of which nineteen of twenty runs of n say that it is above."""
    enough = next((k for k in range(n + 1) if wilson(k, n)[0] > bar), None)
    if enough is None:  # too few for any share
        return math.nan
    low, high = bar, 1.0
    while high - low > 1e-6:
        share = (low + high) / 2
        tail = sum(
            math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(enough, n + 1)
        )
        low, high = (low, share) if tail >= SEEN else (share, high)
    return high


def _outcome(
    interval: tuple[float, float],
    above: float,
    partly: float | None = None,
    below: float | None = None,
) -> ClaimOutcome:
    low, high = interval
    least, most = above if partly is None else partly, math.inf if below is None else below
    if least < low <= high < most:
        return "holds here" if low > above else "holds partly"
    is_outside = high <= least or low >= most
    return "does not hold here" if is_outside else "not to be told apart from chance"


def combine(evidence: Sequence[Evidence]) -> ClaimOutcome:
    """Returns the outcome of a claim from those of its parts.

    A condition can refute a claim and not support it: that two ways give the same does not say
    that one of them is quicker.
    """
    if any(part.must_always_be and part.outcome != "holds here" for part in evidence):
        return "does not hold here"
    outcomes = {part.outcome for part in evidence if not part.is_condition} or {"holds here"}
    if len(outcomes) == 1:
        return outcomes.pop()
    if outcomes == {"holds here", "not to be told apart from chance"}:
        return "not to be told apart from chance"
    if outcomes & {"holds here", "holds partly"}:
        return "holds partly"
    return "does not hold here"


def finding(
    says: str,
    *evidence: Evidence,
    numbers: Mapping[str, Any] | None = None,
    control: str = "",
    why: str = "",
    ran_on: str = "",
) -> Finding:
    """Returns a finding, whose verdict follows from its evidence.

    Args:
        says: what the run showed, with {name:unit} for each number; {name} where it comes again.
        evidence: what the verdict rests on.
        numbers: by their names; where there are many, the median of times and ratios is said, and
            the mean of others.
        control: what the same measurement gives where the claim says nothing, written as `says`.
        why: kept only where the claim does not simply hold.
        ran_on: the models, where they are not the page's.
    """
    outcome = combine(evidence)
    units: dict[str, Any] = dict(_NUMBER.findall(says + control))
    quantities = {
        name: Quantity(_as_one(value, units[name]), units[name])
        for name, value in (numbers or {}).items()
        if name in units
    }
    says, control = (_NUMBER.sub(r"{\1}", words) for words in (says, control))
    why = "" if outcome == "holds here" else why
    return Finding(outcome, says, quantities, evidence, control, why, ran_on)


def _as_one(value: npt.ArrayLike, unit: QuantityUnit) -> float | str:
    values = np.asarray(value)
    if not values.ndim:
        one: float | str = values.item()
        return one
    return float(np.median(values) if unit in ("seconds", "ratio") else values.mean())

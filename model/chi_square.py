"""Pearson's chi-square test: did these counts come from that distribution?

The p-value needs the regularised incomplete gamma function, by its series where that converges
fast and by its continued fraction elsewhere (Press et al., Numerical Recipes, section 6.2). Knows
numpy and nothing of tokens.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model.records import FloatArray

LEAST_EXPECTED = 5.0  # counts below which the chi-square distribution is no good approximation
_PRECISION = 1e-15
_MOST_TERMS = 100_000


@dataclass(frozen=True)
class ChiSquare:
    """How far counts are from what was expected of them, and how often chance goes that far."""

    statistic: float  # sum of (observed - expected)^2 / expected over the bins
    n_degrees: int  # bins less one
    p_value: float  # probability of a statistic at least so large, were the expectation true
    n_pooled: int  # entries that were too rare for a bin of their own and share the last one


def chi_square(counts: npt.NDArray[np.integer], probs: FloatArray) -> ChiSquare:
    """Compares counts with the probabilities that they are said to come from.

    Entries of which fewer than five were expected are pooled into one bin, rarest first, together
    with as many of the next as it takes to expect five in it.

    Args:
        counts: (n,) how often each entry came.
        probs: (n,) how often it should, as a fraction; where it is 0 the count must be 0 too.

    Raises:
        ValueError: where the two do not fit together.
    """
    if counts.shape != probs.shape or counts.size == 0 or counts.sum() == 0:
        raise ValueError("Counts and probabilities differ in length or are empty: draw first.")
    if np.any(counts[probs == 0] > 0):
        raise ValueError("Something impossible was counted: compare with the right distribution.")
    falling = np.argsort(-probs, kind="stable")
    expected = probs[falling] * counts.sum()
    n_single = int(np.count_nonzero(expected >= LEAST_EXPECTED))
    while n_single > 1 and 0 < expected[n_single:].sum() < LEAST_EXPECTED:
        n_single -= 1
    observed = counts[falling]
    bins = np.append(expected[:n_single], expected[n_single:].sum())
    found = np.append(observed[:n_single], observed[n_single:].sum())
    is_bin = bins > 0
    statistic = float(np.sum((found[is_bin] - bins[is_bin]) ** 2 / bins[is_bin]))
    n_degrees = int(np.count_nonzero(is_bin)) - 1
    p_value = upper_gamma(n_degrees / 2, statistic / 2) if n_degrees else 1.0
    n_pooled = int(np.count_nonzero(expected[n_single:] > 0))
    return ChiSquare(statistic, n_degrees, p_value, n_pooled)


def upper_gamma(a: float, x: float) -> float:
    """Returns the regularised upper incomplete gamma function Q(a, x), a > 0 and x >= 0.

    With n degrees of freedom, Q(n/2, s/2) is the chance of a chi-square of s or more.
    """
    if a <= 0 or x < 0:
        raise ValueError(f"Q({a}, {x}) is not defined: pass a > 0 and x >= 0.")
    if x == 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    return 1 - scale * _series(a, x) if x < a + 1 else scale * _continued_fraction(a, x)


def _series(a: float, x: float) -> float:
    """Sums x^n / (a (a+1) ... (a+n)), which converges fast for x < a + 1."""
    term = total = 1 / a
    for n in range(1, _MOST_TERMS):
        term *= x / (a + n)
        total += term
        if term < total * _PRECISION:
            break
    return total


def _continued_fraction(a: float, x: float) -> float:
    """Evaluates 1/(x+1-a- 1(1-a)/(x+3-a- ...)) by Lentz's method, fast for x > a + 1."""
    tiny = 1e-300  # stands for a zero that would be divided by
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    value = d
    for n in range(1, _MOST_TERMS):
        factor = -n * (n - a)
        b += 2
        d = 1 / (factor * d + b or tiny)
        c = b + factor / c or tiny
        value *= d * c
        if abs(d * c - 1) < _PRECISION:
            break
    return value

"""Pearson's chi-square test: did these counts come from that distribution?

Knows numbers and nothing of tokens.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from model.records import FloatArray

MIN_EXPECTED = 5.0  # counts below which the chi-square distribution is no good approximation


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
    n_single = int(np.count_nonzero(expected >= MIN_EXPECTED))
    while n_single > 1 and 0 < expected[n_single:].sum() < MIN_EXPECTED:
        n_single -= 1
    observed = counts[falling]
    bins = np.append(expected[:n_single], expected[n_single:].sum())
    tallies = np.append(observed[:n_single], observed[n_single:].sum())
    is_bin = bins > 0
    statistic = float(np.sum((tallies[is_bin] - bins[is_bin]) ** 2 / bins[is_bin]))
    n_degrees = int(np.count_nonzero(is_bin)) - 1
    n_pooled = int(np.count_nonzero(expected[n_single:] > 0))
    return ChiSquare(statistic, n_degrees, p_value(statistic, n_degrees), n_pooled)


def p_value(statistic: float, n_degrees: int) -> float:
    """Returns how often chance alone gives a chi-square of this size or more."""
    if not n_degrees:
        return 1.0
    halves = torch.tensor([n_degrees / 2, statistic / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(*halves))

"""The chi-square test: known values, pooling, and p-values that are uniform where all is fair."""

import math

import numpy as np
import pytest

from model.chi_square import chi_square


def test_by_hand() -> None:
    test = chi_square(np.array([60, 40]), np.array([0.5, 0.5]))
    assert (test.statistic, test.n_degrees) == (pytest.approx(4.0), 1)
    assert test.p_value == pytest.approx(math.erfc(math.sqrt(2)))
    # rare entries share a bin
    test = chi_square(np.array([50, 44, 2, 3, 1]), np.array([0.5, 0.44, 0.02, 0.03, 0.01]))
    assert (test.n_degrees, test.n_pooled) == (2, 3)
    # what cannot come must not have come
    assert chi_square(np.array([0, 9]), np.array([0.0, 1.0])).p_value == 1.0
    with pytest.raises(ValueError, match="impossible"):
        chi_square(np.array([1, 9]), np.array([0.0, 1.0]))


def test_fair_draws_give_p_values_without_a_preference() -> None:
    rng = np.random.default_rng(0)
    probs = np.array([0.4, 0.3, 0.2, 0.1])
    values = [chi_square(rng.multinomial(2000, probs), probs).p_value for _ in range(400)]
    counts, _ = np.histogram(values, bins=5, range=(0, 1))
    assert counts.min() > 50
    assert counts.max() < 115

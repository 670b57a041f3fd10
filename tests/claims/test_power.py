"""The power of a verdict: from which true value on nineteen of twenty runs see that it holds."""

import math

import numpy as np
import pytest

from model.claims.records import Evidence
from model.claims.verdicts import (
    judge_all,
    judge_mean,
    judge_ratio,
    judge_share,
    judge_shares,
    share_seen,
)


@pytest.mark.parametrize("n", [12, 40, 200])
def test_from_the_value_that_is_stated_on_nineteen_of_twenty_runs_see_it(n: int) -> None:
    """And what lies at the bar passes in one run of twenty at most."""
    rng, n_runs = np.random.default_rng(n), 400
    seen_from = share_seen(n, 0.5)

    def holds(evidence: Evidence) -> bool:
        return evidence.outcome == "holds here"

    for true, low, high in ((seen_from, 0.93, 1.0), (0.5, 0.0, 0.05)):
        runs = [judge_share("it", list(rng.random(n) < true), "runs") for _ in range(n_runs)]
        assert low <= np.mean([holds(run) for run in runs]) <= high
    wide = [judge_mean("it", rng.normal(0, 1, n), "runs") for _ in range(n_runs)]
    stated = float(np.mean([run.seen_from for run in wide if run.seen_from is not None]))
    for true, low, high in ((stated, 0.92, 0.99), (0.0, 0.0, 0.05)):
        runs = [judge_mean("it", rng.normal(true, 1, n), "runs") for _ in range(n_runs)]
        assert low <= np.mean([holds(run) for run in runs]) <= high
    logs = [judge_ratio("it", np.exp(rng.normal(0, 1, n)), np.ones(n), "runs") for _ in wide]
    assert np.mean([np.log(run.seen_from or 0) for run in logs]) == pytest.approx(stated, rel=0.05)


@pytest.mark.parametrize("unit", ["number", "ratio"])
def test_what_lies_near_an_upper_bar_is_refused_from_the_value_that_is_stated_on(unit: str) -> None:
    """A value at the upper end of what is seen holds, one a little below the bar does not."""
    rng, n = np.random.default_rng(3), 40

    def run(true: float) -> Evidence:
        values = rng.normal(true, 1, n)
        if unit == "number":
            return judge_mean("it", values, "runs", above=-1, below=1)
        return judge_ratio("it", np.exp(values), np.ones(n), "runs", above=1 / math.e, below=math.e)

    def mean_of(field: str) -> float:
        stated = [getattr(run(0.0), field) for _ in range(200)]
        return float(np.mean(np.log(stated) if unit == "ratio" else stated))

    for field, outcome in (("seen_to", True), ("refused_from", False)):
        true = mean_of(field)
        assert 0 < true < 1
        holds = [run(true).outcome == "holds here" for _ in range(400)]
        assert 0.92 <= np.mean(np.equal(holds, outcome)) <= 0.99
    assert judge_mean("it", [1.0, 1.1], "runs").refused_from is None


def test_every_part_that_chance_decides_states_what_it_would_see() -> None:
    made = (
        judge_mean("it", (1.0, 1.1, 0.9), "runs", above=0.75),
        judge_share("it", [True] * 9 + [False], "prompts"),
        judge_shares("it", 0.9, 0.1, 20, "runs"),
    )
    assert all(part.seen_from is not None and part.seen_from > (part.bar or 0) for part in made)
    assert np.isnan(share_seen(3, 0.5)), "three of three are no proof"
    assert judge_all("it", [True], "steps").seen_from is None

"""How the parts of a claim's evidence make its verdict."""

import pytest

from model.claims.records import ClaimOutcome, Evidence
from model.claims.verdicts import combine, judge_all, judge_mean, judge_share
from tests.claims.expected import CHANCE, FAILS, HOLDS, PARTLY


def mean(*values: float) -> Evidence:
    return judge_mean("it", values, "runs", above=0.75, partly=0.25)


def share(n: int) -> Evidence:
    return judge_share("it", [True] * n + [False] * (10 - n), "prompts")


def always(*passed: bool) -> Evidence:
    return judge_all("it", passed, "steps")


def condition(*passed: bool) -> Evidence:
    return judge_all("it", passed, "steps", is_condition=True)


def between(*values: float) -> Evidence:
    return judge_mean("it", values, "runs", above=0.5, below=1.5)


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([mean(1.0, 1.1, 0.9)], HOLDS),
        ([mean(0.4, 0.5, 0.6)], PARTLY),  # above the lower bar, not above the upper
        ([mean(0.25, 0.25, 0.25)], FAILS),  # no more than the lower bar itself
        ([mean(2.0, -2.0, 3.0)], CHANCE),
        ([mean(5.0)], CHANCE),  # one value has no interval
        ([share(9), share(1)], PARTLY),
        ([share(1), share(5)], FAILS),
        ([share(9), share(5)], CHANCE),  # what is undecided is not refuted
        ([share(9), share(1), share(5)], PARTLY),
        ([share(9), always(True, True)], HOLDS),
        ([share(1), always(True, True)], PARTLY),
        ([share(1), condition(True)], FAILS),  # a condition supports nothing by itself
        ([share(9), condition(False)], FAILS),
        ([condition(True)], HOLDS),
        ([between(0.9, 1.0, 1.1)], HOLDS),
        ([between(0.9, 1.6, 1.7)], CHANCE),  # part of it above the upper bar
        ([between(2.0, 2.1, 2.2)], FAILS),
        ([share(9), always(True, False)], FAILS),  # one failure is a failure
    ],
)
def test_the_rule_from_evidence_to_a_verdict(parts: list[Evidence], verdict: ClaimOutcome) -> None:
    assert combine(parts) == verdict

"""The one rule from measurements to a verdict, by hand."""

from __future__ import annotations

import pytest

from model.claims.records import Evidence, Outcome
from model.claims.verdicts import (
    combine,
    finding,
    judge_all,
    judge_mean,
    judge_ratio,
    judge_share,
    judge_shares,
    judge_some,
)

HOLDS, PARTLY, FAILS = "holds here", "holds partly", "does not hold here"
UNTOLD = "not to be told apart from chance"


def mean(*values: float) -> Evidence:
    return judge_mean("it", values, "runs", above=0.75, partly=0.25)


def share(n: int) -> Evidence:
    return judge_share("it", [True] * n + [False] * (10 - n), "prompts")


def more_than_three_tenths(part: float) -> Evidence:
    return judge_shares("it", part, 0.3, 20, "texts")


@pytest.mark.parametrize(
    ("part", "outcome"),
    [
        (mean(1.0, 1.1, 0.9), HOLDS),
        (mean(0.4, 0.5, 0.6), PARTLY),  # above the lower bar, not above the upper
        (mean(-1.0, -1.1, -0.9), FAILS),
        (mean(0.25, 0.25, 0.25), FAILS),  # no more than the lower bar itself
        (mean(2.0, -2.0, 3.0), UNTOLD),
        (mean(5.0), UNTOLD),  # one value has no interval
        (judge_ratio("it", [2.0, 8.0], [1.0, 1.0], "runs"), UNTOLD),
        (share(9), HOLDS),
        (share(1), FAILS),
        (share(5), UNTOLD),
        (more_than_three_tenths(0.9), HOLDS),
        (more_than_three_tenths(0.35), UNTOLD),
        (more_than_three_tenths(0.0), FAILS),
        (judge_some("it", [True, False, False], "prompts"), HOLDS),  # what can be needs one case
        (judge_some("it", [False], "prompts"), FAILS),
        (judge_all("it", [True, True], "steps"), HOLDS),  # what always is needs all
        (judge_all("it", [True, False, False], "steps"), PARTLY),
        (judge_all("it", [False], "steps"), FAILS),
    ],
)
def test_a_part_is_judged_by_its_whole_interval(part: Evidence, outcome: Outcome) -> None:
    assert part.outcome == outcome


def test_a_ratio_is_a_geometric_mean() -> None:
    assert judge_ratio("it", [2.0, 8.0], [1.0, 1.0], "runs").mean == pytest.approx(4)


@pytest.mark.parametrize(
    ("parts", "outcome"),
    [("ff", FAILS), ("hh", HOLDS), ("hf", PARTLY), ("hu", PARTLY), ("fu", FAILS), ("uu", UNTOLD)],
)
def test_a_claim_of_parts_holds_as_far_as_they_do(parts: str, outcome: Outcome) -> None:
    made = {"h": share(9), "f": share(1), "u": share(5)}
    assert combine([made[part] for part in parts]) == outcome


def test_without_evidence_it_is_by_definition_and_a_reason_is_kept_where_it_is_needed() -> None:
    assert finding("It is so.").outcome == "by definition"
    assert finding("It was so.", share(1), why="Why.").why == "Why."
    assert finding("It is so.", share(9), why="Why.").why == ""

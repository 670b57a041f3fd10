"""The one rule from measurements to a verdict, by hand."""

from __future__ import annotations

import pytest

from model.claims.records import Outcome
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


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ([1.0, 1.1, 0.9], HOLDS),
        ([0.4, 0.5, 0.6], PARTLY),  # above the lower bar, not above the upper
        ([-1.0, -1.1, -0.9], FAILS),
        ([0.25, 0.25, 0.25], FAILS),  # no more than the lower bar itself
        ([2.0, -2.0, 3.0], UNTOLD),
        ([5.0], UNTOLD),  # one value has no interval
    ],
)
def test_a_mean_is_judged_by_its_whole_interval(values: list[float], outcome: Outcome) -> None:
    assert judge_mean("it", values, "runs", above=0.75, partly=0.25).outcome == outcome


def test_a_ratio_is_a_geometric_mean() -> None:
    part = judge_ratio("it", [2.0, 8.0], [1.0, 1.0], "runs")
    assert part.mean == pytest.approx(4)
    assert part.outcome == UNTOLD


@pytest.mark.parametrize(("n", "outcome"), [(9, HOLDS), (1, FAILS), (5, UNTOLD)])
def test_a_share_is_judged_against_its_bar(n: int, outcome: Outcome) -> None:
    assert judge_share("it", [True] * n + [False] * (10 - n), "prompts").outcome == outcome


@pytest.mark.parametrize(("share", "outcome"), [(0.9, HOLDS), (0.35, UNTOLD), (0.0, FAILS)])
def test_two_shares_are_judged_by_their_difference(share: float, outcome: Outcome) -> None:
    assert judge_shares("it", share, 0.3, 20, "texts").outcome == outcome


def test_what_can_be_needs_one_case_and_what_always_is_needs_all() -> None:
    mixed = [True, False, False]
    assert judge_some("it", mixed, "prompts").outcome == HOLDS
    assert judge_some("it", [False], "prompts").outcome == FAILS
    assert judge_all("it", mixed, "steps").outcome == PARTLY
    assert judge_all("it", [True, True], "steps").outcome == HOLDS
    assert judge_all("it", [False], "steps").outcome == FAILS


@pytest.mark.parametrize(
    ("parts", "outcome"),
    [
        ("ff", FAILS),
        ("hh", HOLDS),
        ("hf", PARTLY),
        ("hu", PARTLY),
        ("fu", FAILS),
        ("uu", UNTOLD),
    ],
)
def test_a_claim_of_parts_holds_as_far_as_they_do(parts: str, outcome: Outcome) -> None:
    made = {
        "h": judge_all("it", [True], "steps"),
        "f": judge_all("it", [False], "steps"),
        "u": judge_mean("it", [1.0, -1.0], "steps"),
    }
    assert combine([made[part] for part in parts]) == outcome


def test_without_evidence_it_is_by_definition_and_a_reason_is_kept_where_it_is_needed() -> None:
    assert finding("It is so.").outcome == "by definition"
    failed = finding("It was {n}.", judge_all("it", [False], "steps"), why="Why.", n=(1, "count"))
    assert (failed.outcome, failed.why) == (FAILS, "Why.")
    assert finding("So.", judge_all("it", [True], "steps"), why="Why.").why == ""

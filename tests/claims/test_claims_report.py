"""Findings become words, data and a page, and nothing in them can break out of it."""

from __future__ import annotations

import json

import pytest

from model.claims.records import Evidence, Quantity
from model.claims.verdicts import finding, judge_all, judge_mean, judge_share
from viz.claims.report import (
    LOOKS,
    Row,
    control_words,
    evidence_words,
    outcome_words,
    sentence,
    tally,
    to_html,
    to_json,
    verdict_html,
    words,
)
from viz.palette import colour


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (4096, "count", "4 096"),
        (0.5, "fraction", "50.0 %"),
        (0.012, "seconds", "12.0 ms"),
        (8192, "bytes", "8.19 kB"),
        (-2.5, "nats", "−2.50 nats"),
        (9.8, "ratio", "9.80 times"),
        (5.7e-6, "number", "5.7e-6"),
        (-1.5, "number", "−1.50"),
        ("mat", "text", "mat"),
    ],
)
def test_each_unit_is_written_in_its_way(value: float | str, unit: str, expected: str) -> None:
    written = words(Quantity(value, unit))  # type: ignore[arg-type]  # any of the units
    assert written.replace("\u202f", " ") == expected


GAIN = judge_mean("gain", [0.1, 0.2, 0.3], "stories", "fraction")
OFTEN = judge_share("it came", [True, True, False], "prompts")
TWICE = judge_mean("more", [2.0, 2.0], "stories", "fraction", above=0.25)
STEADY = judge_all("it stayed", [True, True], "steps")


def test_a_sentence_has_its_numbers_its_reason_and_its_control() -> None:
    found = finding(
        "It took {n} steps.",
        judge_all("it ended", [False], "texts"),
        control="without it {n}.",
        why="It ended.",
        n=(3, "count"),
    )
    assert sentence(found) == "It took 3 steps. It ended."
    assert control_words(found) == "Control: without it 3."


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            GAIN,
            "gain: 20.0 % (95 % interval −4.8 % to 44.8 %; n = 3 stories; asked for: above 0.0 %)",
        ),
        (
            OFTEN,
            "it came: 2 of 3 prompts (95 % interval 20.8 % to 93.9 %; asked for: above 50.0 %)",
        ),
        (STEADY, "it stayed: 2 of 2 steps"),
        (
            TWICE,
            "more: 200.0 % (95 % interval 200.0 % to 200.0 %; n = 2 stories; asked for: above "
            "25.0 %)",
        ),
    ],
)
def test_evidence_is_written_with_its_interval_its_n_and_its_bar(
    part: Evidence, expected: str
) -> None:
    assert evidence_words(part).replace("\u202f", " ") == expected


def test_what_chance_may_explain_says_how_little_was_seen() -> None:
    untold = finding("It was so.", GAIN, OFTEN)
    assert outcome_words(untold) == "not to be told apart from chance with n = 3"
    assert outcome_words(finding("It is so.")) == "by definition"


def rows() -> list[Row]:
    bad = finding("<script>alert({n})</script>", STEADY, n=(1, "count"))
    no = finding("No.", judge_all("it stayed", [False], "steps"))
    return [
        Row("C01", "The loop", "One & one.", "computation", bad, 0.5),
        Row("C02", "The loop", "Two.", "learned", no),
        Row("C03", "The loop", "Three.", "definition", None),
    ]


def test_the_tally_counts_what_was_run_and_what_was_not() -> None:
    assert tally(rows()) == "1 holds here, 1 does not hold here, 1 not run"


def test_a_verdict_has_a_sign_a_word_and_a_colour_of_its_own() -> None:
    assert len(set(LOOKS.values())) == len({mark for mark, _ in LOOKS.values()}) == len(LOOKS)
    html = verdict_html(finding("Yes.", STEADY), 0.1)
    assert f'<b style="color:{colour("holds")}">✓ holds here</b>' in html
    mixed = judge_all("it stayed", [True, False], "steps")
    assert " here" not in verdict_html(finding("Once.", STEADY, mixed), 0.1, ", elsewhere")


def test_the_page_shows_words_and_runs_nothing() -> None:
    page = to_html(rows(), {"model": "a<b"})
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "One &amp; one." in page
    assert "a&lt;b" in page


def test_the_data_keeps_numbers_as_numbers() -> None:
    data = json.loads(to_json(rows(), {"model": "x"}))
    assert data["facts"] == {"model": "x"}
    assert data["claims"][0]["finding"]["quantities"]["n"] == {"value": 1, "unit": "count"}
    assert data["claims"][0]["finding"]["evidence"][0]["n"] == 2
    assert data["claims"][2] | {"seconds": 0} == {
        "claim": "C03",
        "section": "The loop",
        "says": "Three.",
        "kind": "definition",
        "seconds": 0,
        "finding": None,
    }

"""Findings become words, data and a page, and nothing in them can break out of it."""

import json
import re

import pytest

from model.claims.records import Evidence, Quantity
from model.claims.verdicts import finding, judge_all, judge_mean, judge_share
from viz.claims.measured_bars import bars_picture
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

GAIN = judge_mean("gain", [0.1, 0.2, 0.3], "stories", "fraction")
OFTEN = judge_share("it came", [True, True, False], "prompts")
TWICE = judge_mean("more", [2.0, 2.0], "stories", "fraction", above=0.25)
STEADY = judge_all("it stayed", [True, True], "steps")
GONE = judge_all("it stayed", [False], "steps")
ROWS = [
    Row("C01", "The loop", "One & one.", "computation",
        finding("<script>alert({n:count})</script>", STEADY, numbers={"n": 1}), 0.5),
    Row("C02", "The loop", "Two.", "learned", finding("No.", GONE)),
    Row("C03", "The loop", "Three.", "definition", None),
]  # fmt: skip


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


def test_a_sentence_has_its_numbers_its_reason_and_its_control() -> None:
    took = finding(
        "It took {n:count} steps and {t:seconds}.",
        GONE,
        control="without it {m:nats}.",
        why="It ended.",
        numbers={"n": 3, "t": [1.0, 1.5, 9.0], "m": [1.0, 3.0]},
    )
    assert sentence(took).replace("\u202f", " ") == "It took 3 steps and 1.50 s. It ended."
    assert control_words(took).replace("\u202f", " ") == "Control: without it 2.00 nats."


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (GAIN, "gain: 20.0 % (95 % interval −4.8 % to 44.8 %; n = 3 stories; asked for: above "),
        (OFTEN, "it came: 2 of 3 prompts (95 % interval 20.8 % to 93.9 %; asked for: above 50.0 %"),
        (STEADY, "it stayed: 2 of 2 steps"),
        (TWICE, "more: 200.0 % (95 % interval 200.0 % to 200.0 %; n = 2 stories; asked for: above"),
    ],
)
def test_evidence_is_written_with_its_interval_its_n_and_its_bar(
    part: Evidence, expected: str
) -> None:
    assert evidence_words(part).replace("\u202f", " ").startswith(expected)


def test_bars_are_as_long_as_their_shares_and_the_last_waits_for_an_answer() -> None:
    bars, line = [("alone", 75), ("after", 63)], ("a quarter more", 94)
    shown, covered = (bars_picture("", bars, line, "", is_covered=it) for it in (False, True))
    widths = [float(share) for share in re.findall(r"width:([\d.]+)%", shown)]
    assert widths == [75, 63], "on the axis that the ticks name"
    ticks = re.findall(r"left:[\d.]+%;translate:-50%\">(\d+)<", shown)
    assert [int(tick) for tick in ticks] == [0, 50, 100]
    (at,) = re.findall(r"dashed [^;]+;left:([\d.]+)%", shown)
    assert float(at) == 94
    assert [picture.count(">?<") for picture in (shown, covered)] == [0, 1]
    assert "63" in shown
    assert "63" not in covered, "nor for who hears it"


def test_what_chance_may_explain_says_how_little_was_seen() -> None:
    untold = finding("It was so.", GAIN, OFTEN)
    assert outcome_words(untold) == "not to be told apart from chance with n = 3"
    assert tally(ROWS) == "1 holds here, 1 does not hold here, 1 by definition"


def test_a_verdict_has_a_sign_a_word_and_a_colour_of_its_own() -> None:
    assert len(set(LOOKS.values())) == len({mark for mark, _ in LOOKS.values()}) == len(LOOKS)
    html = verdict_html(finding("Yes.", STEADY), 0.1)
    assert f'<b style="color:{colour("holds")}">✓ holds here</b>' in html
    mixed = judge_all("it stayed", [True, False], "steps")
    assert " here" not in verdict_html(finding("Once.", STEADY, mixed), 0.1, ", elsewhere")


def test_the_page_shows_words_and_runs_nothing() -> None:
    page = to_html(ROWS, {"model": "a<b"})
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "One &amp; one." in page
    assert "a&lt;b" in page


def test_the_data_keeps_numbers_as_numbers() -> None:
    data = json.loads(to_json(ROWS, {"model": "x"}))
    first, _, last = data["claims"]
    assert data["facts"] == {"model": "x"}
    assert first["finding"]["quantities"]["n"] == {"value": 1, "unit": "count"}
    assert first["finding"]["says"] == "<script>alert({n})</script>"
    assert first["finding"]["evidence"][0]["n"] == 2
    assert (last["claim"], last["says"], last["finding"]) == ("C03", "Three.", None)

"""Findings become words, data and a page, and nothing in them can break out of it."""

from __future__ import annotations

import json

import pytest

from model.claims.records import Finding, Quantity
from viz.claims.report import Row, sentence, tally, to_html, to_json, words


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


def test_a_sentence_has_its_numbers_and_its_reason() -> None:
    found = Finding("holds partly", "It took {n} steps.", {"n": Quantity(3, "count")}, "It ended.")
    assert sentence(found) == "It took 3 steps. It ended."


def rows() -> list[Row]:
    bad = Finding("holds", "<script>alert({n})</script>", {"n": Quantity(1, "count")})
    return [
        Row("C01", "The loop", "One & one.", bad, 0.5),
        Row("C02", "The loop", "Two.", Finding("does not hold", "No.")),
        Row("C03", "The loop", "Three.", None),
    ]


def test_the_tally_counts_what_was_run_and_what_was_not() -> None:
    assert tally(rows()) == "1 holds here, 1 does not hold on this device, 1 not run"


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
    assert data["claims"][2]["finding"] is None

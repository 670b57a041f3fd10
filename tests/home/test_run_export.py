"""A saved run: every number in it, and any text in it."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.home.sample_runs import make_run
from viz.format import FORMULA_STARTS, guard
from viz.home.run_export import CSV_COLUMNS, to_csv, to_json

TEXTS = st.lists(st.text(st.characters(), min_size=1, max_size=8), min_size=1, max_size=4)


def strict(text: str) -> Any:
    """Parses JSON as the standard has it: without NaN and Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_table_has_one_row_per_step_and_the_records_own_numbers() -> None:
    run = make_run()
    rows = rows_of(to_csv(run))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert len(rows) == len(run.steps)
    for row, step in zip(rows, run.steps, strict=True):
        assert (int(row["position"]), int(row["id"])) == (step.position, step.token_id)
        assert float(row["prob"]) == step.prob
        assert float(row["logprob"]) == step.logprob
        assert float(row["coin"]) == step.coin
        assert float(row["seconds"]) == step.seconds
        assert int(row["cache_bytes"]) == step.cache_bytes
        assert row["forced"] == str(step.forced)
    assert [row["label"] for row in rows] == ["␣mat", ".", "⏎", "␣hat"]
    assert rows[0]["text"] == " mat"


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_no_text_begins_like_a_formula(start: str) -> None:
    run = make_run((f"{start}HYPERLINK(1)",))
    row = rows_of(to_csv(run))[0]
    assert row["label"] == row["text"] == f"'{start}HYPERLINK(1)"


def test_other_text_is_left_alone() -> None:
    assert [guard(text) for text in ("a=b", "", " =1", "'")] == ["a=b", "", " =1", "'"]


@given(TEXTS)
def test_any_text_survives_the_table_as_one_cell(labels: list[str]) -> None:
    run = make_run(labels)
    text = to_csv(run)
    text.encode("utf-8")
    rows = rows_of(text)
    assert [row["label"] for row in rows] == [guard(label) for label in labels]
    assert all(set(row) == set(CSV_COLUMNS) for row in rows)


def test_json_holds_what_it_takes_to_write_the_text_again() -> None:
    run = make_run()
    saved = strict(to_json(run))
    assert (saved["schema"], saved["schema_version"]) == ("one-token-at-a-time/run", 3)
    assert saved["model"] == {"name": "storyteller", "device": "cpu", "dtype": "float32"}
    assert saved["seed"] == 7
    assert saved["prompt"]["text"] == "The cat sat"
    assert saved["prompt"]["ids"] == [0, 5, 6]
    assert [step["id"] for step in saved["steps"]] == [step.token_id for step in run.steps]
    assert saved["forced"] == {"6": 12}
    assert saved["steps"][0]["settings"]["top_p"] == 0.7
    assert saved["versions"]["torch"] == "2.13.0"
    assert saved["cache"]["bytes_per_token"] == 256
    assert saved["logprob"] == run.logprob


def test_json_keeps_the_candidates_of_every_stage() -> None:
    step = strict(to_json(make_run()))["steps"][1]
    assert step["stages"] == ["raw", "temperature", "top_p"]
    assert step["candidates"][0] == {
        "id": 10,
        "label": "␣w0",
        "logit": math.log(0.5),
        "probs": [0.5, 0.5, 0.75],
        "kept": [True, True, True],
    }
    for stage, rest in enumerate(step["other_probs"]):
        shown = sum(row["probs"][stage] for row in step["candidates"])
        assert shown + rest == pytest.approx(1, abs=1e-12)


def test_rounding_is_not_taken_for_mass() -> None:
    run = make_run()
    first, *others = run.steps[1].candidates
    step = replace(
        run.steps[1], candidates=(replace(first, probs=(0.5, 0.5, 0.75 - 1e-16)), *others)
    )
    saved = strict(to_json(replace(run, steps=(run.steps[0], step, *run.steps[2:]))))
    assert saved["steps"][1]["other_probs"][-1] == 0.0


def test_numbers_that_are_not_finite_are_null() -> None:
    run = make_run()
    step = replace(run.steps[0], logprob=-math.inf, prob=0.0)
    saved = strict(to_json(replace(run, steps=(step, *run.steps[1:]), logprob=-math.inf)))
    assert saved["logprob"] is None
    assert saved["steps"][0]["logprob"] is None


def test_numpy_numbers_are_written_as_numbers() -> None:
    run = make_run()
    step = replace(run.steps[0], rank=np.int64(3), prob=np.float64(0.2), forced=np.bool_(True))  # type: ignore[arg-type]  # what a careless engine hands over
    saved = strict(to_json(replace(run, steps=(step, *run.steps[1:]))))["steps"][0]
    assert (saved["rank"], saved["prob"], saved["forced"]) == (4, 0.2, True)


def test_what_json_cannot_hold_is_refused_by_name() -> None:
    run = replace(make_run(), settings=[{"order": {1, 2}}] * 4)
    with pytest.raises(TypeError, match="A set has no place in a saved run"):
        to_json(run)


def test_settings_may_be_unknown() -> None:
    saved = strict(to_json(replace(make_run(), settings=())))
    assert {step["settings"] for step in saved["steps"]} == {None}


@given(TEXTS, st.text(st.characters()))
def test_any_text_survives_json(labels: list[str], prompt: str) -> None:
    run = make_run(labels, prompt=prompt)
    written = to_json(run)
    assert written.isascii()
    saved = strict(written)
    assert [step["label"] for step in saved["steps"]] == labels
    assert saved["prompt"]["pieces"][1]["label"] == prompt


def test_a_run_without_steps_is_saved_too() -> None:
    run = make_run(())
    assert rows_of(to_csv(run)) == []
    assert strict(to_json(run))["steps"] == []

"""A saved run: every number in it, and any text in it."""

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.generation import Generation
from model.records import RunRecord
from pages.home.controls import Controls
from pages.home.files import Draw, SavedRun
from tests.tiny_models import tiny
from viz.format import FORMULA_STARTS, guard
from viz.home.run_export import CSV_COLUMNS, SCHEMA_VERSION, to_csv, to_json

TEXTS = st.lists(st.text(st.characters(), min_size=1, max_size=8), min_size=1, max_size=4)
FORCED = 42


def a_run_of(n_tokens: int) -> RunRecord:
    """A run of some steps, the last forced."""
    text = Generation(tiny("llama"), "the cat", seed=7)
    draws = [Draw(7, Controls(), forced=i == n_tokens - 1) for i in range(n_tokens)]
    for draw in draws:
        text.step(draw.controls.settings(), token_id=FORCED if draw.forced else None)
    link = "model=llama&prompt=the+cat&seed=7"
    return SavedRun(text, draws, text.last_pass, "the cat", chat=False, link=link).record


@cache
def a_run() -> RunRecord:
    """A run of four steps, the last forced."""
    return a_run_of(4)


def with_texts(labels: Sequence[str], prompt: str = "the cat") -> RunRecord:
    """That run, as long as there are labels, with these in place of its own texts."""
    run, n_prompt = a_run(), len(a_run().prompt_ids)
    pieces = [replace(piece, label=prompt) for piece in run.pieces[:n_prompt]]
    written = zip(run.pieces[n_prompt:], labels, strict=False)
    pieces += [replace(piece, label=text, joined=text) for piece, text in written]
    steps = [replace(step, text=text) for step, text in zip(run.steps, labels, strict=False)]
    settings = (run.settings or [])[: len(labels)]
    return replace(run, prompt=prompt, pieces=tuple(pieces), steps=tuple(steps), settings=settings)


def strict(text: str) -> Any:
    """Parses JSON as the standard has it: without NaN and Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_table_has_one_row_per_step_and_the_records_own_numbers() -> None:
    run = a_run()
    rows = rows_of(to_csv(run))
    assert tuple(rows[0]) == CSV_COLUMNS
    for row, step in zip(rows, run.steps, strict=True):
        assert (int(row["position"]), int(row["id"])) == (step.position, step.token_id)
        for name in ("prob", "logprob", "pointer", "seconds", "cache_bytes"):
            assert float(row[name]) == getattr(step, name)
        assert int(row["rank"]) == step.rank + 1
        assert row["forced"] == str(step.forced)


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_no_text_begins_like_a_formula(start: str) -> None:
    row = rows_of(to_csv(with_texts([f"{start}HYPERLINK(1)"])))[0]
    assert row["label"] == row["text"] == f"'{start}HYPERLINK(1)"
    assert [guard(text) for text in ("a=b", "", " =1", "'")] == ["a=b", "", " =1", "'"]


@given(TEXTS, st.text(st.characters()))
def test_any_text_survives_in_both(labels: list[str], prompt: str) -> None:
    run = with_texts(labels, prompt)
    table, written = to_csv(run), to_json(run)
    table.encode("utf-8")
    assert written.isascii()
    rows = rows_of(table)
    assert [row["label"] for row in rows] == [guard(label) for label in labels]
    assert all(set(row) == set(CSV_COLUMNS) for row in rows)
    saved = strict(written)
    assert [step["label"] for step in saved["steps"]] == labels
    assert saved["prompt"]["pieces"][0]["label"] == saved["prompt"]["text"] == prompt


def test_json_holds_what_it_takes_to_write_the_text_again_and_what_was_seen() -> None:
    run = a_run()
    saved = strict(to_json(run))
    assert (saved["schema"], saved["schema_version"]) == ("one-token-at-a-time/run", SCHEMA_VERSION)
    assert saved["model"] == {"name": run.model, "device": "CPU", "dtype": "float32"}
    for name in ("seed", "logprob", "link", "versions"):
        assert saved[name] == getattr(run, name)
    assert saved["prompt"]["ids"] == list(run.prompt_ids)
    assert [step["id"] for step in saved["steps"]] == [step.token_id for step in run.steps]
    assert saved["forced"] == {str(run.steps[3].position): FORCED}
    assert saved["cache"]["bytes_per_token"] == run.cache_shape.bytes_per_token
    for step, shown in zip(run.steps, saved["steps"], strict=True):
        assert shown["settings"]["top_p"] == 0.9
        assert shown["stages"] == list(step.stage_names)
        for row, candidate in zip(shown["candidates"], step.candidates, strict=True):
            assert (row["id"], row["logit"]) == (candidate.token_id, candidate.logit)
            assert (row["probs"], row["kept"]) == (list(candidate.probs), list(candidate.kept))
        for stage, rest in enumerate(shown["other_probs"]):
            mass = sum(row["probs"][stage] for row in shown["candidates"])
            assert mass + rest == pytest.approx(1, abs=1e-12)


def test_what_a_careless_engine_hands_over_is_written_as_json_has_it() -> None:
    run = a_run()
    step, *others = run.steps
    best, *rows = step.candidates
    last = 1 - math.fsum(row.probs[-1] for row in rows) - 1e-16  # rounding is not taken for mass
    careless: dict[str, Any] = {"rank": np.int64(3), "prob": np.float64(0.2), "logprob": -math.inf}
    careless["candidates"] = (replace(best, probs=(*best.probs[:-1], last)), *rows)
    changed = replace(run, steps=(replace(step, **careless), *others), logprob=math.nan)
    saved = strict(to_json(replace(changed, settings=())))
    first = saved["steps"][0]
    assert (first["rank"], first["prob"], first["logprob"], saved["logprob"]) == (
        4,
        0.2,
        None,
        None,
    )
    assert first["other_probs"][-1] == 0.0
    assert {shown["settings"] for shown in saved["steps"]} == {None}
    with pytest.raises(TypeError, match="A set has no place in a saved run"):
        to_json(replace(run, settings=[{"order": {1, 2}}] * 4))


def test_a_run_without_steps_is_saved_too() -> None:
    run = a_run_of(0)
    assert rows_of(to_csv(run)) == []
    assert strict(to_json(run))["steps"] == []

"""Tables say what the records say, in columns that keep their types."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from tests.home.sample_runs import make_piece, make_run, make_step, make_steps
from viz.tables import (
    PIECE_COLUMNS,
    STEP_COLUMNS,
    cache_entry,
    candidates_table,
    other_probs,
    pieces_table,
    steps_table,
)


def test_the_worked_table_reads_as_c06_says() -> None:
    run = make_run(("␣mat", "."))
    table = steps_table(run.steps, run.pieces[:3])
    assert list(table["input"]) == ["<|endoftext|>The cat␣sat", "␣mat"]
    assert list(table["new cache entry"]) == ["K, V of 0 to 2", "K, V of 3"]
    assert list(table["phase"]) == ["prefill", "decode"]
    assert list(table["top prediction"]) == ["␣w0", "␣w0"]
    assert list(table["chosen"]) == ["␣mat", "."]
    assert list(table["cache (bytes)"]) == [768, 1024]


def test_fractions_stay_fractions_and_seconds_seconds() -> None:
    row = steps_table(make_steps(1), make_run().pieces[:3]).iloc[0]
    assert (row["prob"], row["top prob"], row["pass (s)"]) == (0.2, 0.5, 0.006)


def test_a_pass_that_filled_the_cache_again_read_the_whole_text() -> None:
    run = make_run(("␣mat", "."))
    again = replace(run.steps[1], phase="prefill", n_input=4, cache_tokens=4)
    table = steps_table([run.steps[0], again], run.pieces[:3])
    assert table["input"][1] == "<|endoftext|>The cat␣sat␣mat"
    assert table["new cache entry"][1] == "K, V of 0 to 3"


def test_a_model_without_a_cache_gains_no_entry() -> None:
    assert cache_entry(replace(make_step(0), cache_tokens=0, cache_bytes=0)) == "none"


@pytest.mark.parametrize("n", [0, 1, 5])
def test_types_hold_with_and_without_rows(n: int) -> None:
    table = steps_table(make_steps(n), [make_piece(i, "␣x") for i in range(6)])
    assert len(table) == n
    assert {name: str(kind) for name, kind in table.dtypes.items()} == STEP_COLUMNS
    pieces = pieces_table([make_piece(i, "␣x") for i in range(n)])
    assert {name: str(kind) for name, kind in pieces.dtypes.items()} == PIECE_COLUMNS


def test_each_stage_of_the_candidates_sums_to_one() -> None:
    table = candidates_table(make_step(1))
    for name in ("prob: raw", "prob: temperature", "prob: top_p"):
        assert table[name].sum() == pytest.approx(1, abs=1e-15)
    last = table.iloc[-1]
    assert last["token"] == "all other tokens (4092)"
    assert last["prob: raw"] == pytest.approx(0.15)
    assert last["id"] is pd.NA
    assert list(table["kept: top_p"])[:4] == [True, True, False, False]


def test_rounding_is_not_taken_for_mass() -> None:
    step = make_step(1)
    assert other_probs(step)[-1] == 0.0
    nearly = replace(step.candidates[0], probs=(0.5, 0.5, 0.75 - 1e-16))
    assert other_probs(replace(step, candidates=(nearly, *step.candidates[1:])))[-1] == 0.0


def test_a_vocabulary_that_is_all_shown_has_no_other_tokens() -> None:
    step = make_step(1)
    whole = replace(step, distribution=replace(step.distribution, n_vocab=4))
    assert len(candidates_table(whole)) == 4


def test_the_chosen_token_bears_its_true_rank() -> None:
    step = make_step(1)
    far = replace(step, rank=900, token_id=step.candidates[3].token_id)
    assert list(candidates_table(far)["rank"])[:4] == [0, 1, 2, 900]


def test_pieces_show_bytes_in_hex_and_what_they_complete() -> None:
    stray = make_piece(9, "<0xA9>", "é")
    table = pieces_table([make_piece(1, "␣the"), replace(stray, data=b"\xa9")])
    assert list(table["bytes (hex)"]) == ["20 74 68 65", "a9"]
    assert list(table["joined"]) == [" the", "é"]
    assert list(table["word start"]) == [True, False]

"""The diffusion lesson's figures show the records' own numbers, and their words are data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from model.diffusion.records import (
    Clashes,
    DecodingRun,
    DenoiseHistory,
    Sheet,
    Sweep,
)
from tests.charts.drawn_charts import as_json, checked, column
from viz.diffusion.decoding_charts import (
    MEASURES,
    means_of,
    runs_figure,
    sweep_figure,
    sweep_table,
    tokens_a_pass,
)
from viz.diffusion.history_chart import history_figure
from viz.diffusion.sheet import sheet_html, sheet_words

NASTY = ("<b>bold</b>", "$x$", "<script>", "␣the")
NAN = float("nan")
CLASHES = Clashes(-3.0, -1.0, 2, 0.25, 3, 1, 0.5)
SHEET = Sheet(
    labels=("␣Once", *NASTY, "."),
    given=(True, False, False, False, False, True),
    filled_in=(0, 1, 2, 0, 2, 0),
    confidence=np.array([NAN, 0.5, 0.25, 0.125, 0.75, NAN]),
    n_passes=2,
    n_planned=4,
)


def run(n_passes: int = 8, name: str = "<b>loop</b>", **changes: Any) -> DecodingRun:
    seconds, left = (0.002,) * n_passes, None if n_passes == 1 else 0.75
    values = {"clashes": CLASHES, "left_first": left} | changes
    return DecodingRun(name, 8, seconds, "$5 <i>was</i>", **values)


def history(n_rows: int, length: int = 4) -> DenoiseHistory:
    confidence = np.full((n_rows, length), 0.5)
    filled_in = np.zeros(length, dtype=np.int64)
    for row in range(n_rows):
        filled_in[row] = row + 1
        confidence[row + 1 :, row] = np.nan
    labels = tuple(NASTY[i % 4] for i in range(length))
    return DenoiseHistory(confidence, filled_in, (labels,) * n_rows, labels, 4)


def test_a_sheet_escapes_its_labels_and_names_each_cell() -> None:
    page = sheet_html(SHEET)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    kinds = [page.count(f'class="cell {kind}"') for kind in ("given", "open", "set", "set new")]
    assert kinds == [2, 1, 1, 2], "filled in the last pass"
    assert page.count('role="listitem"') == 6, "each can be heard"
    assert "--sure:12.5%" in page
    assert "3 of 4 positions filled, 1 still masked" in sheet_words(SHEET)


def test_an_untouched_sheet_shows_masks_and_a_check_its_clashes() -> None:
    blank = Sheet(("a", "b"), (True, False), (0, 0), np.array([NAN, NAN]), 0, 2)
    assert ">mask<" in sheet_html(blank)
    probs = np.array([NAN, 0.5, 0.002, NAN, 0.02, NAN])
    checked = replace(SHEET, filled_in=(0, 1, 2, 1, 2, 0), leave_one_out=probs)
    page = sheet_html(checked)
    assert page.count("checked clash") == 1
    assert "leave-one-out 0.20\u202f%" in page
    assert "gives 1 token " in sheet_words(checked)


@pytest.mark.parametrize("length", [4, 100])
def test_a_history_is_dark_where_it_was_filled_before(length: int) -> None:
    chart = history_figure(history(2, length))
    text = as_json(checked(chart))
    assert "<b>bold" not in text
    assert "&lt;script&gt;" in text
    shades = np.array(checked(chart).data[0].z)
    assert shades.shape == (2, length)
    assert shades[1, 0] == 1 > shades[0, 0]
    framed = checked(chart).data[1]
    assert (list(framed.x), list(framed.y)) == ([0, 1], [1, 2])
    assert list(checked(chart).layout.yaxis.range) == [4.5, 0.5], "room for the passes to come"
    assert "first pass: 50.0\u202f%" in chart.caption


@pytest.mark.parametrize("measure", MEASURES)
def test_a_sweep_draws_means_over_passes_and_the_loop(measure: str) -> None:
    fills = tuple(run(n, place) for n in (1, 2, 8) for place in ("between", "empty"))
    chart = sweep_figure(Sweep(fills, run(8, left_first=1.0)), measure)
    names = {trace.name for trace in checked(chart).data if trace.name}
    assert names == {"between", "empty", "one token at a time"}
    if measure == "seconds":
        assert "2.0\u202fms in 1 pass and 16.0\u202fms in 8" in chart.caption
        assert "16.0\u202fms where the loop" in chart.caption
    if measure == "clashes":
        assert "37.5\u202f%" in chart.caption
    assert means_of([(4, 1.0), (1, 5.0), (4, 3.0)]) == {1: 5.0, 4: 2.0}


def test_the_table_has_a_row_for_each_fill_and_one_for_the_loop() -> None:
    unchecked = Clashes(-3.0, None, 0, 0.0, None, 0, None)
    table = sweep_table(Sweep((run(1), run(8, clashes=unchecked)), run(8, left_first=1.0)))
    assert column(table, "clashes") == ["3 of 8", "", "3 of 8"]
    assert column(table, "left first") == ["", "75.0\u202f%", "100\u202f%"]
    assert column(table, "of the end")[1] == ""


def test_each_pass_of_each_way_is_a_piece_as_long_as_it_took() -> None:
    chart = runs_figure([run(8), run(2)], "cpu, float32")
    first, second = checked(chart).data
    assert len(first.x) == 8
    assert list(second.base) == [0, 2]
    bars = [note.text for note in checked(chart).layout.annotations]
    name = "&lt;b&gt;loop&lt;/b&gt;"
    assert bars == [f"{name}: 8 passes, 16.0\u202fms", f"{name}: 2 passes, 4.0\u202fms"]
    assert [tokens_a_pass(run(n)) for n in (8, 2)] == ["1 token", "4.0 tokens"]

"""The diffusion lesson's figures show the records' own numbers, in both themes and at odd sizes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from model.diffusion.records import (
    Clashes,
    DecodingRun,
    DenoiseHistory,
    Fill,
    Segment,
    Sheet,
    Sweep,
    TwoCaches,
)
from viz.chart import Chart
from viz.diffusion.denoise_grid import sheet_html, sheet_style, sheet_words
from viz.diffusion.fill_charts import MEASURES, history_figure, means_of, sweep_figure, sweep_table
from viz.diffusion.gap_text import gap_text_html
from viz.diffusion.race_chart import runs_figure
from viz.diffusion.two_caches import bytes_figure, caches_figure
from viz.palette import THEMES, Theme, colour

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


def fill(n_passes: int, place: str = "between", **changes: Any) -> Fill:
    values = {
        "place": place,
        "n_passes": n_passes,
        "n_tokens": 8,
        "seed": 0,
        "seconds": 0.01 * n_passes,
        "left_first": None if n_passes == 1 else 0.75,
        "clashes": CLASHES,
        "text": "$5 <i>was</i>",
        "sheet": SHEET,
    }
    return Fill(**{**values, **changes})


def run(n_passes: int = 8) -> DecodingRun:
    return DecodingRun("storyteller, <b>loop</b>", 8, (0.002,) * n_passes, "a text", CLASHES)


def history(n_rows: int, length: int = 4) -> DenoiseHistory:
    confidence = np.full((n_rows, length), 0.5)
    filled_in = np.zeros(length, dtype=np.int64)
    for row in range(n_rows):
        filled_in[row] = row + 1
        confidence[row + 1 :, row] = np.nan
    labels = tuple(NASTY[i % 4] for i in range(length))
    return DenoiseHistory(confidence, filled_in, (labels,) * n_rows, labels, 4)


def caches(n_written: int) -> TwoCaches:
    return TwoCaches(
        cross=np.ones((2, 3, 5 if n_written else 0), dtype=np.float32),
        own=np.ones((2, 3, n_written), dtype=np.float32),
        source_labels=(*NASTY, "."),
        written_labels=tuple(NASTY[i % 4] for i in range(n_written)),
        cross_bytes=(0, *[500] * n_written),
        own_bytes=tuple(100 * n for n in range(n_written + 1)),
        seconds=(0.003, *[0.001] * n_written),
        n_encoder_passes=1,
        drift=0.0,
    )


def drawn(chart: Chart) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(chart.figure.to_json())
    assert chart.caption
    assert chart.alt
    return spec


def is_clean(chart: Chart) -> bool:
    """No label of the records reached the figure as markup."""
    spec = json.dumps(drawn(chart))  # plotly's own JSON hides "<" as an escape
    return "<script>" not in spec and "<b>bold" not in spec and "&lt;script&gt;" in spec


@pytest.mark.parametrize("theme", THEMES)
def test_a_sheet_escapes_its_labels_and_names_each_cell(theme: Theme) -> None:
    page = sheet_html(SHEET)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert page.count('class="cell given"') == 2
    assert page.count('class="cell open"') == 1
    assert page.count('class="cell set"') == 1
    assert page.count('class="cell set new"') == 2, "filled in the last pass"
    assert "--sure:12.5%" in page
    assert "4 still masked" not in page
    assert "3 of 4 positions filled, 1 still masked" in sheet_words(SHEET)
    assert colour("stage", theme) in sheet_style(theme)
    assert "--sure" in sheet_style(theme)


def test_an_untouched_sheet_shows_masks_and_a_check_its_clashes() -> None:
    blank = Sheet(("a", "b"), (True, False), (0, 0), np.array([NAN, NAN]), 0, 2)
    assert ">mask<" in sheet_html(blank)
    probs = np.array([NAN, 0.5, 0.002, NAN, 0.02, NAN])
    looked = Sheet(
        SHEET.labels, SHEET.given, (0, 1, 2, 1, 2, 0), SHEET.confidence, 2, 2, leave_one_out=probs
    )
    page = sheet_html(looked)
    assert page.count("checked clash") == 1
    assert "leave-one-out 0.20\u202f%" in page
    assert "gives 1 token " in sheet_words(looked)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("length", [4, 100])
def test_a_history_is_dark_where_it_was_filled_before(theme: Theme, length: int) -> None:
    chart = history_figure(history(2, length), theme)
    drawn(chart)
    assert is_clean(chart)
    shades = np.array(chart.figure.data[0].z)
    assert shades.shape == (2, length)
    assert shades[1, 0] == 1
    assert shades[0, 0] < 1
    framed = chart.figure.data[1]
    assert (list(framed.x), list(framed.y)) == ([0, 1], [1, 2])
    assert list(chart.figure.layout.yaxis.range) == [4.5, 0.5], "room for the passes to come"
    assert "first pass: 50.0\u202f%" in chart.caption


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("measure", MEASURES)
def test_a_sweep_draws_means_over_passes_and_the_loop(measure: str, theme: Theme) -> None:
    fills = tuple(fill(n, place) for n in (1, 2, 8) for place in ("between", "empty"))
    chart = sweep_figure(Sweep(fills, run()), measure, theme)
    spec = drawn(chart)
    lines = {line["name"]: line for line in spec["data"] if line.get("name")}
    assert set(lines) == {"between", "empty", "one token at a time"}
    if measure == "seconds":
        assert "10.0\u202fms in 1 pass and 80.0\u202fms in 8" in chart.caption
        assert "16.0\u202fms where the loop" in chart.caption
    if measure == "clashes":
        assert "37.5\u202f%" in chart.caption


def test_means_are_over_fills_with_as_many_passes() -> None:
    assert means_of([(4, 1.0), (1, 5.0), (4, 3.0)]) == {1: 5.0, 4: 2.0}


def test_the_table_has_a_row_for_each_fill_and_one_for_the_loop() -> None:
    unchecked = Clashes(-3.0, None, 0, 0.0, None, 0, None)
    table = sweep_table(Sweep((fill(1), fill(8, clashes=unchecked)), run()))
    assert len(table) == 3
    assert table["clashes"].tolist() == ["3 of 8", "", "3 of 8"]
    assert table["left first"].tolist() == ["", "75.0\u202f%", "100\u202f%"]
    assert table["of the end"].tolist()[1] == ""


@pytest.mark.parametrize("theme", THEMES)
def test_each_pass_of_each_way_is_a_piece_as_long_as_it_took(theme: Theme) -> None:
    chart = runs_figure([run(8), run(2)], "cpu, float32", theme)
    assert "&lt;b&gt;loop" in json.dumps(drawn(chart))
    assert "<b>loop" not in json.dumps(chart.figure.to_dict()["layout"], default=str)
    first, second = chart.figure.data
    assert len(first.x) == 8
    assert list(second.base) == [0, 2]
    bars = [note.text for note in chart.figure.layout.annotations]
    assert [bar.partition(": ")[2] for bar in bars] == [
        "8 passes, 16.0\u202fms",
        "2 passes, 4.0\u202fms",
    ]
    assert "4.0 tokens a pass" in chart.alt
    assert "8 passes, 16.0\u202fms, 1 token a pass" in chart.alt


@pytest.mark.parametrize("theme", THEMES)
def test_a_gap_is_a_box_and_its_text_is_data(theme: Theme) -> None:
    pieces = (
        Segment("a <b>", "given"),
        Segment(" <i>dog", "written"),
        Segment(" ___", "open"),
        Segment(".", "given"),
    )
    markup = gap_text_html(pieces, theme)
    assert markup.count("<span") == 2
    assert "a &lt;b&gt; <span" in markup, "the space stands before the box"
    assert "&lt;i&gt;dog</span>" in markup
    begun = gap_text_html([Segment("the", "given"), Segment("", "written")], theme)
    assert "the <span" in begun
    assert "\u00a0</span>" in begun
    assert f"dashed {colour('rejected', theme)}" in markup
    assert f"solid {colour('generated', theme)}" in markup


@pytest.mark.parametrize("theme", THEMES)
def test_two_caches_have_a_column_for_each_token(theme: Theme) -> None:
    chart = caches_figure(caches(3), theme)
    drawn(chart)
    assert is_clean(chart)
    left, right = chart.figure.data[:2]
    assert np.array(left.z).shape == (6, 5)
    assert np.array(right.z).shape == (6, 3)
    assert "changed not by a bit" in chart.caption
    assert "the encoder ran once" in chart.caption
    assert "300\u202fB, 100\u202fB for each step" in bytes_figure(caches(3), theme).caption
    sizes = bytes_figure(caches(3), theme).figure.data
    assert list(sizes[0].y) == [0, 500, 500, 500]
    assert list(sizes[1].y) == [0, 100, 200, 300]

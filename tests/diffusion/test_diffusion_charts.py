"""The diffusion lesson's figures show the records' own numbers, and their words are data."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.clash import LIKELY, is_clash_of_two_words, sheet_of_seed
from model.diffusion.experiments import BETWEEN, EMPTY
from model.diffusion.records import DecodingRun, DenoiseHistory, Sheet, Sweep
from model.loading import load_model
from pages.lessons.diffusion.settings import FIRST_SEED, SETTINGS
from tests.charts.drawn_charts import as_json, checked, column, recorded
from viz.diffusion.decoding_charts import (
    MEASURES,
    means_of,
    runs_figure,
    sweep_figure,
    sweep_table,
    tokens_a_pass,
)
from viz.diffusion.history_chart import history_figure
from viz.diffusion.sheet import key_html, sheet_html, sheet_words

NASTY = ("<b>bold</b>", "$x$", "<script>", "␣the")
NAN = float("nan")
SWEEP = recorded("diffusion_sweep", Sweep)
RUNS = recorded("diffusion_race", tuple[DecodingRun, ...])
SHEET = Sheet(
    labels=("␣Once", *NASTY, "."),
    given=(True, False, False, False, False, True),
    filled_in=(0, 1, 2, 0, 2, 0),
    confidence=np.array([NAN, 0.5, 0.25, 0.125, 0.75, NAN]),
    n_passes=2,
    n_planned=4,
)


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
    kinds = [page.count(f'class="cell {kind}"') for kind in ("open", "set", "set new")]
    assert kinds == [1, 1, 2], "filled in the last pass"
    assert page.count('class="given"') == 2
    assert page.count('role="listitem"') == 6, "each can be heard"
    assert "open" in key_html(SHEET)
    assert "3 of 4 positions filled, 1 still masked" in sheet_words(SHEET)


def test_an_untouched_sheet_shows_masks_and_a_check_its_clashes() -> None:
    blank = Sheet(("a", "b"), (True, False), (0, 0), np.array([NAN, NAN]), 0, 2)
    assert ">a</span>" in sheet_html(blank)
    assert 'class="cell open"' in sheet_html(blank)
    probs = np.array([NAN, 0.5, 0.002, NAN, 0.02, NAN])
    checked = replace(SHEET, filled_in=(0, 1, 2, 1, 2, 0), leave_one_out=probs)
    page = sheet_html(checked)
    assert page.count('set clash"') == 1
    assert "1 of 4 clash" in key_html(checked)
    assert "leave-one-out 0.20\u202f%" in page
    assert "gives 1 token " in sheet_words(checked)


def test_two_neighbours_of_one_pass_that_both_clash_are_joined() -> None:
    probs = np.array([NAN, 0.5, 0.002, 0.003, 0.5, NAN])
    pair = replace(SHEET, filled_in=(0, 1, 2, 2, 1, 0), leave_one_out=probs)
    assert (pair.clashing_pair, pair.n_clashes) == (2, 2)
    page = sheet_html(pair)
    assert page.index('set clash joined"') < page.index('set clash join"')
    assert "$x$" in key_html(pair)
    assert "&lt;script&gt;" in key_html(pair), "a label is data"
    for filled_in in ((0, 1, 2, 1, 2, 0), (0, 2, 1, 2, 1, 0)):  # in two passes
        apart = replace(pair, filled_in=filled_in)
        assert apart.clashing_pair is None
        assert "join" not in sheet_html(apart)
        assert "2 of 4 clash" in key_html(apart)
    far = replace(pair, leave_one_out=np.array([NAN, 0.002, 0.5, 0.003, 0.5, NAN]))
    assert far.clashing_pair is None
    assert SHEET.clashing_pair is None, "an unchecked sheet has none"


def test_the_page_opens_on_a_clash_of_two_words_and_nothing_else() -> None:
    lm = load_model(SETTINGS.default_model, device="cpu")
    sheet = sheet_of_seed(lm, FIRST_SEED)
    assert is_clash_of_two_words(sheet)
    assert not is_clash_of_two_words(sheet_of_seed(lm, FIRST_SEED + 1))
    place = sheet.clashing_pair
    assert place is not None
    labels = list(sheet.labels)
    labels[place] = "."
    assert not is_clash_of_two_words(replace(sheet, labels=tuple(labels))), "no word"
    unlikely = np.where(np.arange(len(labels)) == place, LIKELY / 2, sheet.confidence)
    assert not is_clash_of_two_words(replace(sheet, confidence=unlikely)), "it never fitted"


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
    lines = {trace.name: list(trace.y) for trace in checked(sweep_figure(SWEEP, measure)).data}
    of = MEASURES[measure].of
    for place in (BETWEEN, EMPTY):  # by one seed, so that each is its own mean
        values = [of(fill) for fill in SWEEP.fills if fill.name == place]
        assert lines[place] == [value for value in values if value is not None]
    assert lines["one token at a time"] == [of(SWEEP.loop)] * 2
    assert means_of([(4, 1.0), (1, 5.0), (4, 3.0)]) == {1: 5.0, 4: 2.0}


def test_the_table_has_a_row_for_each_fill_and_one_for_the_loop() -> None:
    first = SWEEP.fills[0]
    unknown = replace(first.clashes, n_clashes=None, ending_logprob=None)
    table = sweep_table(replace(SWEEP, fills=(first, replace(first, clashes=unknown))))
    known = [f"{run.clashes.n_clashes} of {run.n_tokens}" for run in (first, SWEEP.loop)]
    assert column(table, "clashes") == [known[0], "", known[1]]
    assert column(table, "left first") == ["", "", "100\u202f%"], "one pass has no order"
    assert column(table, "of the end")[1] == ""


def test_each_pass_of_each_way_is_a_piece_as_long_as_it_took() -> None:
    runs = [replace(run, name="<b>way</b>") for run in RUNS]
    drawn = checked(runs_figure(runs, "cpu, float32"))
    for bars, note, run in zip(drawn.data, drawn.layout.annotations, runs, strict=True):
        assert list(bars.x) == [1000 * seconds for seconds in run.pass_seconds]
        assert bars.base[-1] + bars.x[-1] == pytest.approx(1000 * run.seconds)
        assert note.text.startswith(f"&lt;b&gt;way&lt;/b&gt;: {run.n_passes} passes")
    loop, _, passes = runs
    assert tokens_a_pass(loop) == "1 token"
    assert tokens_a_pass(passes) == f"{passes.n_tokens / passes.n_passes:.1f} tokens"

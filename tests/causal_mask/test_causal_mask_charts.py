"""The figures of the mask's lesson show the records' own numbers, in both themes, as plain data."""

import numpy as np
import pytest

from model.causal_mask.records import (
    AttentionMaps,
    Edit,
    Leak,
    Losses,
    ParallelCheck,
    Shift,
    TrainingMoment,
)
from tests.charts.drawn_charts import as_json, checked
from viz.causal_mask.attention_map import attention_figure, heads_figure
from viz.causal_mask.edit_charts import divergence_figure, edit_figure, leak_figure, shifts_figure
from viz.causal_mask.loss_chart import loss_figure, race_figure, surprise_html, training_figure
from viz.palette import colour

MOMENTS = (TrainingMoment(0, 1.5, 1.4, 1.5), TrainingMoment(1, 1.6, 0.7, 2.5))
SHIFTS = (Shift("␣girl", 0.9, 0.1), Shift("<script>", 0.01, 0.8))


def names(n: int) -> tuple[str, ...]:
    return (("<b>bold</b>", "$x$", "<script>", "␣the") * n)[:n]


def maps(n: int, *, is_masked: bool = True) -> AttentionMaps:
    weights = np.ones((2, 3, n, n), dtype=np.float32)
    if is_masked:
        weights = np.tril(weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    return AttentionMaps(weights, (1, 3), names(n), is_masked=is_masked)


def edit(n: int, position: int = 2, before: float = 0.0) -> Edit:
    changes = np.where(np.arange(n) < position, before, 1.5)
    return Edit(names(n), position, "␣a", "<b>", changes, changes + 1, changes / 2, SHIFTS)


def losses(n: int) -> Losses:
    values = np.linspace(0.1, 9, n)
    return Losses(names(n), names(n), values, np.arange(1, n + 1), "<i>", n)


@pytest.mark.parametrize("n", [1, 2, 9, 60])
def test_figures_of_any_size_are_well_made(n: int) -> None:
    for is_masked in (True, False):
        one = maps(n, is_masked=is_masked)
        for head in (None, 2):
            checked(attention_figure(one, 1, head))
            checked(heads_figure(one, 0, head))
    checked(loss_figure(losses(n), [1.0] * (n // 2), "cpu, float32"))
    checked(divergence_figure(edit(n + 3)))
    checked(shifts_figure(SHIFTS))
    checked(race_figure(ParallelCheck(np.ones(n), 1e-6, 0.01, 5, 0.2), "cpu, float32"))


def test_the_mask_is_hatched_and_what_looks_ahead_is_not() -> None:
    on, off = (attention_figure(maps(9, is_masked=is_masked), 0, 1) for is_masked in (True, False))
    assert as_json(checked(on)).count("fillpattern") == 1
    assert [trace.type for trace in checked(off).data] == ["heatmap", "heatmap", "scatter"]
    assert "later position, in all layers and heads: 0" in on.caption
    assert "later positions" in off.caption


def test_a_map_shades_by_the_square_root_and_every_small_map_can_be_pressed() -> None:
    cells = checked(attention_figure(maps(2), 0, 0)).data[0]
    assert np.asarray(cells.z)[1, 0] == pytest.approx(0.707)
    assert "50.0\u202f%" in cells.hovertext[1][0]
    targets = checked(heads_figure(maps(30), 0, None)).data[-1]
    assert list(map(tuple, targets.customdata)) == list(np.ndindex(2, 3))
    assert targets.hovertext[3] == "layer 3, head 1"


def test_an_edit_says_exactly_0_only_where_it_is_and_many_positions_are_a_staircase() -> None:
    assert "exactly 0; 1.00" in edit_figure(edit(8)).caption
    assert "1.0e-06, rounding" in edit_figure(edit(8, before=1e-6)).caption
    assert "No position" in edit_figure(edit(8, position=0)).caption
    assert checked(edit_figure(edit(50))).data[0].type == "bar"
    assert checked(edit_figure(edit(51))).data[0].line.shape == "hvh"


def test_a_leak_is_drawn_from_mask_on_to_mask_off() -> None:
    on, off = [0.1, 0.9, 0.5, 0.2], [0.8, 0.5, 0.6, 0.2]
    chart = leak_figure(Leak(names(4), np.log(on), np.log(off)))
    gains, falls, *points = checked(chart).data
    assert list(gains.x) == [0, 0, None, 2, 2, None]
    assert list(falls.x)[::3] == [1, 3]
    assert [list(trace.y) for trace in points] == [pytest.approx(on), pytest.approx(off)]
    assert "2 of 4 positions" in chart.caption


def test_the_tint_grows_with_the_loss_and_the_text_stays_text() -> None:
    markup = surprise_html(losses(8))
    assert "<script>" not in markup
    assert "&lt;script&gt;" in markup
    assert "<i>" not in markup
    tints = markup.split(f"{colour('surprise')} ")[1:9]
    shares = [int(tint.partition("%")[0]) for tint in tints]
    assert shares == sorted(shares)
    assert shares[0] < shares[-1] == 62


def test_a_training_draws_all_three_losses() -> None:
    for moments in (MOMENTS[:1], MOMENTS):
        lines = checked(training_figure(moments, 40, "cpu")).data
    assert [list(line.y) for line in lines] == [[1.5, 2.5], [1.5, 1.6], [1.4, 0.7]]

"""The cache lesson's figures show the records' own numbers, in both themes and at odd sizes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from model.kv_cache.records import CacheGrid, CacheMoment, PrefixReuse, RaceStep
from model.records import CacheShape, Flops
from tests.charts.drawn_charts import assert_is_well_made, spec
from viz.chart import Chart
from viz.kv_cache.bytes_chart import bytes_figure, rewind_figure
from viz.kv_cache.grid_chart import grid_figure
from viz.kv_cache.race_charts import per_step_figure, reuse_figure, so_far_figure, work_figure
from viz.palette import THEMES, Theme

SHAPE = CacheShape(2, 2, 8, 4, 4, 256)
MOMENTS = (
    CacheMoment("before", 9, 2304, 2304),
    CacheMoment("cropped", 6, 1536, 2304),
    CacheMoment("after the next pass", 7, 1792, 1792),
)
NASTY = ("<b>bold</b>", "$x$", "<script>", "␣the")


def grid(n_columns: int = 4, n_prompt: int = 3) -> CacheGrid:
    sizes = np.linspace(0.5, 2, 2 * 2 * n_columns).reshape(2, 2, n_columns)
    labels = tuple(NASTY[i % 4] for i in range(n_columns))
    return CacheGrid(sizes, 2 * sizes, labels, n_prompt, 1, 32, 32)


def race(n_steps: int) -> list[RaceStep]:
    return [
        RaceStep(n, 0.003, 0.003 * n, 1e-6, 9.0, True, Flops(10, n), Flops(10 * n, n * n))
        for n in range(1, n_steps + 1)
    ]


def works(n_steps: int) -> tuple[list[Flops], list[Flops]]:
    steps = race(n_steps)
    return [step.recomputed_flops for step in steps], [step.cached_flops for step in steps]


def reuse() -> PrefixReuse:
    return PrefixReuse(NASTY, 3, 5, 3, 3, 0.02, 0.02, 0.01, 1e-6, True)


def all_charts(theme: Theme) -> list[Chart]:
    charts = [grid_figure(grid(n, min(n, 3)), theme) for n in (1, 4, 60, 300)]
    charts += [bytes_figure(9, 2304, 2304, SHAPE, theme), rewind_figure(MOMENTS, theme)]
    for n_steps in (1, 2, 130):
        steps = race(n_steps)
        charts += [per_step_figure(steps, "cpu", theme), so_far_figure(steps, "cpu", theme)]
        charts.append(work_figure(*works(n_steps), theme))
    return [*charts, reuse_figure(reuse(), "cpu, float32", theme)]


@pytest.mark.parametrize("theme", THEMES)
def test_figures_are_strict_json_without_titles_and_say_where_they_come_from(theme: Theme) -> None:
    for chart in all_charts(theme):
        assert_is_well_made(chart)
        assert chart.caption.startswith(("Measured", "Derived"))


def test_labels_are_data_and_not_markup() -> None:
    text = json.dumps(spec(grid_figure(grid())))
    assert "&lt;script&gt;" in text
    assert "<script>" not in text


def test_a_column_keeps_its_colour_while_the_text_grows() -> None:
    short = grid()
    grown = replace(
        short,
        keys=np.concatenate([short.keys, 90 + short.keys], axis=2),
        values=np.concatenate([short.values, 90 + short.values], axis=2),
        labels=short.labels * 2,
    )
    for row in (2, 3):
        before = np.array(grid_figure(short).figure.data[row].z)
        after = np.array(grid_figure(grown).figure.data[row].z)
        assert np.array_equal(before, after[:, :4])


def test_prefill_is_one_block_and_every_decode_pass_one_more() -> None:
    prefill, decode = grid_figure(grid(6, 4)).figure.data[:2]
    assert (list(prefill.x), list(prefill.width)) == ([0], [4])
    assert (list(decode.x), list(decode.width)) == ([4, 5], [1, 1])


@pytest.mark.parametrize(
    ("in_use", "shape", "words"),
    [
        (2304, SHAPE, "agree to the byte"),
        (2304, SHAPE, "2.00 times less"),
        (2300, SHAPE, "formula says"),
        (4608, CacheShape(2, 4, 8, 4, 4, 512), "no grouping"),
        (2304, replace(SHAPE, sliding_window=6), "6 positions"),
    ],
)
def test_bytes_agree_or_the_caption_says_so(in_use: int, shape: CacheShape, words: str) -> None:
    assert words in bytes_figure(9, in_use, 2304, shape).caption


def test_lines_of_a_race_are_the_medians_and_their_sums() -> None:
    without, cached = per_step_figure(race(4), "cpu").figure.data
    assert list(without.y) == pytest.approx([3, 6, 9, 12])
    assert list(cached.y) == pytest.approx([3, 3, 3, 3])
    so_far = so_far_figure(race(4), "cpu").figure.data[0]
    assert list(so_far.y) == pytest.approx([0.003, 0.009, 0.018, 0.03])
    linear, attention = work_figure(*works(4)).figure.data[:2]
    assert (list(linear.y), list(attention.y)) == ([10, 30, 60, 100], [1, 5, 14, 30])


@pytest.mark.parametrize(("gap", "words"), [(0, "none, to the last bit"), (3e-6, "3.0e-06")])
def test_no_gap_is_not_written_as_a_number(gap: float, words: str) -> None:
    assert words in reuse_figure(replace(reuse(), logit_gap=gap), "").caption

"""Figures show the records' own numbers, say where they come from, and survive too little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import pytest

from model.records import Step
from tests.charts.drawn_charts import assert_is_well_made, spec
from tests.home.sample_runs import SHAPE, make_pass, make_step, make_steps
from viz.chart import MAX_BARS, Chart
from viz.home.timing_chart import timing_figure
from viz.kv_cache.growth_chart import cache_figure
from viz.palette import THEMES, Theme, colour

THIN = "\u202f"
DRAWN: list[Callable[..., Chart]] = [
    lambda steps, theme="light": cache_figure(steps, SHAPE, theme),
    lambda steps, theme="light": timing_figure(steps, theme),
]


def traces(chart: Chart) -> dict[str, dict[str, Any]]:
    """The figure's traces as plain values, by the first word of their name."""
    return {str(trace.get("name", "")).partition(":")[0]: trace for trace in spec(chart)["data"]}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("draw", DRAWN)
@pytest.mark.parametrize("n", [0, 1, 2, 30, 400])
def test_a_figure_is_strict_json_without_a_title_in_any_size(
    draw: Callable[..., Chart], n: int, theme: Theme
) -> None:
    chart = draw(make_steps(n), theme)
    assert_is_well_made(chart)
    assert len(chart.figure.data) <= 4


def test_each_column_is_as_high_as_its_record_and_as_wide_as_its_tokens() -> None:
    steps = make_steps(4)
    shown = traces(cache_figure(steps, SHAPE))
    assert (shown["prefill"]["x"], shown["prefill"]["width"]) == ([0], [6])
    assert shown["prefill"]["y"] == [1536]
    assert shown["decode"]["x"] == [6, 7, 8]
    assert shown["decode"]["width"] == [1, 1, 1]
    assert shown["decode"]["y"] == [step.cache_bytes for step in steps[1:]]


def test_the_derived_line_is_straight_and_named_derived() -> None:
    chart = cache_figure(make_steps(4), SHAPE)
    line = chart.figure.data[2]
    assert (list(line.x), list(line.y)) == ([0, 9], [0, 9 * 256])
    assert line.name == f"256{THIN}B × tokens (derived)"
    assert line.line.dash == "dash"


def test_phases_bear_their_colours() -> None:
    for theme in THEMES:
        shown = traces(cache_figure(make_steps(3), SHAPE, theme))
        assert shown["prefill"]["marker"]["line"]["color"] == colour("prompt", theme)
        assert shown["decode"]["marker"]["line"]["color"] == colour("generated", theme)


def test_the_caption_shows_the_formula_and_that_it_holds() -> None:
    caption = cache_figure(make_steps(4), SHAPE).caption
    for number in (f"9 tokens in the cache, 2{THIN}304{THIN}B", f"4{THIN}B = 256{THIN}B a token"):
        assert number in caption
    assert "agree to the byte" in caption


def test_a_formula_that_does_not_hold_is_not_said_to() -> None:
    steps = [replace(step, cache_bytes=step.cache_bytes + 8) for step in make_steps(3)]
    assert "not what the tensors hold" in cache_figure(steps, SHAPE).caption


def test_the_line_ends_with_the_window_only_where_the_tensors_hold_no_more() -> None:
    window = replace(SHAPE, sliding_window=8)
    steps = [replace(s, cache_bytes=256 * min(8, s.cache_tokens)) for s in make_steps(6)]
    chart = cache_figure(steps, window)
    assert list(chart.figure.data[2].x) == [0, 8]
    assert "sliding layers keep 8 positions" in chart.caption

    # a cache that can be cropped keeps them all
    chart = cache_figure(make_steps(6), window)
    assert (list(chart.figure.data[2].x), list(chart.figure.data[2].y)) == ([0, 11], [0, 11 * 256])
    assert "agree to the byte. Layers with a sliding window" in chart.caption
    assert "look back over 8 positions only; this cache keeps every position" in chart.caption


def test_held_is_drawn_only_where_it_differs_from_in_use() -> None:
    steps = make_steps(3)
    assert "held in memory" not in traces(cache_figure([*steps, make_pass(9, 9 * 256)], SHAPE))
    chart = cache_figure([*steps, make_pass(9, 64 * 256)], SHAPE)
    assert traces(chart)["held in memory"]["y"] == [64 * 256] * 2
    assert f"Held, with the room for tokens to come: 16{THIN}384{THIN}B." in chart.caption
    assert "held in memory" in traces(cache_figure(steps, SHAPE, bytes_held=4096))


def test_a_cache_that_was_filled_again_adds_one_column() -> None:
    again = replace(make_step(2), phase="prefill", n_input=8)
    shown = traces(cache_figure([*make_steps(2), again], SHAPE))
    assert (shown["prefill"]["x"], shown["prefill"]["width"]) == ([0, 7], [6, 1])


@pytest.mark.parametrize("draw", DRAWN)
def test_many_passes_are_one_path_that_goes_through_every_record(
    draw: Callable[..., Chart],
) -> None:
    steps = make_steps(MAX_BARS + 10)
    decode = traces(draw(steps))["decode"]
    assert decode["type"] == "scatter"
    is_cache = draw is DRAWN[0]
    heights = [s.cache_bytes if is_cache else 1000 * s.seconds for s in steps[1:]]
    assert decode["y"] == [heights[0], *heights]
    assert len(decode["hovertext"]) == len(decode["x"]) == len(decode["y"])


def timed(seconds: Sequence[float]) -> list[Step]:
    return [make_step(i, seconds=value) for i, value in enumerate(seconds)]


def test_passes_are_drawn_in_milliseconds_prefill_first() -> None:
    shown = traces(timing_figure(timed([0.0051, 0.003, 0.0032])))
    assert shown["prefill"]["y"] == [pytest.approx(5.1)]
    assert shown["decode"]["y"] == [pytest.approx(3.0), pytest.approx(3.2)]


def test_the_dashed_line_is_the_median_of_decode_alone() -> None:
    seconds = [0.9, 0.003, 0.004, 0.0031, 0.5]
    line = timing_figure(timed(seconds)).figure.data[2]
    assert list(line.y) == [pytest.approx(1000 * median(seconds[1:]))] * 2


def test_the_caption_puts_both_phases_on_one_scale() -> None:
    caption = timing_figure(timed([0.0051, *[0.0031] * 24]), where="cpu, float32").caption
    for words in ("on cpu, float32", "6 tokens in 5.1 ms, 0.85 ms a token", "3.1 ms a token"):
        assert words in caption.replace(THIN, " ")


@pytest.mark.parametrize(
    ("n_decodes", "said"),
    [
        (0, "decode: no pass yet"),
        (1, "3.1 ms, one pass so far"),
        (3, "median of 3, too few to be sure of"),
        (5, "median of 5."),
    ],
)
def test_few_passes_are_said_to_be_few(n_decodes: int, said: str) -> None:
    caption = timing_figure(timed([0.0051, *[0.0031] * n_decodes])).caption
    assert said in caption.replace(THIN, " ")


def test_a_model_without_a_cache_is_said_to_read_everything_again() -> None:
    steps = [
        replace(make_step(i), phase="prefill", n_input=6 + i, cache_tokens=0, cache_bytes=0)
        for i in range(3)
    ]
    assert "keeps no cache" in timing_figure(steps).caption
    assert cache_figure(steps, SHAPE).figure.data


def test_passes_after_a_rewind_to_the_prompt_need_no_prefill() -> None:
    steps = [replace(make_step(0), phase="decode", n_input=1), make_step(1)]
    assert traces(cache_figure(steps, SHAPE))["decode"]["x"] == [5, 6]
    assert "before these passes" in timing_figure(steps).caption


def test_a_cache_filled_again_and_a_prompt_of_one_token_are_told() -> None:
    again = replace(make_step(2), phase="prefill", n_input=8)
    assert "filled again 1 time." in timing_figure([*make_steps(2), again]).caption
    lone = timing_figure([replace(make_step(0), n_input=1, cache_tokens=1, cache_bytes=256)])
    assert lone.caption.replace(THIN, " ").startswith("Measured: prefill: 1 token in 6.0 ms;")

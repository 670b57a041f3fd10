"""The snowball lesson's figures show the records' own numbers, and its sentences what they say."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from model.snowball.records import (
    Compounding,
    ContextLoss,
    Estimate,
    Exposure,
    Forks,
    ForkStep,
    InstructionPosition,
    LongTexts,
    RewindStrategy,
    Token,
    Version,
    paired_gap,
)
from tests.charts.drawn_charts import checked, column
from viz.chart import Chart
from viz.snowball import fork_chart, held_out_charts, written_charts
from viz.snowball.confidence_bands import windows

RNG = np.random.default_rng(0)
STEPS = [
    ForkStep(Token(1, "a", -0.5), Token(2, "b", -6.0), 0.0),
    ForkStep(Token(3, "c", -1.0), Token(3, "c", -2.0), 1.5),
    ForkStep(Token(4, "d", -3.0), None, None),
]
SHAPE = (6, 24)
FORKS = Forks(
    3,
    0.7,
    np.zeros(SHAPE, dtype=bool),
    RNG.uniform(1, 9, SHAPE),
    -RNG.uniform(0.1, 4, SHAPE),
    -RNG.uniform(0.1, 4, SHAPE),
)
COUNTED = Compounding(
    0.01, 0.1, 0.9 ** np.arange(1, 25), np.ones(24), np.zeros(24), 1.0, 1.2,
    Estimate(0.2, 0.5, 1.0, 6), (0.1, 0.2), (0.1, 0.1),
)  # fmt: skip
EXPOSURE = Exposure("small", "large", 1.0, *(RNG.uniform(1, 3, SHAPE) for _ in range(7)))
LONG = LongTexts(
    ("greedy", "warm", "books"), (0, 1, 1, 2), RNG.uniform(0, 4, (4, 64)),
    RNG.integers(0, 2, (4, 64)).astype(float), ("a", "b", "c"),
)  # fmt: skip
CONTEXT = ContextLoss(
    (1, 2, 4), {"last": np.array([[3.0, 2.0, np.nan], [5.0, 4.0, 1.0]])}, {"last": 7_000_000}
)
POSITION = InstructionPosition(
    2,
    ("dragon",),
    {n: np.array([0.0, 0.5, v]) for n, v in (("first", 1.0), ("late", 0.75), ("never", 0.0))},
    7,
    8,
    {},
)
STRATEGIES = [
    RewindStrategy("leave it", 0, 10, 10, 0.1, 1.5, 0.9, "bad", False),
    RewindStrategy("rewind after 4", 4, 10, 15, 0.15, 1.2, 1.0, "good", True),
]


def line(chart: Chart, name: str) -> list[float]:
    return [float(y) for trace in checked(chart).data if trace.name == name for y in trace.y]


def test_figures_are_well_made() -> None:
    for chart in (
        fork_chart.parting_figure(FORKS),
        fork_chart.cost_figure(FORKS),
        fork_chart.survival_figure(COUNTED),
        held_out_charts.judged_figure(EXPOSURE),
        held_out_charts.reference_figure(EXPOSURE),
        written_charts.long_surprise_figure(LONG),
    ):
        checked(chart)


def test_a_fork_is_drawn_up_to_where_a_text_ends_and_its_own_place_is_not_counted() -> None:
    gap = fork_chart.gap_figure(STEPS)
    assert list(checked(gap).data[0].y) == [0.0, 1.5]
    assert "1.50\u202fnats" in gap.caption
    assert "1 of 3 positions" in gap.caption
    surprise = fork_chart.surprise_figure(STEPS)
    assert line(surprise, "forced token") == [6.0, 2.0]
    assert surprise.caption.count("2.00\u202fnats") == 2


def test_a_pair_has_reconverged_where_its_last_tokens_are_the_same() -> None:
    same = np.zeros((2, 8), dtype=bool)
    same[0, 3:] = True
    same[1, :7] = True
    assert fork_chart.reconverged(replace(FORKS, same=same)).tolist() == [True, False]


def test_windows_by_hand() -> None:
    found = windows(np.array([[1.0, 3.0, 5.0, np.nan], [3.0, 5.0, np.nan, np.nan]]), 2)
    assert found.places.tolist() == [1.5, 3.5]
    assert found.means.tolist() == [3.0, 5.0]
    assert found.half_widths[0] == Estimate.of([2.0, 4.0]).half_width
    assert math.isnan(found.half_widths[1])


@pytest.mark.parametrize(
    ("difference", "half_width", "late", "words"),
    [
        (0.2, 0.5, (0.1, 0.1), "do not compound here:"),
        (-0.9, 0.5, (0.1, 0.1), "rarer"),
        (0.9, 0.5, (0.1, 0.1), "fade"),
        (0.9, 0.5, (0.1, 0.3), "compound here:"),
        (0.9, math.nan, (0.1, 0.3), "Chance"),
    ],
)
def test_the_verdict_follows_the_numbers(
    difference: float, half_width: float, late: tuple[float, float], words: str
) -> None:
    found = replace(COUNTED, difference=Estimate(difference, half_width, 1.0, 6), late=late)
    assert words in fork_chart.verdict(found)


def test_a_paired_gap_compares_only_what_both_have() -> None:
    forced = np.array([[1.0, 1.0], [2.0, 2.0]])
    gap = paired_gap(np.array([[2.0, np.nan], [4.0, 6.0]]), forced)
    assert (gap.mean, gap.n, gap.spread) == (2.0, 2, pytest.approx(math.sqrt(2)))


@pytest.mark.parametrize(
    ("shift", "words"), [(1.0, "more surprised"), (-1.0, "less surprised"), (0.0, "as surprised")]
)
def test_surprise_is_told_by_its_sign_and_its_certainty(shift: float, words: str) -> None:
    noise = RNG.normal(0, 0.01, SHAPE)
    found = replace(EXPOSURE, free=EXPOSURE.forced + shift + noise - noise.mean())
    assert words in held_out_charts.judged_words(found)


@pytest.mark.parametrize(
    ("times", "spread", "words"),
    [(1.5, 0.01, "is exposure"), (1.1, 0.01, "no exposure"), (1.25, 0.3, "cannot tell")],
)
def test_exposure_bias_is_told_by_the_excess_error(times: float, spread: float, words: str) -> None:
    error = np.full(SHAPE, 0.5)
    away = spread * (np.arange(SHAPE[0])[:, None] - (SHAPE[0] - 1) / 2)  # a story's own
    found = replace(EXPOSURE, kl_forced=error, kl_free=(times + away) * error)
    assert found.excess.mean == pytest.approx(times - 1)
    said = held_out_charts.excess_words(found)
    assert words in said
    assert "0.50 nats" in said.replace("\u202f", " ")


def test_drift_is_told_with_its_numbers() -> None:
    slope = np.linspace(-1, 2, SHAPE[1])
    found = replace(EXPOSURE, free=EXPOSURE.forced + slope)
    first, last = slope[:8].mean(), slope[-8:].mean()
    assert f"−{abs(first):.2f} ± 0.00 to +{last:.2f}" in held_out_charts.drift_words(found)


def test_lines_are_the_records_own_numbers() -> None:
    context = held_out_charts.context_figure(CONTEXT)
    assert line(context, "last, 7.0\u202fM") == [4.0, 3.0], "what is not measured whole is left out"
    assert "last 4.00 to 3.00" in context.caption
    last = 100 * LONG.repeated[0, -8:].mean()
    assert line(written_charts.repeats_figure(LONG), "greedy")[-1] == pytest.approx(last)
    followed = written_charts.followed_figure(POSITION, 10)
    assert line(followed, "late") == [0.0, 50.0, 75.0]
    assert "7 of the 8" in followed.caption
    work = fork_chart.work_figure(STRATEGIES)
    assert list(checked(work).data[0].x) == [0, 4]
    assert column(fork_chart.strategies_table(STRATEGIES), "passes")[1] == 15
    assert column(fork_chart.strategies_table(STRATEGIES), "as without it") == ["no", "yes"]


def test_a_text_s_words_are_only_ever_text() -> None:
    version = Version("<b>given</b>", "a <i>dragon</i>", "& put in", "Dragons")
    written = written_charts.version_html(version, ["dragon", "<i>"])
    assert not any(tag in written for tag in ("<b>", "<i>"))
    assert written.count("<mark") == 3
    assert "&amp; put in" in written

"""The snowball lesson's figures show the records' own numbers, and its sentences what they say."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from model.loading import load_model
from model.snowball.error_compounding import compounding
from model.snowball.records import (
    BIAS,
    ContextLoss,
    Estimate,
    Exposure,
    Forks,
    ForkStep,
    InstructionPosition,
    LongTexts,
    RewindStrategy,
    Thread,
    Token,
    Version,
    paired_gap,
)
from model.tokenizing import vocabulary_labels
from pages.lessons.snowball.held_out import N_SHOWN, nearest_text
from tests.charts.drawn_charts import checked, column, recorded
from viz.chart import Chart
from viz.snowball import fork_chart, held_out_charts, written_charts
from viz.snowball.confidence_bands import windows
from viz.snowball.exposure_picture import Course, ReadToken, exposure_picture
from viz.snowball.mistake import sure_words

STEPS = [
    ForkStep(Token(1, "a", -0.5), Token(2, "b", -6.0), 0.0),
    ForkStep(Token(3, "c", -1.0), Token(3, "c", -2.0), 1.5),
    ForkStep(Token(4, "d", -3.0), None, None),
]
FORKS = recorded("snowball_forks", Forks)
SLIPS = compounding(FORKS, 0.01)
EXPOSURE = recorded("snowball_exposure", Exposure)
LONG = recorded("snowball_long", LongTexts)
THREAD = recorded("snowball_thread", Thread)
CONTEXT = recorded("snowball_context", ContextLoss)
POSITION = recorded("snowball_instruction", InstructionPosition)
STRATEGIES = recorded("snowball_rewind", tuple[RewindStrategy, ...])


def line(chart: Chart, name: str) -> list[float]:
    return [float(y) for trace in checked(chart).data if trace.name == name for y in trace.y]


def test_lines_are_the_records_own_numbers() -> None:
    parting = fork_chart.parting_figure(FORKS)
    median = line(parting, "median; the middle half is shaded")
    assert median == pytest.approx(np.nanmedian(FORKS.kl, axis=0))
    cost = line(fork_chart.cost_figure(FORKS), "chosen token")
    assert cost[0] == pytest.approx(-np.nanmean(FORKS.forced[:, :4], axis=1).mean())
    survival = fork_chart.survival_figure(SLIPS)
    assert line(survival, "(1 − e)ⁿ") == pytest.approx(100 * SLIPS.predicted)
    assert line(survival, "drawn") == pytest.approx(100 * SLIPS.original)
    judged = line(held_out_charts.judged_figure(EXPOSURE), held_out_charts.TRUE)
    assert judged[0] == pytest.approx(EXPOSURE.true_text[:, :8].mean())
    error = held_out_charts.error_figure(EXPOSURE)
    forced = windows(EXPOSURE.kl_forced, 8).means
    assert line(error, held_out_charts.FORCED) == pytest.approx(forced)
    assert line(error, held_out_charts.FREE) == pytest.approx(windows(EXPOSURE.kl_free, 8).means)
    reference = line(held_out_charts.reference_figure(EXPOSURE), held_out_charts.FORCED)
    assert reference[-1] == pytest.approx(EXPOSURE.writer_loss[:, -8:].mean())
    repeats = line(written_charts.repeats_figure(LONG), "greedy")
    assert repeats[-1] == pytest.approx(100 * LONG.repeated[0, -32:].mean())
    surprise = line(written_charts.long_surprise_figure(LONG), "greedy")
    assert surprise[-1] == pytest.approx(LONG.surprise[0, -32:].mean())
    back = line(written_charts.thread_figure(THREAD, 64), "the model")
    assert back == pytest.approx(100 * THREAD.written.mean(axis=0))
    followed = written_charts.followed_figure(POSITION, 96)
    assert line(followed, "never") == pytest.approx(100 * POSITION.followed["never"])
    assert f"{POSITION.n_same} of the {POSITION.n_first}" in followed.caption
    work = fork_chart.work_figure(STRATEGIES)
    assert list(checked(work).data[0].x) == [one.n_discarded for one in STRATEGIES]
    table = fork_chart.strategies_table(STRATEGIES)
    assert column(table, "passes") == [one.n_passes for one in STRATEGIES]
    assert column(table, "as without it") == ["no", *["yes"] * (len(STRATEGIES) - 1)]


def test_errors_are_marked_in_a_text_and_counted_and_the_last_waits_for_a_guess() -> None:
    courses = [
        Course("soon", "prompt", [ReadToken("␣a", "␣x", "␣a"), ReadToken("b", "␣y", "␣y")], 0.25),
        Course(
            "late", "generated", [ReadToken("␣c", "␣d", "␣e"), ReadToken("␣f", "␣d", "␣f")], 0.37
        ),
    ]
    shown, covered = (exposure_picture(courses, is_covered=is_it) for is_it in (False, True))
    widths = [float(share) for share in re.findall(r"width:([\d.]+)%", shown)]
    assert widths == [25, 37]
    assert [picture.count("px dashed") for picture in (shown, covered)] == [3, 2]  # one round "?"
    assert "at “a” the small model expected “x”, the large one “a”" in shown
    assert "at “f” the small model expected “d”, the large one “f”" in shown, "the judge was right"
    assert [picture.count(">?<") for picture in (shown, covered)] == [0, 1]
    assert "37 of" in shown
    assert [shown.count(f">{n} of 2<") for n in (1, 2)] == [1, 1], "the red boxes are counted"
    assert "37 of" not in covered, "nor for who hears it"
    waiting = [*courses[:1], Course("late", "generated", [], math.nan)]
    assert exposure_picture(waiting).count(">?<") == 1, "nothing is measured of it yet"


def test_the_shown_story_has_as_many_mistakes_as_the_bars_say() -> None:
    errors = [float(np.nanmean(it)) for it in (EXPOSURE.other_forced, EXPOSURE.other_free)]
    labels = vocabulary_labels(load_model("scribbler"))
    n_prompt = len(EXPOSURE.stories[0]) - EXPOSURE.other_forced.shape[1]
    row = nearest_text(EXPOSURE, (errors[0], errors[1]), labels, n_prompt)
    for differs, error in zip((EXPOSURE.other_forced, EXPOSURE.other_free), errors, strict=True):
        assert differs[row, :N_SHOWN].sum() == round(N_SHOWN * error)


def test_the_texts_of_an_exposure_begin_alike() -> None:
    n_prompt = len(EXPOSURE.stories[0]) - EXPOSURE.other_forced.shape[1]
    for true, own in zip(EXPOSURE.stories, EXPOSURE.written, strict=True):
        assert true[:n_prompt] == own[:n_prompt]
        assert true != own
    ends = [len(own) - n_prompt for own in EXPOSURE.written]  # the last draw is judged no more
    n_judged = (~np.isnan(EXPOSURE.other_free)).sum(axis=1)
    assert (n_judged - ends == 1).all()
    for kl, differs in (
        (EXPOSURE.kl_forced, EXPOSURE.other_forced),
        (EXPOSURE.kl_free, EXPOSURE.other_free),
    ):
        known = ~np.isnan(differs)
        assert (np.isnan(kl) == ~known).all()
        assert set(differs[known]) == {0, 1}
        assert kl[differs == 1].mean() > kl[differs == 0].mean()


def test_what_is_not_measured_whole_is_left_out_of_the_loss_by_context() -> None:
    losses = CONTEXT.losses["storyteller"].copy()
    losses[0, -1] = np.nan
    chart = held_out_charts.context_figure(replace(CONTEXT, losses={"storyteller": losses}))
    means = losses.mean(axis=0)
    assert line(chart, "storyteller, 7.0\u202fM") == pytest.approx(means[:-1])
    assert f"storyteller {means[0]:.2f} to {means[-2]:.2f}" in chart.caption


def test_a_fork_is_drawn_up_to_where_a_text_ends_and_its_own_place_is_not_counted() -> None:
    gap = fork_chart.gap_figure(STEPS)
    assert list(checked(gap).data[0].y) == [0.0, 1.5]
    assert "1.50\u202fnats" in gap.caption
    assert "1 of 3 positions" in gap.caption
    surprise = fork_chart.surprise_figure(STEPS)
    assert line(surprise, "chosen token") == [6.0, 2.0]
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
    told = Estimate(difference, half_width, 1.0, 6)
    found = replace(SLIPS, difference=told, early=(0.1, 0.2), late=late)
    assert words in fork_chart.verdict(found)


def test_a_paired_gap_compares_only_what_both_have() -> None:
    forced = np.array([[1.0, 1.0], [2.0, 2.0]])
    gap = paired_gap(np.array([[2.0, np.nan], [4.0, 6.0]]), forced)
    assert (gap.mean, gap.n, gap.spread) == (2.0, 2, pytest.approx(math.sqrt(2)))


@pytest.mark.parametrize(
    ("shift", "words"), [(1.0, "more surprised"), (-1.0, "less surprised"), (0.0, "as surprised")]
)
def test_surprise_is_told_by_its_sign_and_its_certainty(shift: float, words: str) -> None:
    noise = np.random.default_rng(0).normal(0, 0.01, EXPOSURE.forced.shape)
    found = replace(EXPOSURE, free=EXPOSURE.forced + shift + noise - noise.mean())
    assert words in held_out_charts.judged_words(found)


@pytest.mark.parametrize(
    ("times", "spread", "words"),
    [(1.5, 0.01, "is exposure"), (1.1, 0.01, "no exposure"), (1.25, 0.3, "cannot tell")],
)
def test_exposure_bias_is_told_by_the_excess_error(times: float, spread: float, words: str) -> None:
    error = np.full((6, 24), 0.5)
    away = spread * (np.arange(6)[:, None] - 2.5)  # a story's own
    found = replace(EXPOSURE, kl_forced=error, kl_free=(times + away) * error)
    assert found.excess.mean == pytest.approx(times - 1)
    said = held_out_charts.excess_words(found)
    assert words in said
    assert "0.50 nats" in said.replace("\u202f", " ")


def test_what_is_to_be_remembered_of_teacher_forcing_is_what_was_recorded() -> None:
    assert EXPOSURE.writer == "scribbler", "a small model"
    assert abs(EXPOSURE.excess.mean) + EXPOSURE.excess.half_width <= BIAS


def test_drift_is_told_with_its_numbers() -> None:
    slope = np.linspace(-1, 2, EXPOSURE.forced.shape[1])
    found = replace(EXPOSURE, free=EXPOSURE.forced + slope)
    first, last = slope[:32].mean(), slope[-32:].mean()
    assert f"−{abs(first):.2f} ± 0.00 to +{last:.2f}" in held_out_charts.drift_words(found)


def test_a_text_s_words_are_only_ever_text() -> None:
    version = Version("<b>given</b>", "a <i>dragon</i>", "& put in", "Dragons")
    written = written_charts.version_html(version, ["dragon", "<i>"])
    assert not any(tag in written for tag in ("<b>", "<i>"))
    assert written.count("<mark") == 3
    assert "&amp; put in" in written


@pytest.mark.parametrize(
    ("prob", "says"),
    [(0.38, "less sure"), (0.42, "about as sure"), (0.58, "about"), (0.62, "surer")],
)
def test_how_sure_it_is_after_a_mistake_is_computed(prob: float, says: str) -> None:
    before, after = Token(3, "c", math.log(0.5)), Token(4, "d", math.log(prob))
    assert sure_words([STEPS[0], ForkStep(before, after, 0.0)]).startswith(says)

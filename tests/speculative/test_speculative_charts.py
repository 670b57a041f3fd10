"""Figures of speculative decoding: what each stage shows, sums that must add up, labels as data."""

from dataclasses import replace

import pytest

from model.speculative.records import (
    CROP,
    DECIDE,
    PROPOSE,
    VERIFY,
    Acceptance,
    CacheMark,
    DraftReport,
    Drawn,
    Proposal,
    Round,
    RoundBar,
    RoundCost,
    SpeedReport,
)
from model.speculative.timing import TEXTBOOK_ROUND
from tests.charts.drawn_charts import checked, recorded
from viz.speculative.charts import (
    acceptance_figure,
    distributions_figure,
    round_figure,
    speed_figure,
)
from viz.speculative.round_view import caches, round_cards

GUESS = Proposal("␣soft", 0.2, 0.1, 0.5, 0.31, "accepted", 0.7)
REJECTED = replace(GUESS, label="<b>x</b>", verdict="rejected", pointer=0.83)
ROUND = Round(
    n_text=6,
    proposals=(GUESS, REJECTED, replace(GUESS, label="␣Tom", verdict="not tested")),
    drawn=Drawn("␣and", "residual", 0.49, 0.2),
    bars=(),
    caches=(CacheMark("big", 5, 9, 7, 100, 900), CacheMark("small", 5, 8, 7, 10, 80)),
    is_greedy=False,
    n_steps=3,
    draft_seconds=0.003,
    target_seconds=0.01,
)


def test_a_stage_shows_no_more_than_has_happened() -> None:
    proposed, verified, decided = (round_cards(ROUND, s) for s in (PROPOSE, VERIFY, DECIDE))
    assert proposed.count("has not read it yet") == 3
    assert "0.10" not in proposed
    assert verified.count("target ÷ draft = 0.50") == 3
    assert not any(word in verified for word in ("pointer", "accepted"))
    assert "<b>x" not in decided, "labels are data"
    for words in ("&lt;b&gt;x", "pointer 0.31: accepted", "pointer 0.83: rejected", "not tested"):
        assert words in decided
    assert decided.index("rejected") < decided.index("␣</i>and") < decided.index("␣</i>Tom")


def test_greedy_has_no_pointer() -> None:
    proposals = (replace(GUESS, accept_prob=1.0), replace(REJECTED, accept_prob=0.0))
    markup = round_cards(replace(ROUND, is_greedy=True, proposals=proposals), DECIDE)
    assert "pointer" not in markup
    assert "the target’s best token, too" in markup
    assert "not the target’s best" in markup


def test_caches_are_drawn_before_after_and_cropped() -> None:
    proposed, verified, cropped = (caches(ROUND, s) for s in (PROPOSE, VERIFY, CROP))
    n_cells = [markup.count('title="position') for markup in (proposed, verified, cropped)]
    assert n_cells == [5 + 8, 9 + 8, 9 + 8]
    assert "nothing read yet" in proposed
    for words in ("2 read and kept", "2 read and cropped", "1 read and cropped"):
        assert words in cropped
    assert "700\u202fB in use, 900\u202fB held" in cropped


def test_the_tokens_of_a_position_are_data_and_marked() -> None:
    drawn = RoundBar("a", (0.5, 0.1, 0.8), is_drawn=True)
    bars = (drawn, RoundBar("<i>", (0.5, 0.9, 0.2), is_proposed=True))
    chart = distributions_figure(bars)
    values = {trace.name: list(trace.x) for trace in checked(chart).data}
    assert values == {"draft": [0.1, 0.9], "target": [0.5, 0.5], "residual": [0.8, 0.2]}
    assert checked(chart).layout.yaxis.ticktext == ("a  (drawn)", "&lt;i&gt;  (drafted)")
    assert "rejected" in chart.caption
    undecided = distributions_figure(bars, is_decided=False)
    assert "drawn" not in checked(undecided).layout.yaxis.ticktext[0]
    assert [trace.name for trace in checked(distributions_figure([drawn])).data] == ["target"]


def test_the_bars_of_a_round_add_up_to_its_time() -> None:
    chart = round_figure(RoundCost(3, 0.001, 0.012, 0.010, 0.0005, 2.4), "cpu, float32")
    widths = {"one round": 0.0, "as many by target steps": 0.0}
    *bars, average = checked(chart).data
    for trace in bars:
        widths[trace.y[0]] += trace.x[0]
    assert list(average.x) == [24]
    assert widths == pytest.approx({"one round": 15.5, "as many by target steps": 40})
    assert "on cpu, float32" in chart.caption
    assert "0.50\u202fms between the passes make 15.5\u202fms" in chart.caption


def test_c32_the_textbooks_round_takes_70_ms_for_5_tokens_and_is_illustrative() -> None:
    caption = round_figure(TEXTBOOK_ROUND, "nowhere").caption
    assert caption.startswith("Illustrative")
    assert "70.0\u202fms" in caption
    assert "5 tokens" in caption


def test_the_speed_figure_says_how_far_the_prediction_is_off() -> None:
    report = recorded("spec_speed", SpeedReport)
    *fixed, _ = report.speeds  # the last is adaptive
    textbook, predicted, measured, extremes = checked(speed_figure(report, "cpu, float32")).data
    assert list(textbook.y) == [one.textbook for one in fixed]
    assert list(predicted.y) == [one.predicted for one in fixed]
    assert list(measured.y) == [one.measured for one in report.speeds]
    assert list(extremes.y) == list(report.extremes)
    best = max(report.speeds, key=lambda one: one.measured).measured
    assert [words for words in measured.text if words] == [f"<b>{best:.2f}</b>"]
    lone = replace(report, speeds=(replace(fixed[0], measured=1.5, predicted=1.35),))
    assert "predict 1.35, 10 % below" in speed_figure(lone, "cpu, float32").caption


def test_places_with_too_few_tested_tokens_are_left_out() -> None:
    good = DraftReport("good", Acceptance((40, 30, 4), (30, 20, 4)), 40, 90)
    poor = DraftReport("poor", Acceptance((40, 10, 1), (10, 4, 1)), 40, 54)
    chart = acceptance_figure([good, poor])
    assert list(checked(chart).data[0].x) == [1, 2]
    assert list(checked(chart).data[1].y) == pytest.approx([25, 40])
    assert "good is accepted most often, 73.0" in chart.caption

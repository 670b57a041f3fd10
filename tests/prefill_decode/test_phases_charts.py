"""The figures of the two phases show the records' own numbers, in both themes and half done."""

import re
from dataclasses import replace

import pytest

from model.prefill_decode.records import (
    BatchRun,
    Ceilings,
    Machine,
    Padding,
    PhaseRun,
    Prices,
    Reading,
    RequestTiming,
    Roofline,
    RoofPoint,
    ScoredAnswer,
    Scoring,
    Timed,
    Trial,
)
from pages.lessons.prefill_decode.bounds import padding_grid
from tests.charts.drawn_charts import as_json, checked
from viz.chart import as_recorded
from viz.prefill_decode.batch_chart import throughput_figure, wait_figure
from viz.prefill_decode.cost_chart import (
    choices_figure,
    price_figure,
    request_figure,
    scoring_figure,
)
from viz.prefill_decode.latency_charts import (
    gaps_figure,
    launch_words,
    phase_ratio,
    phase_rows,
    stream_figure,
)
from viz.prefill_decode.phase_charts import pace_figure, swap_figure, typical
from viz.prefill_decode.roofline_chart import (
    caveats,
    floors_figure,
    part_words,
    roofline_figure,
    used_by_a_token,
    utilisation,
    verdict,
)
from viz.prefill_decode.used_bars import passes_by_use, used_bars

OWN, QUICK = "the model’s own step", "the step written out by hand"
MACHINE = Machine("cpu", "A CPU", "float32", 1, "m", 7_000_000, {"torch": "2"}, "2026-11-21T10:00")
READ = tuple(Reading(n, Timed((n * 1e-4, n * 1.2e-4, n * 1.1e-4))) for n in (16, 1000))
LONG_IN = RequestTiming(1000, 0.1, (0.002,) * 49)
LONG_OUT = RequestTiming(50, 0.01, (0.002,) * 998 + (0.004,))
RUN = PhaseRun(MACHINE, OWN, (0.5, 0.01), READ, (LONG_IN,), (LONG_OUT,))
UNREAD = PhaseRun(MACHINE, OWN, (), (), (), ())
TOP = Ceilings(4e10, 2e10, 2e11, {OWN: 1.5e-3, QUICK: 2e-4}, 0.05, 9, 1 << 27)
CHOICES = (ScoredAnswer("<b>sad</b>", 0.25), ScoredAnswer("glad", 0.75))
WRITTEN = RequestTiming(12, 0.01, (0.002,) * 29)
SCORING = Scoring(CHOICES, 12, Timed((0.01, 0.02)), Timed((0.008,)), 256, WRITTEN, "sad.")


def point(phase: str, n_batch: int, n_input: int, seconds: float, engine: str = OWN) -> RoofPoint:
    n_past = 0 if phase == "prefill" else 128
    timed = Timed((seconds, 1.1 * seconds, 0.9 * seconds))
    flops, cache_bytes = 14_000_000 * n_batch * n_input, 8192 * n_batch * (n_past + n_input)
    kind = (phase, engine, n_batch, n_input, n_past)
    return RoofPoint(*kind, timed, flops, 28_000_000, cache_bytes)  # type: ignore[arg-type]  # one of the two


def batches(*steps: tuple[int, float]) -> BatchRun:
    return BatchRun(MACHINE, 4e10, tuple(point("decode", n, 1, seconds) for n, seconds in steps))


POINTS = (
    point("prefill", 1, 1000, 0.14),
    point("decode", 1, 1, 9e-4, QUICK),
    point("decode", 1, 1, 2.8e-3),
    point("decode", 16, 1, 6e-3),
)
ROOFLINE = Roofline(MACHINE, TOP, POINTS)


def test_what_is_half_measured_or_not_at_all_is_drawn_too() -> None:
    for chart in (
        pace_figure(replace(UNREAD, readings=READ[:1])),
        pace_figure(UNREAD),
        swap_figure([LONG_IN], "here"),
        gaps_figure(LONG_OUT, "here"),
        stream_figure(RequestTiming(5, 0.1, ()), "here"),
        roofline_figure(Roofline(MACHINE, TOP, ())),
        request_figure([("all", 1.0, 10.0), ("less", 1.0, 5.0)], "half."),
    ):
        checked(chart)


def test_reading_and_writing_are_drawn_on_the_same_axes() -> None:
    chart = pace_figure(RUN, recorded=RUN)
    reading, writing, *behind = checked(chart).data
    assert list(reading.x) == [16, 1000]
    assert list(reading.y) == pytest.approx([16 * 1.1e-4, 0.11])
    assert (writing.x[-1], writing.y[-1]) == (999, pytest.approx(sum(LONG_OUT.gaps)))
    assert [list(line.y) for line in behind] == [list(reading.y), list(writing.y)]
    assert MACHINE.date[:10] in chart.caption


def test_a_request_is_its_prefill_and_its_decode() -> None:
    chart = swap_figure([LONG_IN, LONG_OUT], "here")
    prefill, decode = checked(chart).data
    assert list(prefill.x) == [0.1, 0.01]
    assert list(decode.x) == pytest.approx([sum(LONG_IN.gaps), sum(LONG_OUT.gaps)])
    assert f"{LONG_OUT.seconds / LONG_IN.seconds:.0f} to 1" in chart.caption
    half_done = swap_figure([LONG_IN, RequestTiming(50, 0.01, (0.002,))], "here")
    assert "to 1" not in half_done.caption
    requests = [RequestTiming(5, seconds, (0.1,)) for seconds in (3.0, 1.0, 2.0)]
    assert typical([*requests, RequestTiming(5, 9.0, ())]).first_seconds == 2.0, "of the whole ones"


def test_c08_the_first_token_is_in_hand_long_before_the_whole() -> None:
    streamed, whole = checked(stream_figure(WRITTEN, "here")).data
    assert streamed.x[1] == WRITTEN.first_seconds
    assert streamed.x[-2] == whole.x[1] == pytest.approx(WRITTEN.seconds)


def test_the_table_and_its_headline_are_the_measured_medians() -> None:
    cells = " ".join(" ".join(row) for row in phase_rows(RUN))
    assert "110" in cells
    assert "2.0" in cells
    assert phase_ratio(RUN) == pytest.approx(0.002 / 1.1e-4)
    growing = RequestTiming(5, 0.1, tuple(0.001 * n for n in range(1, 41)))
    quarters = gaps_figure(growing, "here").caption
    assert "5.5" in quarters
    assert "35.5" in quarters


def test_the_roofline_draws_what_was_measured() -> None:
    chart = roofline_figure(ROOFLINE)
    roof, vector, prefill, decode = checked(chart).data
    assert (roof.x[1], roof.y[1], vector.x[1]) == (TOP.ridge, TOP.matmul, 10.0)
    assert list(prefill.x) == [POINTS[0].intensity]
    assert list(decode.y) == [p.flops_per_second for p in POINTS[1:]]
    recorded = as_recorded(chart, MACHINE)
    assert recorded.caption.startswith("Recorded 2026-11-21 on A CPU, float32")
    assert "Measured" not in recorded.caption
    floors = {trace.name: trace for trace in checked(floors_figure(ROOFLINE)).data}
    shares = [p.flops / 2e11 / p.seconds.median for p in POINTS]
    assert list(floors["arithmetic alone"].x) == pytest.approx(shares)


def test_the_passes_are_covered_until_a_reader_has_said_how_much_a_token_uses() -> None:
    whole, covered = (roofline_figure(ROOFLINE, is_covered=is_on) for is_on in (False, True))
    assert len(checked(covered).data) == len(whole.figure.data) - 2
    assert covered.figure.layout["yaxis"]["range"] == whole.figure.layout["yaxis"]["range"]
    alone = [p for p in POINTS if p.phase == "decode" and p.n_batch == 1]
    assert used_by_a_token(ROOFLINE) == max(p.mfu(TOP) for p in alone)
    assert used_by_a_token(Roofline(MACHINE, TOP, ())) is None


def test_the_bars_show_what_each_pass_uses_and_are_empty_until_it_is_asked() -> None:
    shown, covered = (used_bars(ROOFLINE, is_covered=is_it) for is_it in (False, True))
    passes = [point for _, point in passes_by_use(ROOFLINE)]
    assert [p.phase for p in passes].count("prefill") == 1
    assert passes[0].mfu(TOP) == used_by_a_token(ROOFLINE), "the question's own share"
    widths = [float(width) for width in re.findall(r";width:([\d.]+)%", shown)]
    assert widths == pytest.approx([100 * p.mfu(TOP) for p in passes], abs=0.01)
    for point in passes:
        assert utilisation(point.mfu(TOP)) in shown
        assert utilisation(point.mfu(TOP)) not in covered, "nor for who hears it"
    assert ";width:" not in covered
    assert shown.count("100\N{NARROW NO-BREAK SPACE}%") == 1, "what a full bar is"
    assert passes_by_use(Roofline(MACHINE, TOP, ())) == []


def test_the_roofs_are_named_by_their_rates_beside_the_figure() -> None:
    roof, slope, *_ = checked(roofline_figure(ROOFLINE)).data
    assert re.findall(r"[\d.]+", roof.name) == ["40.0", "200"]
    assert re.findall(r"[\d.]+", slope.name) == ["20.0"]


def test_the_verdict_names_the_bound_even_when_it_is_overhead_or_none() -> None:
    assert re.findall(r"(\w+)-bound\*\*", verdict(ROOFLINE)) == ["compute", "overhead", "memory"]
    assert verdict(ROOFLINE).count("MBU") == verdict(ROOFLINE).count("MFU") == 3
    assert "none of the three" in verdict(Roofline(MACHINE, TOP, (point("decode", 1, 1, 1.0),)))
    assert verdict(Roofline(MACHINE, TOP, ())) == ""


def test_a_floor_above_the_whole_is_no_part_of_it() -> None:
    assert part_words(0.002, 0.004) == "2.0\u202fms of 4.0\u202fms"
    assert part_words(0.0042, 0.004) == "4.0\u202fms of 4.0\u202fms"
    assert part_words(None, 0.058) == "– of 58.0\u202fms"
    slow = replace(TOP, copy=1.0, read=1.0, matmul=1.0, floors={OWN: 0.492, QUICK: 0.492})
    words = verdict(Roofline(MACHINE, slow, POINTS))
    assert "-bound" not in words
    assert words.count("measure again") == 3
    trace = checked(floors_figure(Roofline(MACHINE, slow, POINTS))).data[-1]
    assert set(trace.x) == {None}


def test_runs_that_lie_far_apart_say_that_the_machine_was_busy() -> None:
    far = replace(POINTS[2], seconds=Timed((0.002, 0.004, 0.009)))
    near = replace(far, seconds=Timed((0.002, 0.0021)))
    for given, spread, times in ((far, 0.0, ["2.0"]), (far, 1.5, ["2.0", "2.5"]), (near, 0.05, [])):
        words = caveats(Roofline(MACHINE, replace(TOP, spread=spread), (given,)))
        assert re.findall(r"([\d.]+) times", words) == times
        assert "own cache" in words, "28 MB of weights"


def test_throughput_is_beside_what_batch_1_promises() -> None:
    run = batches((1, 0.002), (2, 0.003))
    chart = throughput_figure(run)
    promised, measured = checked(chart).data
    assert list(promised.y) == pytest.approx([500, 1000])
    assert list(measured.y) == pytest.approx([500, 2 / 0.003])
    assert "the gain is only 1.3 times" in chart.caption
    assert list(checked(wait_figure(run)).data[0].y) == pytest.approx([2, 3])


def test_the_knee_is_where_the_gain_stays_small_and_not_where_one_step_was_slow() -> None:
    run = batches((1, 0.002), (2, 0.0038), (4, 0.0040), (8, 0.0048), (16, 0.0088))
    assert "From batch 8 to 16 the gain is only 1.1 times" in throughput_figure(run).caption
    rising = throughput_figure(replace(run, points=run.points[:4]))
    assert "still gave half as much again" in rising.caption


def test_what_launches_cost_is_said_from_the_trials() -> None:
    plain, graph = Trial("plain", 0.1, 0.004, gap=1e-6), Trial("graph", 0.4, 0.001, gap=2e-6)
    refused, compiled = Trial("compiled", 0.0, None, "no compiler"), Trial("compiled", 30.0, 0.0008)
    said = launch_words(replace(RUN, trials=(plain, graph, refused)))
    assert re.findall(r"([\d.]+)\u202f", said) == ["4.0", "1.0", "75.0"]
    assert "0.80\u202fms" in launch_words(replace(RUN, trials=(plain, compiled)))
    assert launch_words(replace(RUN, trials=(plain, refused))) == launch_words(RUN) == ""


def test_labels_and_choices_are_data_and_not_markup() -> None:
    grid = padding_grid(Padding((("<b>a</b>", "$x$"), ("<script>",)), 2, 9.0, ()))
    assert "<script>" not in grid
    assert "&lt;script&gt;" in grid
    assert grid.count('title="padding"') == 1
    text = as_json(checked(choices_figure(SCORING)))
    assert "<b>sad" not in text
    assert "&lt;b&gt;sad" in text


def test_prices_and_scores_are_those_of_the_records() -> None:
    chart = price_figure(Prices(1.0, 20.0, 4), "Here.")
    assert [bar.x[0] for bar in checked(chart).data] == [1.0, 20.0]
    assert "4 sequences sharing" in chart.caption
    assert [bar.x[0] for bar in checked(choices_figure(SCORING)).data] == [75.0, 25.0]
    seconds = [bar.x[0] for bar in checked(scoring_figure(SCORING, "here")).data]
    assert seconds == pytest.approx([8, 15, 1000 * SCORING.written.seconds])

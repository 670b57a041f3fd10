"""The serving lesson's figures show the records' own numbers."""

import re
from dataclasses import replace

import pytest

from model.serving.records import (
    BlockMemory,
    Comparison,
    EnginePass,
    Output,
    Policy,
    Request,
    ServerMoment,
    ServerRun,
    ServingRun,
)
from tests.charts.drawn_charts import checked, column
from viz.chart import Chart
from viz.serving.lanes_chart import (
    HALF,
    PASSES,
    SECONDS,
    end_of,
    gaps_between,
    held_up,
    lanes_figure,
    run_words,
    runs_table,
    server_figure,
    still_share,
)
from viz.serving.memory_chart import blocks_figure, reserved_figure

# two requests: the second arrives during the first pass, waits, is read while the first is stalled
RUN = ServingRun(
    Policy("continuous batching", 2),
    (Request((1, 2), 3), Request((3,), 1, arrives=0.05)),
    (
        EnginePass(0.0, 0.1, ("prefill", ""), (2, 0)),
        EnginePass(0.1, 0.1, ("decode", "waiting"), (3, 0)),
        EnginePass(0.2, 0.2, ("stalled", "prefill"), (3, 1)),
        EnginePass(0.4, 0.1, ("decode", ""), (4, 0)),
    ),
    (Output((7, 8, 9), (0.1, 0.2, 0.5), 3), Output((7,), (0.4,), 0)),
)


def boxes(chart: Chart) -> dict[str, list[tuple[float, float]]]:
    """The boxes that are drawn, by what they show."""
    return {
        trace.name: [(trace.x[i], trace.x[i + 1]) for i in range(0, len(trace.x), 6)]
        for trace in checked(chart).data
        if trace.fill
    }


def test_the_axis_ends_with_the_longest_run_whatever_the_number_of_lanes() -> None:
    _, end = checked(lanes_figure([RUN, RUN], "cpu")).layout.xaxis.range
    assert 0.5 <= end < 0.7


def test_a_lane_waits_from_its_arrival_and_shows_every_pass() -> None:
    assert boxes(lanes_figure([RUN], "cpu")) == {
        "waits": [(0.2, 0.4), (0.05, 0.2)],
        "reads": [(0.0, 0.1), (0.2, 0.4)],
        "writes": [(0.1, 0.2), (0.4, 0.5)],
    }
    assert boxes(lanes_figure([RUN], "cpu", axis=PASSES))["reads"] == [(0, 1), (2, 3)]
    covered = lanes_figure([RUN, replace(RUN, policy=Policy("b", 2))], "cpu", n_covered=1)
    assert boxes(covered) == boxes(lanes_figure([RUN], "cpu"))
    assert (end_of(RUN, SECONDS), end_of(RUN, PASSES)) == (0.5, 4)


def test_each_lane_of_a_later_run_says_by_how_much_it_is_done_sooner_or_later() -> None:
    later = (Output((7, 8, 9), (0.1, 0.2, 0.6), 0), Output((7,), (0.2,), 0))
    after = replace(RUN, policy=Policy("b", 2), outputs=later)
    assert gaps_between(RUN, after) == pytest.approx([0.1, -0.2])
    notes = checked(lanes_figure([RUN, after], "cpu", compares=True)).layout.annotations
    told = [(note.text, note.y) for note in notes if re.search("sooner|later", note.text)]
    assert told == [("<b>0.10\u202fs later</b>, as 2 is read", 5), ("0.20\u202fs sooner", 6)]
    titles = [note.y for note in notes if "ontinuous" in note.text or note.text == "<b>B</b>"]
    assert titles == [0, 4], "a row of room above the second title, at row 3"


def test_a_lane_is_held_up_by_the_request_that_is_read_meanwhile() -> None:
    assert held_up(RUN, 0, SECONDS) == (1, pytest.approx(0.2), pytest.approx(0.4))
    assert held_up(RUN, 0, PASSES) == (1, 2, 3)
    assert held_up(RUN, 1, SECONDS) is None, "it waits for its turn, which is another matter"
    alone = replace(RUN, passes=RUN.passes[:2] + RUN.passes[3:])
    assert held_up(alone, 0, SECONDS) is None
    late = replace(RUN, outputs=(Output((7, 8, 9), (0.1, 0.2, 0.6), 0), Output((7,), (0.2,), 0)))
    figure = checked(lanes_figure([RUN, late], "cpu", compares=True))
    (wait, reading) = [trace for trace in figure.data if not trace.fill]
    assert [(min(one.x), max(one.x)) for one in (wait, reading)] == [(0.2, 0.4)] * 2
    assert [round(min(one.y) + HALF) for one in (wait, reading)] == [5, 6]
    sooner = replace(RUN, outputs=(Output((7,), (0.1,), 0), Output((7,), (0.2,), 0)))
    figure = checked(lanes_figure([RUN, sooner], "cpu", compares=True))
    assert all(trace.fill for trace in figure.data), "no lane is late: nothing is outlined"


def test_the_legend_of_two_runs_stands_in_the_empty_row_between_them() -> None:
    layout = checked(lanes_figure([RUN, RUN], "cpu", compares=True)).layout
    assert layout.legend.y == pytest.approx(1 - 3.5 / 7)
    assert layout.xaxis.ticktext[-1].endswith("s")
    assert "s" not in "".join(
        checked(lanes_figure([RUN], "cpu", PASSES)).layout.xaxis.ticktext or ()
    )


def test_what_stands_still_ends_between_the_lanes_of_the_first_run_and_of_the_next() -> None:
    share = still_share([RUN, RUN], 1)
    rows = [row for one in checked(lanes_figure([RUN, RUN], "cpu")).data for row in one.y if row]
    assert max(rows) - min(rows) == pytest.approx(6 + 2 * HALF)
    assert 1 + 2 * HALF < share * (6 + 2 * HALF) < 5, (
        "below two lanes, above the two of the next run"
    )
    assert still_share([RUN, RUN], 0) == 0


def test_a_run_is_told_by_the_definitions_of_its_speed_its_stalls_and_its_latencies() -> None:
    assert re.findall(r"[\d.]+", "".join(run_words(RUN))) == ["8.00", "3"], "its preemptions"
    calm = replace(RUN, outputs=tuple(replace(one, n_preempted=0) for one in RUN.outputs))
    assert re.findall(r"[\d.]+", "".join(run_words(calm))) == ["8.00", "200"], "its longest stall"
    assert RUN.first_seconds == pytest.approx([0.1, 0.35])
    assert RUN.gaps == pytest.approx([0.1, 0.3])
    row = runs_table(Comparison((RUN,), RUN, 2))[0]
    told = [row[name] for name in ("TTFT p50", "ITL p95", "tokens/s", "preempted")]
    assert told == ["225\u202fms", "290\u202fms", "8.00", "3"]


REMOTE = replace(RUN, policy=Policy("the server", 0, is_remote=True))


def test_what_a_client_read_in_one_go_is_no_measurement() -> None:
    """18.7 us between two tokens was once shown as a server's latency."""
    times = (0.1, 0.2, 0.3, 0.300_018_7, 0.4, 0.5, 0.7)  # two of them were read in one go
    late = replace(REMOTE, outputs=(Output((1,) * 7, times, 0), Output((7,), (0.4,), 0)))
    assert late.gaps == pytest.approx([0.1, 0.1, 0.2])
    assert late.n_gaps == 6
    assert late.first_seconds == pytest.approx([0.1, 0.35])
    assert replace(late, policy=RUN.policy).gaps[2] == pytest.approx(18.7e-6)


def test_what_was_not_measured_is_a_dash() -> None:
    at_once = Output((1,) * 3, (0.1, 0.100_01, 0.100_02), 0)
    row = runs_table(Comparison((replace(REMOTE, outputs=(at_once, at_once)),), None))[0]
    assert {row[f"{name} p{n}"] for name in ("TTFT", "ITL") for n in (50, 95)} == {"–"}
    single = replace(REMOTE, outputs=(Output((7,), (0.1,), 0), Output((), (), 0)))
    row = runs_table(Comparison((single,), None))[0]
    assert (row["ITL p50"], row["TTFT p50"]) == ("–", "100\u202fms")


def test_a_server_s_own_figures_are_drawn_as_it_says_them() -> None:
    moments = (ServerMoment(0.0, 1, 0, 0.01), ServerMoment(0.1, 2, 3, 0.25))
    run = ServerRun(Comparison((REMOTE,), None), moments, n_asked=40, n_hit=10)
    top = 2 * end_of(REMOTE, SECONDS)  # the server was looked at longer than tokens came
    chart = server_figure(run, top)
    lanes = lanes_figure([REMOTE], "", top=top)
    axes = [one.figure.to_dict()["layout"]["xaxis"]["range"] for one in (chart, lanes)]
    assert axes[0] == axes[1]
    assert [list(trace.y) for trace in checked(chart).data] == [[1, 2], [0, 3]]
    assert {"25.0", "40", "10"} <= set(re.findall(r"[\d.]*\d", chart.caption))
    assert "passes" not in lanes_figure([REMOTE], "a server").caption
    assert column(runs_table(run.comparison), "passes") == ["–"]


def test_blocks_show_what_is_used_wasted_and_shared() -> None:
    memory = BlockMemory((20, 30, 0), (0, 1, 0), 16, 4096)
    chart = blocks_figure(memory)
    assert boxes(chart) == {
        "in use": [(0, 16), (16, 20), (16, 30)],
        "wasted": [(20, 32), (30, 32)],
        "stored above already": [(0, 16)],
    }
    assert "with 2 requests in memory: 4 blocks of 16, whose ends waste 14" in chart.caption
    assert "saves 1 block." in chart.caption
    bars = checked(reserved_figure(memory)).data
    assert [list(bar.x) for bar in bars] == [[50], [64], [48], [4096]]

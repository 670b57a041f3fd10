"""The serving lesson's figures show the records' own numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from model.serving.records import (
    Comparison,
    EnginePass,
    Memory,
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
    PASSES,
    SECONDS,
    end_of,
    lanes_figure,
    run_title,
    runs_table,
    server_figure,
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


def test_a_lane_waits_from_its_arrival_and_shows_every_pass() -> None:
    assert boxes(lanes_figure(RUN, "cpu")) == {
        "waiting": [(0.05, 0.2)],
        "prefill": [(0.0, 0.1), (0.2, 0.4)],
        "decode": [(0.1, 0.2), (0.4, 0.5)],
        "stalled": [(0.2, 0.4)],
    }
    assert boxes(lanes_figure(RUN, "cpu", axis=PASSES))["prefill"] == [(0, 1), (2, 3)]
    assert (end_of(RUN, SECONDS), end_of(RUN, PASSES)) == (0.5, 4)


def test_a_run_is_told_by_the_definitions_of_its_speed_its_stalls_and_its_latencies() -> None:
    assert re.findall(r"[\d.]+", run_title(RUN)) == ["8.00", "200", "3"]  # preemptions last
    assert RUN.first_seconds == pytest.approx([0.1, 0.35])
    assert RUN.gaps == pytest.approx([0.1, 0.3])
    row = runs_table(Comparison((RUN,), RUN, 2))[0]
    told = [row[name] for name in ("TTFT p50", "ITL p95", "tokens/s", "preempted")]
    assert told == ["225\u202fms", "290\u202fms", "8.00", "3"]


def test_what_a_client_read_in_one_go_shares_its_time_and_what_had_no_gap_is_a_dash() -> None:
    times = (0.1, 0.10001, 0.2, 0.20001, 0.20002, 0.3)  # reads of two tokens, three and one
    remote = replace(RUN, policy=Policy("the server", 0, is_remote=True))
    late = replace(remote, outputs=(Output((1,) * 6, times, 0), Output((7,), (0.4,), 0)))
    assert late.gaps == pytest.approx([0.1 / 3] * 3 + [0.1], abs=1e-4)
    single = replace(remote, outputs=(Output((7,), (0.1,), 0), Output((7,), (0.4,), 0)))
    assert runs_table(Comparison((single,), None))[0]["ITL p50"] == "–"


def test_a_server_s_own_figures_are_drawn_as_it_says_them() -> None:
    moments = (ServerMoment(0.0, 1, 0, 0.01), ServerMoment(0.1, 2, 3, 0.25))
    remote = replace(RUN, policy=Policy("the server", 0, is_remote=True))
    run = ServerRun(Comparison((remote,), None), moments, n_asked=40, n_hit=10)
    chart = server_figure(run)
    assert [list(trace.y) for trace in checked(chart).data] == [[1, 2], [0, 3]]
    assert {"25.0", "40", "10"} <= set(re.findall(r"[\d.]*\d", chart.caption))
    assert "passes" not in lanes_figure(remote, "a server").caption
    assert column(runs_table(run.comparison), "passes") == ["–"]


def test_blocks_show_what_is_used_wasted_and_shared() -> None:
    memory = Memory((20, 30, 0), (0, 1, 0), 16, 4096)
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

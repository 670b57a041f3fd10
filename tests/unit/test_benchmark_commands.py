"""The commands of the cache and the phases, on tiny models: every figure beside a ratio."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from benchmarks import bench_batching, bench_cache, bench_phases, bench_roofline
from benchmarks.figures import describe_machine
from model import ceilings
from model.batching import BatchExperiment
from model.engines import BY_HAND, PLAIN
from model.phase_experiments import PhaseExperiment
from model.roofline import RooflineExperiment
from model.timing import processor
from tests.tiny_models import tiny


@pytest.fixture(autouse=True)
def _small_and_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "_COPIED", {"cpu": 1 << 20})
    monkeypatch.setattr(ceilings, "_MULTIPLIED", {"cpu": 64})
    monkeypatch.setattr(RooflineExperiment.__init__, "__defaults__", ((16,), (1, 2), 8, 2))
    monkeypatch.setattr(BatchExperiment.__init__, "__defaults__", ((1, 2), 8, 2))
    for module in (bench_batching, bench_cache, bench_roofline):
        monkeypatch.setattr(module, "chosen_model", lambda _: tiny("llama"))
    monkeypatch.setattr(sys, "argv", ["a command"])


def test_the_machine_is_named_as_everywhere_in_the_app() -> None:
    assert describe_machine().startswith(processor())


def test_every_engine_is_timed_beside_generate(
    capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_phases, "PROMPT", "the cat")
    lm = tiny("llama")
    baseline = bench_phases.against_generate(lm, rounds=1, n_tokens=5)
    assert baseline.seconds
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].startswith(PLAIN)
    assert lines[-1].startswith(BY_HAND)
    assert all("n 5" in line and "x of transformers’ generate" in line for line in lines[-2:])
    run = bench_phases.run_through(PhaseExperiment(lm, PLAIN, swap=(3, 12), lengths=(4,))).result
    bench_phases.report(run, baseline)
    said = capsys.readouterr().out
    assert "x of decode, a token" in said
    assert "x of 3 tokens in, 12 out" in said
    bench_phases.score_and_write(lm)
    assert "one pass for a vector" in capsys.readouterr().out


def test_the_cache_is_held_against_no_cache(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["bench_cache", "--tokens", "24"])
    bench_cache.main()
    said = capsys.readouterr().out
    assert "x of 24 tokens, no cache" in said
    assert "FLOPs: " in said
    assert "agree in 8 of 8 passes" in said
    assert "the same, 8 of them in the cache" in said


def test_roofline_and_batches_print_their_ratios(capsys: Any) -> None:
    bench_roofline.main()
    said = capsys.readouterr().out
    assert said.count("MBU") == said.count("MFU") == said.count("bound by") == 4
    bench_batching.main()
    assert "x of batch 1" in capsys.readouterr().out

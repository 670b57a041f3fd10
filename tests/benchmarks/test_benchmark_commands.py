"""The commands of the cache and the phases, on tiny models: every figure beside a ratio."""

import json
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks import (
    bench_batching,
    bench_cache,
    bench_phases,
    bench_roofline,
    on_gpu,
    record,
    replays,
)
from benchmarks.figures import describe_machine
from model.fast.engines import MANUAL, PLAIN
from model.job import Progress, Work, finish
from model.loading import LanguageModel
from model.machine.device import processor
from model.prefill_decode.batching import measure_batches
from model.prefill_decode.experiments import measure_phases
from model.prefill_decode.recordings import recordings
from model.prefill_decode.records import Energy, PhaseRun
from model.prefill_decode.roofline import measure_roofline
from tests.tiny_models import tiny


@pytest.fixture(autouse=True)
def _small_and_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_roofline, "__defaults__", ((16,), (1, 2), 8, 2))
    monkeypatch.setattr(measure_batches, "__defaults__", ((1, 2), 8, 2))
    for module in (bench_batching, bench_cache, bench_roofline):
        monkeypatch.setattr(module, "chosen_model", lambda _: tiny("llama"))


def test_the_machine_is_named_as_everywhere_in_the_app() -> None:
    assert describe_machine().startswith(processor())


def test_every_engine_is_timed_beside_generate(
    capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_phases, "PROMPT", "the cat")
    lm = tiny("llama")
    baseline, *ours = bench_phases.against_generate(lm, rounds=1, n_tokens=5)
    assert [timing.label for timing in ours] == [PLAIN, MANUAL]
    assert all(len(timing.seconds) == 5 for timing in (baseline, *ours))
    assert capsys.readouterr().out.count("x of transformers’ generate") == 2
    bench_phases.report(finish(measure_phases(lm, PLAIN, swap=(3, 12), lengths=(4,))), baseline)
    bench_phases.scoring_beside_writing(lm)
    said = capsys.readouterr().out
    for words in ("x of decode, a token", "x of 3 tokens in, 12 out", "one pass for a vector"):
        assert words in said


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        (bench_cache, ["--tokens", "24"], ["x of 24 tokens, no cache", "FLOPs: ", "8 of 8 passes"]),
        (bench_roofline, [], ["MBU", "MFU", "bound by"]),
        (bench_batching, [], ["x of batch 1"]),
    ],
)
def test_a_command_prints_its_figures_beside_ratios(
    command: ModuleType,
    arguments: list[str],
    words: list[str],
    capsys: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["a command", *arguments])
    command.main()
    said = capsys.readouterr().out
    assert all(each in said for each in words), said


def test_one_command_measures_a_model_and_a_shape_and_records_both(
    capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The engine that is recorded fails on the shape: that is told, and the rest is measured."""

    def phases(lm: LanguageModel, engine: str) -> Work[PhaseRun]:
        if lm.name == "shape":
            raise RuntimeError("no kernel image")
        return measure_phases(lm, engine, swap=(3, 12), lengths=(4,))

    monkeypatch.setattr(record, "measure_phases", phases)
    briefly = partial(bench_phases.against_generate, rounds=1, n_tokens=5)
    monkeypatch.setattr(on_gpu, "against_generate", lambda lm, **_: briefly(lm))
    monkeypatch.setattr(on_gpu, "load_model", lambda _: replace(tiny("llama"), name="small"))
    monkeypatch.setattr(on_gpu, "published_shape", lambda name: name)
    monkeypatch.setattr(on_gpu, "make_shape", lambda name: replace(tiny("gpt2"), name=name))
    monkeypatch.setattr(on_gpu, "energy_meter", lambda _: object())
    monkeypatch.setattr(on_gpu, "measure_energy", _metered)
    monkeypatch.setattr(sys, "argv", ["on_gpu", "--shape", "shape", "--folder", str(tmp_path)])
    on_gpu.main()
    small, shape = capsys.readouterr().out.split("\nshape on ")
    assert f"small: decode by {MANUAL}, of the bandwidth (MBU): " in small
    assert "small: prefill of 16 tokens, of the matrix rate (MFU): " in small
    assert "small: tokens/s of a batch of " in small
    assert "failed: no kernel image" in shape
    for said in (small, shape):
        assert "(aim at least 5: " in said
        assert "2 J, 30 J" in said
    assert [one.machine.model for one in recordings(tmp_path)] == ["small"]


def _metered(_: object, engine: str, __: object) -> Work[Energy]:
    yield Progress(0, 1, "metering")
    return Energy(engine, 2.0, 30.0)


def test_a_run_is_saved_as_a_page_with_all_its_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = ((2, {"greedy": True}), (1, replays.NUCLEUS))
    monkeypatch.setattr(replays, "RUNS", {"short": ("Once upon", parts)})
    written = replays.write_replay("short", tmp_path).read_text(encoding="utf-8")
    (data,) = re.findall(
        r'<script type="application/json" id="run">(.*?)</script>', written, re.DOTALL
    )
    recording = json.loads(data)
    assert len(recording["positions"]) == 3
    assert recording["facts"]["model"]["name"] == "storyteller"

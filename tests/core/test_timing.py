"""The clock: real durations, and the machine named."""

from __future__ import annotations

import torch

from model.prefill_decode.ceilings import Rate
from model.prefill_decode.records import Request, Timed
from model.records import Machine
from model.timing import describe, processor
from tests.tiny_models import tiny


def test_the_machine_is_named_with_what_a_figure_depends_on() -> None:
    machine = describe(tiny("llama"))
    assert (machine.device, machine.dtype) == ("CPU", "float32")
    assert machine.processor == processor(torch.device("cpu")) == processor()
    assert machine.n_parameters == tiny("llama").n_parameters
    assert set(machine.versions) == {"torch", "transformers"}
    assert machine.date[:2] == "20"
    assert f"{machine.n_threads} thread" in machine.where


def test_threads_are_said_of_a_cpu_alone() -> None:
    gpu = Machine("cuda:0", "A GPU", "bfloat16", 8, "m", 1)
    assert gpu.where == "A GPU, bfloat16"
    assert Machine("cpu", "A CPU", "float32", 2, "m", 1).where == "A CPU, float32, 2 threads"
    assert Machine("cpu", "A CPU", "float32", 1, "m", 1).where == "A CPU, float32, 1 thread"


def test_the_middle_run_counts_and_a_ceiling_is_the_best() -> None:
    timed = Timed((3.0, 1.0, 2.0))
    assert (timed.median, timed.low, timed.high, timed.n) == (2.0, 1.0, 3.0, 3)
    rate = Rate(10.0, (2.0, 1.0, 4.0))
    assert (rate.best, rate.spread) == (10.0, 1.0)


def test_ttft_itl_and_tpot_are_those_of_the_field() -> None:
    request = Request(5, 0.5, (0.1, 0.3))
    assert (request.n_out, request.seconds) == (3, 0.9)
    assert request.per_output == (request.seconds - 0.5) / 2
    assert Request(5, 0.5, ()).per_output is None

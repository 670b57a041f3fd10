"""The clock: real durations, and the machine named."""

import pytest
import torch

from model.machine.device import processor
from model.prefill_decode.ceilings import Rate
from model.prefill_decode.records import RequestTiming, Timed
from model.records import Machine
from model.timing import describe
from tests.tiny_models import tiny


def test_the_machine_is_named_with_what_a_figure_depends_on() -> None:
    machine = describe(tiny("llama"))
    assert (machine.device, machine.dtype) == ("CPU", "float32")
    assert machine.processor == processor(torch.device("cpu")) == processor()
    assert machine.n_parameters == tiny("llama").n_parameters
    assert set(machine.versions) == {"torch", "transformers"}
    assert machine.date[:2] == "20"


@pytest.mark.parametrize(
    ("device", "n_threads", "where"),
    [
        ("cuda:0", 8, "A chip, float32"),
        ("cpu", 2, "A chip, float32, 2 threads"),
        ("CPU", 1, "A chip, float32, 1 thread"),
    ],
)
def test_threads_are_said_of_a_cpu_alone(device: str, n_threads: int, where: str) -> None:
    assert Machine(device, "A chip", "float32", n_threads, "m", 1).where == where


def test_durations_are_summed_up_by_the_words_of_the_field() -> None:
    timed = Timed((3.0, 1.0, 2.0))
    assert (timed.median, timed.low, timed.high, timed.n) == (2.0, 1.0, 3.0, 3)
    rate = Rate(10.0, (2.0, 1.0, 4.0))
    assert (rate.best, rate.spread) == (10.0, 1.0)
    request = RequestTiming(5, 0.5, (0.1, 0.3))
    assert (request.n_out, request.seconds) == (3, 0.9)
    assert request.per_output == (request.seconds - 0.5) / 2
    assert RequestTiming(5, 0.5, ()).per_output is None

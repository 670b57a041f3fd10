"""Prefill against decode, much in and little out against the reverse, on the machine at hand.

    python -m benchmarks.bench_phases [--model storyteller | --shape GPT-2]

Prints seconds per token of both phases, and the ratio of the two requests that swap in and out.
"""

from __future__ import annotations

import argparse
from typing import Protocol, TypeVar

from benchmarks.bench_decode import STRATEGIES, time_theirs
from benchmarks.figures import Timing, describe_machine
from model.engines import engine_names
from model.loading import LanguageModel, load_model
from model.phase_experiments import PhaseExperiment, some_ids, swap_lengths
from model.random_shapes import make_shape, published_shape
from model.records.phases import PhaseRun

N_GENERATED = 300  # tokens by generate, the baseline


class Experiment(Protocol):
    """What runs pass by pass until it is done."""

    is_done: bool

    def advance(self) -> None:
        """Runs the next pass."""


E = TypeVar("E", bound=Experiment)


def run_through(experiment: E) -> E:
    """Runs an experiment to its end."""
    while not experiment.is_done:
        experiment.advance()
    return experiment


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Lets the command say what is measured: a model, or a published shape with random weights."""
    parser.add_argument("--model", default="storyteller", help="a shipped model, a folder, an id")
    parser.add_argument("--shape", help="a published shape, such as GPT-2; random weights")


def chosen_model(options: argparse.Namespace) -> LanguageModel:
    """Loads the model, or makes the shape, that the command names."""
    if not options.shape:
        return load_model(options.model)
    return make_shape(published_shape(options.shape))


def report(run: PhaseRun, baseline: Timing) -> None:
    """Prints both phases, decode as the baseline of prefill, and generate as decode's."""
    print(f"\n{run.machine.model}, {run.engine}")
    gaps = tuple(gap for request in run.long_out for gap in request.gaps)
    decode = Timing("decode, a token", gaps)
    print(decode.line(baseline))
    for reading in run.readings:
        each = tuple(second / reading.n_tokens for second in reading.seconds.seconds)
        print(Timing(f"prefill of {reading.n_tokens}, a token", each).line(decode))
    many, few = run.long_out[0], run.long_in[0]
    reverse = Timing(
        f"{many.n_in} tokens in, {many.n_out} out", tuple(r.seconds for r in run.long_out)
    )
    print(reverse.line())
    label = f"{few.n_in} tokens in, {few.n_out} out"
    print(Timing(label, tuple(r.seconds for r in run.long_in)).line(reverse))


def main() -> None:
    """Measures each way in which the model can decode here."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_model_options(parser)
    options = parser.parse_args()
    lm = chosen_model(options)
    print(describe_machine(), f"{lm.name}, {lm.dtype}, {lm.device}", sep="\n")
    few, many = swap_lengths(lm)
    theirs = time_theirs(lm, some_ids(lm, few), STRATEGIES[0], min(many, N_GENERATED))
    baseline = Timing("transformers’ generate, a token", tuple(theirs))
    print(baseline.line())
    for name in engine_names(lm):
        report(run_through(PhaseExperiment(lm, name)).result, baseline)


if __name__ == "__main__":
    main()

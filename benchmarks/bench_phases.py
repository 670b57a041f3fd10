"""Prefill against decode, much in and little out against the reverse, one pass against a loop.

    python -m benchmarks.bench_phases [--model storyteller | --shape GPT-2] [--rounds 3]

Prints a token of each engine beside one of transformers' `generate`, by the same clock and in
turns; then both phases of each engine, the requests that swap in and out, and what a score or a
vector takes beside an answer that is written.
"""

import argparse
import time
from collections.abc import Sequence
from itertools import groupby, islice, pairwise

from benchmarks.bench_decode import STRATEGIES, time_theirs
from benchmarks.figures import Timing, describe_machine, record
from model.fast.engines import Engine, engine_names, make_engine
from model.job import finish
from model.loading import LanguageModel, load_model
from model.prefill_decode.experiments import (
    Choose,
    best_that_goes_on,
    measure_phases,
    stream,
    swap_lengths,
)
from model.prefill_decode.random_weights import make_shape
from model.prefill_decode.records import PhaseRun
from model.prefill_decode.scoring import score_and_write
from model.timing import describe
from model.tokenizing import random_ids
from model.weights.published_shapes import published_shape

N_GENERATED = 100  # tokens of each engine and of generate, in each round
PROMPT = "Once there was a boy. He lost his red ball and could not find it. The boy was very"
CHOICES = ("sad", "happy", "hungry")


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Lets the command say what is measured: a model, or a published shape with random weights."""
    parser.add_argument("--model", default="storyteller", help="a shipped model, a folder, an id")
    parser.add_argument("--shape", help="a published shape, such as GPT-2; random weights")


def chosen_model(options: argparse.Namespace) -> LanguageModel:
    """Loads the model, or makes the shape, that the command names; says what, and where."""
    lm = make_shape(published_shape(options.shape)) if options.shape else load_model(options.model)
    print(describe_machine(), f"{lm.name} on {describe(lm).where}", sep="\n")
    return lm


def time_ours(engine: Engine, prompt: Sequence[int], choose: Choose, n_out: int) -> list[float]:
    """Returns the seconds from one token of an engine to the next, by the clock on the wall.

    The choice of the token is in it, and the copy of the logits to the host, as in `generate`.
    """
    tokens = islice(stream(engine, prompt, choose), n_out + 1)
    times = [time.perf_counter() for _ in tokens]
    return [later - before for before, later in pairwise(times)]


def against_generate(lm: LanguageModel, rounds: int, n_tokens: int) -> list[Timing]:
    """Prints a token of each engine beside one of `generate`, in turns; the first warms up.

    Returns:
        The timings, that of `generate` first.
    """
    few, many = swap_lengths(lm)
    prompt, n_out = random_ids(lm, few), min(n_tokens, many - 1)
    engines = {name: make_engine(lm, name, few + n_out + 1) for name in engine_names(lm)}
    for name, engine in list(engines.items()):
        try:
            for doing, _ in groupby(engine.prepare()):
                print(f"{name}: {doing}")
        except ValueError as error:
            print(f"not by {name}: {error}")
            del engines[name]
    theirs: list[float] = []
    ours: dict[str, list[float]] = {name: [] for name in engines}
    for turn in range(rounds + 1):
        their_turn = time_theirs(lm.model, prompt, STRATEGIES[0], n_out)
        theirs += their_turn if turn else []
        for name, engine in engines.items():
            seconds = time_ours(engine, prompt, best_that_goes_on(lm), n_out)
            ours[name] += seconds if turn else []
    baseline = Timing("transformers’ generate, a token", tuple(theirs))
    print(baseline.line())
    timings = [Timing(name, tuple(seconds)) for name, seconds in ours.items()]
    for timing in timings:
        print(timing.line(baseline))
    return [baseline, *timings]


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
    swapped = Timing(label, tuple(r.seconds for r in run.long_in))
    print(swapped.line(reverse))
    shown = f"{reverse.median:.2f} s; swapped {swapped.median:.2f} s"
    record(f"{many.n_in} tokens in and {many.n_out} out, {run.engine}", shown)
    for trial in run.trials:
        took = f"{trial.step_seconds * 1000:8.3f} ms" if trial.step_seconds else trial.reason
        print(f"  {trial.way:<10} {took}, warm-up {trial.warmup_seconds:.1f} s, gap {trial.gap}")


def scoring_beside_writing(lm: LanguageModel) -> None:
    """Prints one pass that scores three choices, and one for a vector, beside a written answer."""
    found = finish(score_and_write(lm, PROMPT, CHOICES))
    written = Timing(f"an answer of {found.written.n_out} tokens", (found.written.seconds,))
    print(f"\n{written.line()}")
    print(Timing("one pass that scores 3 choices", found.score_seconds.seconds).line(written))
    print(Timing("one pass for a vector", found.vector_seconds.seconds).line(written))


def main() -> None:
    """Measures each way in which the model can decode here."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_model_options(parser)
    parser.add_argument("--rounds", type=int, default=3, help="of the engines and generate")
    parser.add_argument("--tokens", type=int, default=N_GENERATED, help="in each round")
    parser.add_argument("--brief", action="store_true", help="two requests of 100 and 10 tokens")
    options = parser.parse_args()
    lm = chosen_model(options)
    baseline, *ours = against_generate(lm, options.rounds, options.tokens)
    swap = (10, 100) if options.brief else None
    for timing in ours:
        report(finish(measure_phases(lm, timing.label, swap)), baseline)
    scoring_beside_writing(lm)


if __name__ == "__main__":
    main()

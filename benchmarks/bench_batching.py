"""Tokens per second at batch 1, 2, 4, ... 64, against batch 1.

python -m benchmarks.bench_batching [--model storyteller | --shape GPT-2]
"""

import argparse

from benchmarks.bench_phases import add_model_options, chosen_model
from benchmarks.figures import record
from model.job import finish
from model.prefill_decode.batching import measure_batches


def main() -> None:
    """Measures decode steps of growing batches and prints their throughput."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_model_options(parser)
    options = parser.parse_args()
    lm = chosen_model(options)
    run = finish(measure_batches(lm))
    if not run.points:
        raise SystemExit(run.refused)
    first = run.points[0].tokens_per_second
    for point in run.points:
        print(
            f"batch {point.n_batch:3}  {point.seconds.median * 1000:8.2f} ms a step"
            f"  {point.tokens_per_second:8.0f} tokens/s"
            f"  {point.tokens_per_second / first:5.2f}x of batch 1"
            f"  MBU {point.bytes_per_second / run.copy:6.1%}"
        )
    last = run.points[-1]
    shown = f"{last.tokens_per_second:.0f} tokens/s; one alone {first:.0f} tokens/s"
    record(f"{last.n_batch} sequences in one pass", shown)
    if run.refused:
        print(run.refused)


if __name__ == "__main__":
    main()

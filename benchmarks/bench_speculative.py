"""Speculative against plain decoding on the shipped pair, both greedy and by the same passes.

    python -m benchmarks.bench_speculative [--tokens 64] [--runs 5] [--draft scribbler]

Prints the speed-up of every draft length, what the measured parts predict of it, the textbook's
formula, best and worst case, and how both sides read: by hand, or by the model's own pass.
"""

import argparse

import torch

from benchmarks.figures import describe_machine, milliseconds, record
from model.job import finish
from model.loading import load_model
from model.speculative.drafting import ModelDraft, check_pair
from model.speculative.records import FORCED_LENGTH, Speed
from model.speculative.timing import measure_speed
from model.tokenizing import encode

PROMPTS = (
    "Once upon a time there was a little girl who",
    "One day, a boy named Tim went to the park. He saw",
    "The dragon opened the door and",
    "It was raining, and the old king",
)


def line(speed: Speed) -> str:
    """Returns one line for the terminal."""
    name = "adaptive" if speed.n_draft is None else f"{speed.n_draft} tokens"
    text = f"{name:<12} measured {speed.measured:5.2f}x"
    if speed.predicted is not None and speed.textbook is not None:
        off = speed.predicted / speed.measured - 1
        text += f"  predicted {speed.predicted:5.2f}x ({off:+.0%})  textbook {speed.textbook:5.2f}x"
    same = "same texts" if speed.is_same else "TEXTS DIFFER"
    return f"{text}  {speed.tokens_per_round:.2f} tokens a target pass, {same}"


def main() -> None:
    """Times the pair."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--target", default="storyteller")
    parser.add_argument("--draft", default="scribbler")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--runs", "--rounds", type=int, default=5)
    options = parser.parse_args()
    print(describe_machine(), f"{torch.get_num_threads()} threads", sep="\n")
    target, draft = load_model(options.target), load_model(options.draft)
    check_pair(target, draft)
    for lm in (target, draft):
        way = "by hand" if lm.weights.quick else "by the model’s own pass"
        print(f"{lm.name}: {lm.n_parameters / 1e6:.1f}M parameters, {lm.dtype}, read {way}")
    prompts = [encode(target, prompt) for prompt in PROMPTS]
    report = finish(
        measure_speed(
            target,
            lambda: ModelDraft(draft, target.vocab_size),
            prompts,
            n_tokens=options.tokens,
            n_runs=options.runs,
        )
    )
    for speed in report.speeds:
        print(line(speed))
    adaptive = next(speed for speed in report.speeds if speed.n_draft is None)
    record("speculative decoding, adaptive draft, of plain", f"{adaptive.measured:.2f}x")
    best, worst = report.extremes or (0.0, 0.0)
    print(f"{FORCED_LENGTH} tokens: all accepted {best:.2f}x, none accepted {worst:.2f}x")
    parts = report.parts
    print(f"plain step {milliseconds(parts.decode_seconds)}, of which it is made:")
    for width, seconds in parts.verify_seconds.items():
        print(f"  target over {width} tokens {milliseconds(seconds)}")
    print(f"  draft step {milliseconds(parts.draft_seconds)}")
    print(f"  between the passes {milliseconds(parts.overhead_seconds)}")
    rates = ", ".join(f"{rate:.2f}" for rate in parts.acceptance.by_place)
    print(f"accepted, by place: {rates}; of all {parts.acceptance.rate:.2f}")


if __name__ == "__main__":
    main()

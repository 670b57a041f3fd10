"""A page filled in K passes against the loop writing as many tokens, same run, taking turns.

    python -m benchmarks.bench_diffusion [--rounds 5] [--length 48]

A pass over a whole page costs more than a step of the loop with its cache: what is saved is passes.
"""

import argparse

import torch

from benchmarks.figures import Timing, describe_machine
from model.diffusion.denoising import Diffusion, fill_page
from model.generation import Generation
from model.loading import LanguageModel, load_model
from model.sampling import Settings

PROMPT = "Once upon a time, there was a little girl named Lily."
GREEDY = Settings(temperature=0)


def time_loop(lm: LanguageModel, length: int) -> float:
    """Returns the seconds of the model for a prefill and as many steps as make `length` tokens."""
    text = Generation(lm, PROMPT)
    ends = sorted(lm.end_ids)
    while len(text.steps) < length:
        text.logits[ends] = float("-inf")
        text.step(GREEDY)
    return sum(one.seconds for one in text.passes[:length])


def time_passes(lm: LanguageModel, length: int, n_passes: int) -> float:
    """Returns the seconds of the model for filling `length` positions in K passes."""
    return fill_page(Diffusion(lm, length, PROMPT, n_passes=n_passes)).seconds


def main() -> None:
    """Times the loop and some numbers of passes on the shipped family."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--length", type=int, default=48)
    options = parser.parse_args()
    print(describe_machine(), f"{torch.get_num_threads()} threads", sep="\n")
    causal, masked = load_model("storyteller"), load_model("unmasker")
    length = options.length
    print(f"\n{length} tokens by {causal.name} and {masked.name}, {masked.dtype}, {masked.device}")
    counts = sorted({1, 4, 8, 16, length})
    loop: list[float] = []
    fills: dict[int, list[float]] = {n: [] for n in counts}
    for turn in range(options.rounds + 1):
        seconds = time_loop(causal, length)
        of_passes = {n: time_passes(masked, length, n) for n in counts}
        if turn > 0:  # the first warms up
            loop.append(seconds)
            for n, one in of_passes.items():
                fills[n].append(one)
    baseline = Timing(f"the loop, {length} passes", tuple(loop))
    print(baseline.line())
    for n in counts:
        print(Timing(f"diffusion, {n} passes", tuple(fills[n])).line(baseline))


if __name__ == "__main__":
    main()

"""What bfloat16 gives on this processor, against float32: passes of GPT-2's size, by turns.

    python -m benchmarks.bench_dtype [--rounds 10]

Half the memory it gives everywhere. Where it decodes no faster, that is all that it is chosen for.
"""

import argparse
from statistics import median

import numpy as np

from benchmarks.figures import describe_machine, record
from benchmarks.models import gpt2_sized
from model.generation import Generation
from model.loading import load_model
from model.passes import decode_one_token, prefill

IDS = [300 + i % 100 for i in range(300)]
FORMATS = ("float32", "bfloat16")
MAX_GAP = 0.1  # of the logits' standard deviation: what 8 bits of mantissa may cost


def main() -> None:
    """Times both formats by turns, and compares their logits."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    n_rounds = parser.parse_args().rounds
    print(describe_machine(), end="\n\n")
    with gpt2_sized() as folder:
        models = {name: load_model(str(folder), device="cpu", dtype=name) for name in FORMATS}
    texts = {name: Generation(lm, IDS) for name, lm in models.items()}
    plain, rounded = (texts[name].logits for name in FORMATS)
    decodes: dict[str, list[float]] = {name: [] for name in FORMATS}
    prefills: dict[str, list[float]] = {name: [] for name in FORMATS}
    for _ in range(n_rounds):
        for name, lm in models.items():
            prefills[name].append(prefill(lm, IDS, lm.new_cache())[1])
            decodes[name] += [decode_one_token(lm, 300, texts[name].cache)[1] for _ in range(5)]
    for what, seconds in (("a decode step", decodes), ("a prefill of 300 tokens", prefills)):
        ratio = median(seconds["bfloat16"]) / median(seconds["float32"])
        record(f"{what} of GPT-2's size in bfloat16, against float32", f"{ratio:.2f} of its time")
    gap = float(np.abs(plain - rounded).max() / plain.std())
    record(
        "bfloat16's logits against float32's, the largest gap",
        f"{gap:.3f} standard deviations",
        f"at most {MAX_GAP}",
        is_met=gap <= MAX_GAP,
    )


if __name__ == "__main__":
    main()

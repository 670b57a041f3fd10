"""With the cache against without it, and a common start read once against read twice.

    python -m benchmarks.bench_cache [--model storyteller | --shape GPT-2] [--tokens 256]

Prints seconds of a step, of a whole text and of a second prompt, each beside what it is compared
with in the same run; the arithmetic and its exponents; and how far the two sides lie apart.
"""

import argparse
from itertools import accumulate

from benchmarks.bench_phases import add_model_options, chosen_model
from benchmarks.figures import Timing, record
from model.flops import growth_exponent, predict_text
from model.job import finish
from model.kv_cache.experiments import race
from model.kv_cache.prefix import reuse_prefix
from model.kv_cache.records import Race
from model.loading import LanguageModel
from model.tokenizing import random_ids

N_DIFFERENT = 16  # tokens in which the two prompts part


def report_race(lm: LanguageModel, found: Race) -> None:
    """Prints what one text took on both sides, and what each computed."""
    steps = found.steps
    for step in (steps[len(steps) // 4 - 1], steps[len(steps) // 2 - 1], steps[-1]):
        without = Timing(f"a step at {step.n_tokens} tokens, no cache", (step.recomputed_seconds,))
        print(without.line())
        print(Timing("  the same, with the cache", (step.cached_seconds,)).line(without))
    without = Timing(
        f"{len(steps)} tokens, no cache", (sum(step.recomputed_seconds for step in steps),)
    )
    print(without.line())
    cached = Timing("  the same, with the cache", (sum(step.cached_seconds for step in steps),))
    print(cached.line(without))
    shown = f"{cached.median:.1f} s; without it {without.median:.1f} s"
    record(f"a text of {len(steps)} tokens with the KV cache, step by step", shown)
    lengths = [step.n_tokens for step in steps]
    for what, columns in (
        (
            "FLOPs",
            [[float(flops.total) for flops in side] for side in predict_text(lm, len(steps))],
        ),
        ("seconds", [[s.recomputed_seconds for s in steps], [s.cached_seconds for s in steps]]),
    ):
        sides = [list(accumulate(side)) for side in columns]
        fitted = [growth_exponent(lengths, side) for side in sides]
        said = ", ".join("too few" if one is None else f"{one:.2f}" for one in fitted)
        ratio = sides[0][-1] / sides[1][-1]
        print(f"{what}: {ratio:.1f} to 1; exponents without and with the cache {said}")


def report_agreement(found: Race) -> None:
    """Prints how far logits, keys and values of the two sides lie apart, and the FLOP counts."""
    steps, gap, checks = found.steps, found.gap, found.checks
    n_same = sum(step.same_best for step in steps)
    print(
        f"largest gap of logits {max(step.logit_gap for step in steps):.1e}; best token the same "
        f"at {n_same} of {len(steps)} lengths"
    )
    if gap is not None:
        print(f"largest gap of keys {gap.keys:.1e}, of values {gap.values:.1e}")
    n_exact = sum(check.counted == check.predicted for check in checks)
    print(f"torch’s counter and the formula agree in {n_exact} of {len(checks)} passes")


def report_reuse(lm: LanguageModel, n_tokens: int) -> None:
    """Prints a prompt read from nothing, and from the cache of one that begins alike."""
    ids = random_ids(lm, n_tokens + N_DIFFERENT)
    first, second = ids[:n_tokens], [*ids[: n_tokens - N_DIFFERENT], *ids[n_tokens:]]
    found = finish(reuse_prefix(lm, first, second)).by_token
    whole = Timing(f"a prompt of {n_tokens} tokens, from nothing", (found.whole_seconds,))
    print(whole.line())
    label = f"  the same, {found.n_kept} of them in the cache"
    print(Timing(label, (found.seconds,)).line(whole))


def main() -> None:
    """Races one text on both sides, then reads two prompts that begin alike."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_model_options(parser)
    parser.add_argument("--tokens", type=int, default=256, help="of the text and of the prompts")
    options = parser.parse_args()
    lm = chosen_model(options)
    n_tokens = min(options.tokens, lm.context_length or options.tokens)
    found = finish(race(lm, random_ids(lm, n_tokens), n_tokens))
    report_race(lm, found)
    report_agreement(found)
    report_reuse(lm, n_tokens)


if __name__ == "__main__":
    main()

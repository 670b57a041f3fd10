"""The verdict of every claim by ten sets of pointers: what is the seeds' is not the claim's.

    python -m benchmarks.verdicts [C17 ...] [--sets 10] [--model storyteller] [--thorough] [--power]

Each set draws everything anew, by other seeds. A verdict that fewer than nine tenths of the sets
give is marked: the claim needs more prompts or texts, or another measure. `--power` puts faults of
several sizes into the model and counts how many sets refuse it: from the size named in POWER on it
must be nineteen in twenty, or the line is marked and the program fails: it can run by night.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from benchmarks import violations
from benchmarks.figures import describe_machine
from model.claims.context import THOROUGH, ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.loading import LanguageModel, load_model

APART = 10_000  # seeds from the first of one set to the first of the next
STEADY, SEEN = 0.9, 0.95  # of the sets
ACCEPT = "model.speculative.decoding.accept_prob"


@dataclass(frozen=True)
class Power:
    """A fault that some claims have to refuse, and the sizes at which it is tried."""

    claims: tuple[str, ...]
    fault: str  # what is wrong, after which its size is printed
    put_in: Callable[..., LanguageModel] | None  # None: a rule of acceptance
    sizes: tuple[float, ...]  # the smallest last
    sees: float  # the size from which on the fault is refused


POWER = (
    Power(("C01", "C24"), "a cache that forgets all but the last", violations.forget,
          (24, 150, 1000), 1000),
    Power(("C10",), "a model that sees itself and the first", violations.see_first, (3, 60), 60),
    Power(("C17",), "a vote of a model that reads nothing", violations.unigram, (0,), 0),
    Power(("C30",), "a pass that reads in turn, at once", violations.in_turn, (1, 2), 1),
    Power(("C31",), "an acceptance too generous, times", None, (1.25, 1.1, 1.05), 1.1),
    Power(("C37",), "a leak of the next token, logits", violations.leak, (0.04, 1e-3, 1e-4), 1e-3),
    Power(("C38",), "a pass that reads in turn, at once", violations.in_turn, (1, 2, 8), 2),
)  # fmt: skip


def verdicts(lm: LanguageModel, claim_id: str, n_sets: int, scale: float = 1.0) -> Counter[str]:
    """Counts what comes of one claim by some sets of pointers."""
    outcomes = Counter[str]()
    others: dict[str, LanguageModel] = {"storyteller": lm} if "storyteller" in lm.name else {}
    for number in range(n_sets):
        context = ExperimentContext(lm, scale=scale, first_seed=number * APART, others=others)
        outcomes[EXPERIMENTS[claim_id](context).outcome] += 1
    return outcomes


def copy_of(lm: LanguageModel) -> LanguageModel:
    """Returns the same model once more, with weights and a pass of its own to be spoiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / lm.name
        lm.model.save_pretrained(path)
        lm.tokenizer.save_pretrained(path)
        return load_model(str(path), str(lm.device))


def refused(lm: LanguageModel, power: Power, claim_id: str, size: float, n_sets: int) -> int:
    """Counts the sets by which a claim refuses a fault of one size."""
    if power.put_in is None:
        with patch(ACCEPT, violations.generous(size)):
            return n_sets - verdicts(lm, claim_id, n_sets)["holds here"]
    spoiled = power.put_in(copy_of(lm), size)
    return n_sets - verdicts(spoiled, claim_id, n_sets)["holds here"]


def show_power(lm: LanguageModel, claims: list[str], n_sets: int) -> bool:
    """Prints how often each fault is refused; returns whether all are that should be."""
    is_kept = True
    for power in POWER:
        for claim_id in power.claims:
            for size in power.sizes if claim_id in claims else ():
                n = refused(lm, power, claim_id, size, n_sets)
                is_asked = power.sizes.index(size) <= power.sizes.index(power.sees)
                is_weak = is_asked and n < SEEN * n_sets
                is_kept &= not is_weak
                mark = "   NOT SEEN" if is_weak else "" if is_asked else "   (below its power)"
                print(f"{claim_id}  {power.fault} {size:g}: refused {n}/{n_sets}{mark}", flush=True)
    return is_kept


def show_verdicts(lm: LanguageModel, claims: list[str], n_sets: int, scale: float) -> bool:
    """Prints the verdicts of each claim; returns whether none is that of the seeds."""
    all_steady = True
    for claim_id in claims:
        counted = verdicts(lm, claim_id, n_sets, scale)
        words = ", ".join(f"{outcome} {n}" for outcome, n in counted.most_common())
        is_steady = counted.most_common(1)[0][1] >= STEADY * n_sets
        all_steady &= is_steady
        print(f"{claim_id}  {words}{'' if is_steady else '   THE SEEDS DECIDE'}", flush=True)
    return all_steady


def main() -> None:
    """Prints a line for each claim, or for each fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("claims", nargs="*", help="such as C17; all where none is named")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--model", default="storyteller")
    parser.add_argument("--thorough", action="store_true", help="as the page's switch does")
    parser.add_argument("--power", action="store_true", help="with faults of several sizes")
    options = parser.parse_args()
    lm, claims = load_model(options.model), options.claims or sorted(EXPERIMENTS)
    print(describe_machine(), f"{lm.name}, {lm.where}", sep="\n")
    if options.power:
        is_kept = show_power(lm, claims, options.sets)
    else:
        scale = THOROUGH if options.thorough else 1.0
        is_kept = show_verdicts(lm, claims, options.sets, scale)
    sys.exit(not is_kept)


if __name__ == "__main__":
    main()

"""The verdict of every claim by ten sets of pointers: what is the seeds' is not the claim's.

    python -m benchmarks.verdicts [C17 ...] [--sets 10] [--model storyteller] [--thorough]

Each set draws everything anew, by other seeds. A verdict that fewer than nine tenths of the sets
give is marked: the claim needs more prompts or texts, or another measure.
"""

import argparse
from collections import Counter

from benchmarks.figures import describe_machine
from model.claims.context import THOROUGH, ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.loading import LanguageModel, load_model

APART = 10_000  # seeds from the first of one set to the first of the next
STEADY = 0.9  # of the sets


def verdicts(lm: LanguageModel, claim_id: str, n_sets: int, scale: float = 1.0) -> Counter[str]:
    """Counts what comes of one claim by some sets of pointers."""
    outcomes = Counter[str]()
    others: dict[str, LanguageModel] = {}
    for number in range(n_sets):
        context = ExperimentContext(lm, scale=scale, first_seed=number * APART, others=others)
        outcomes[EXPERIMENTS[claim_id](context).outcome] += 1
    return outcomes


def main() -> None:
    """Prints a line for each claim."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("claims", nargs="*", help="such as C17; all where none is named")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--model", default="storyteller")
    parser.add_argument("--thorough", action="store_true", help="as the page's switch does")
    options = parser.parse_args()
    lm = load_model(options.model)
    print(describe_machine(), f"{lm.name}, {lm.where}", sep="\n")
    for claim_id in options.claims or sorted(EXPERIMENTS):
        scale = THOROUGH if options.thorough else 1.0
        counted = verdicts(lm, claim_id, options.sets, scale)
        words = ", ".join(f"{outcome} {n}" for outcome, n in counted.most_common())
        is_steady = counted.most_common(1)[0][1] >= STEADY * options.sets
        print(f"{claim_id}  {words}{'' if is_steady else '   THE SEEDS DECIDE'}", flush=True)


if __name__ == "__main__":
    main()

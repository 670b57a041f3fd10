"""The verdict of every claim by ten sets of pointers: what is the seeds' is not the claim's.

    python -m benchmarks.verdicts [C17 ...] [--sets 10] [--thorough] [--power] [--minutes 20]

Each set draws everything anew, by other seeds. A verdict that fewer than nine tenths of the sets
give is marked: the claim needs more prompts or texts, or another measure. So is a part whose mean
over the sets is one that nineteen of twenty runs see, as it says, and that fewer than nine tenths
see. `--power` puts faults of several sizes into the model and counts how many sets refuse it: from
the size named in POWER on it must be nineteen in twenty. The program fails where a line is marked:
it can run by night. Each set is kept as soon as it is drawn, until a file of the model's that the
claims import changes: a run that was cut short goes on where it was.
"""

import argparse
import dataclasses
import functools
import json
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from unittest.mock import patch

from benchmarks import violations
from benchmarks.figures import describe_machine
from benchmarks.kept import ResultsFile, hash_of
from model.claims.context import THOROUGH, ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.claims.records import Evidence, Finding
from model.loading import LanguageModel, load_model
from tests.driving.harness import ROOT

APART = 10_000  # seeds from the first of one set to the first of the next
STEADY, SEEN = 0.9, 0.95  # of the sets
ACCEPT = "model.speculative.decoding.accept_prob"


@dataclasses.dataclass(frozen=True)
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


class Sets:
    """What comes of a model's claims by some sets of pointers, each kept once it is known."""

    def __init__(self, lm: LanguageModel, n: int, kept: ResultsFile, end: float = math.inf) -> None:
        """Takes the model, the number of sets, where they are kept, and when the last may begin."""
        self.lm, self.n, self._kept, self._end = lm, n, kept, end
        names = sorted(name for name in sys.modules if name.partition(".")[0] == "model")
        files = [str(file) for name in names if (file := sys.modules[name].__file__)]
        self._model = f"{lm.name} {lm.where} {hash_of(files)}"

    def of(
        self,
        claim_id: str,
        *,
        scale: float = 1.0,
        fault: str = "",
        make: Callable[[], LanguageModel] | None = None,
    ) -> list[Finding]:
        """Returns what comes of one claim by each set.

        Args:
            claim_id: such as C17.
            scale: times the usual numbers of prompts, runs and texts.
            fault: by which the sets are kept.
            make: makes the faulty model, when the first set is not known.
        """
        lm = functools.cache(make or (lambda: self.lm))
        return [self._finding(lm, claim_id, scale, fault, number) for number in range(self.n)]

    def _finding(
        self,
        model: Callable[[], LanguageModel],
        claim_id: str,
        scale: float,
        fault: str,
        number: int,
    ) -> Finding:
        key = f"{claim_id} {self._model} of {scale:g} {fault} set {number}"
        known = self._kept.find(key)
        if known is None:
            if time.monotonic() > self._end:
                sys.exit(f"{claim_id} is not done: the next call goes on.")
            lm = model()
            others = {"storyteller": lm} if "storyteller" in lm.name else dict[str, LanguageModel]()
            context = ExperimentContext(lm, scale=scale, first_seed=number * APART, others=others)
            found = EXPERIMENTS[claim_id](context)
            known = [found.outcome, [dataclasses.asdict(part) for part in found.evidence]]
            self._kept.add(key, known)
        outcome, parts = known
        return Finding(outcome, "", evidence=tuple(Evidence(**part) for part in parts))


def weak_parts(parts: Sequence[Evidence]) -> bool:
    """Says the power that a part of a claim states, and whether the sets bear it out."""
    stated = [part.seen_from for part in parts if part.seen_from is not None]
    if len(stated) < len(parts) or any(math.isnan(one) for one in stated):
        return False
    mean, seen_from = fmean(part.mean for part in parts), fmean(stated)
    n_seen = sum(part.interval is not None and part.interval[0] > (part.bar or 0) for part in parts)
    is_weak = mean >= seen_from and n_seen < STEADY * len(parts)
    mark = "   WEAKER THAN IT SAYS" if is_weak else ""
    what = f"{parts[0].what}: {mean:.3g} on average, seen from {seen_from:.3g} on"
    print(f"     {what}: {n_seen}/{len(parts)}{mark}", flush=True)
    return is_weak


def copy_of(lm: LanguageModel) -> LanguageModel:
    """Returns the same model once more, with weights and a pass of its own to be spoiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / lm.name
        lm.model.save_pretrained(path)
        lm.tokenizer.save_pretrained(path)
        return load_model(str(path), str(lm.device))


def n_refused(sets: Sets, power: Power, claim_id: str, size: float) -> int:
    """Counts the sets by which a claim refuses a fault of one size."""

    def make() -> LanguageModel:
        assert power.put_in is not None
        return power.put_in(copy_of(sets.lm), size)

    fault = f"{power.fault} {size:g}"
    if power.put_in is None:
        with patch(ACCEPT, violations.generous(size)):
            found = sets.of(claim_id, fault=fault)
    else:
        found = sets.of(claim_id, fault=fault, make=make)
    return sum(one.outcome != "holds here" for one in found)


def say_power(sets: Sets, power: Power, claim_id: str) -> bool:
    """Says how often a claim refuses a fault of each size; returns whether it does as it should."""
    is_kept = True
    for size in power.sizes:
        n = n_refused(sets, power, claim_id, size)
        is_asked = power.sizes.index(size) <= power.sizes.index(power.sees)
        is_weak = is_asked and n < SEEN * sets.n
        is_kept &= not is_weak
        mark = "   NOT SEEN" if is_weak else "" if is_asked else "   (below its power)"
        print(f"{claim_id}  {power.fault} {size:g}: refused {n}/{sets.n}{mark}", flush=True)
    return is_kept


def say_verdict(sets: Sets, claim_id: str, scale: float) -> bool:
    """Says the verdicts of a claim; returns whether it is not that of the seeds."""
    found = sets.of(claim_id, scale=scale)
    counted = Counter(one.outcome for one in found)
    words = ", ".join(f"{outcome} {n}" for outcome, n in counted.most_common())
    is_steady = counted.most_common(1)[0][1] >= STEADY * sets.n
    print(f"{claim_id}  {words}{'' if is_steady else '   THE SEEDS DECIDE'}", flush=True)
    same = [one.evidence for one in found if len(one.evidence) == len(found[0].evidence)]
    n_weak = sum(weak_parts(parts) for parts in zip(*same, strict=True))
    return is_steady and n_weak == 0


def quickest_first() -> list[str]:
    """Returns all claims, by the time that the recorded run of each took."""
    recorded = json.loads((ROOT / "model/recorded/sections/claims.json").read_text("utf-8"))
    return sorted(EXPERIMENTS, key=lambda claim_id: recorded["found"]["seconds"].get(claim_id, 0))


def main() -> None:
    """Prints a line for each claim, or for each fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("claims", nargs="*", help="such as C17; all where none is named")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--model", default="storyteller")
    parser.add_argument("--minutes", type=float, default=math.inf, help="then no set begins")
    parser.add_argument("--thorough", action="store_true", help="as the page's switch does")
    parser.add_argument("--results", type=Path, default=ROOT / "build/verdicts.jsonl")
    parser.add_argument("--power", action="store_true", help="with faults of several sizes")
    options = parser.parse_args()
    lm, claims = load_model(options.model), options.claims or quickest_first()
    print(describe_machine(), f"{lm.name}, {lm.where}", sep="\n", flush=True)
    scale = THOROUGH if options.thorough else 1.0
    end = time.monotonic() + 60 * options.minutes
    sets, are_well = Sets(lm, options.sets, ResultsFile(options.results), end), list[bool]()
    for claim_id in claims:
        if not options.power:
            are_well.append(say_verdict(sets, claim_id, scale))
        for power in POWER if options.power else ():
            if claim_id in power.claims:
                are_well.append(say_power(sets, power, claim_id))
    sys.exit(not all(are_well))


if __name__ == "__main__":
    main()

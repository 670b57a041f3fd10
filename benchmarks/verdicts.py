"""The verdict of every claim by ten sets of pointers: what is the seeds' is not the claim's.

    python -m benchmarks.verdicts [C17 ...] [--sets 10] [--thorough] [--power] [--minutes 20]

Each set draws everything anew, by other seeds. A verdict that fewer than nine tenths of the sets
give is marked: the claim needs more prompts or texts, or another measure. So is a part whose mean
over the sets is one that nineteen of twenty runs see, as it says, and that fewer than nine tenths
see. `--power` puts faults of several sizes into the model and counts how many sets refuse it: from
the size named in POWER on it must be nineteen in twenty. The program fails where a line is marked:
it can run by night, and one that was cut short goes on.
"""

import argparse
import json
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TypeAlias
from unittest.mock import patch

from benchmarks import violations
from benchmarks.figures import describe_machine
from benchmarks.harness import ROOT
from benchmarks.kept import Kept, hash_of
from model.claims.context import THOROUGH, ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.claims.records import Evidence, Finding
from model.loading import LanguageModel, load_model

APART = 10_000  # seeds from the first of one set to the first of the next
STEADY, SEEN = 0.9, 0.95  # of the sets
Say: TypeAlias = Callable[[str], None]
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


def findings(
    lm: LanguageModel, claim_id: str, n_sets: int, scale: float = 1.0
) -> Iterator[Finding]:
    """Yields what comes of one claim by each of some sets of pointers."""
    others: dict[str, LanguageModel] = {"storyteller": lm} if "storyteller" in lm.name else {}
    for number in range(n_sets):
        context = ExperimentContext(lm, scale=scale, first_seed=number * APART, others=others)
        yield EXPERIMENTS[claim_id](context)


def verdicts(lm: LanguageModel, claim_id: str, n_sets: int) -> Counter[str]:
    """Counts what comes of one claim by some sets of pointers."""
    return Counter(found.outcome for found in findings(lm, claim_id, n_sets))


def weak_parts(parts: Sequence[Evidence], say: Say) -> bool:
    """Says the power that a part of a claim states, and whether the sets bear it out."""
    stated = [part.seen_from for part in parts if part.seen_from is not None]
    if len(stated) < len(parts) or any(math.isnan(one) for one in stated):
        return False
    mean, seen_from = fmean(part.mean for part in parts), fmean(stated)
    n_seen = sum(part.interval is not None and part.interval[0] > (part.bar or 0) for part in parts)
    is_weak = mean >= seen_from and n_seen < STEADY * len(parts)
    mark = "   WEAKER THAN IT SAYS" if is_weak else ""
    what = f"{parts[0].what}: {mean:.3g} on average, seen from {seen_from:.3g} on"
    say(f"     {what}: {n_seen}/{len(parts)}{mark}")
    return is_weak


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


def say_power(lm: LanguageModel, power: Power, claim_id: str, n_sets: int, say: Say) -> bool:
    """Says how often a claim refuses a fault of each size; returns whether it does as it should."""
    is_kept = True
    for size in power.sizes:
        n = refused(lm, power, claim_id, size, n_sets)
        is_asked = power.sizes.index(size) <= power.sizes.index(power.sees)
        is_weak = is_asked and n < SEEN * n_sets
        is_kept &= not is_weak
        mark = "   NOT SEEN" if is_weak else "" if is_asked else "   (below its power)"
        say(f"{claim_id}  {power.fault} {size:g}: refused {n}/{n_sets}{mark}")
    return is_kept


def say_verdict(lm: LanguageModel, claim_id: str, n_sets: int, scale: float, say: Say) -> bool:
    """Says the verdicts of a claim; returns whether it is not that of the seeds."""
    found = list(findings(lm, claim_id, n_sets, scale))
    counted = Counter(one.outcome for one in found)
    words = ", ".join(f"{outcome} {n}" for outcome, n in counted.most_common())
    is_steady = counted.most_common(1)[0][1] >= STEADY * n_sets
    say(f"{claim_id}  {words}{'' if is_steady else '   THE SEEDS DECIDE'}")
    same = [one.evidence for one in found if len(one.evidence) == len(found[0].evidence)]
    n_weak = sum(weak_parts(parts, say) for parts in zip(*same, strict=True))
    return is_steady and n_weak == 0


def show(kept: Kept, key: str, work: Callable[[Say], bool]) -> bool:
    """Prints what was found, or is found now and kept; returns whether all is well."""
    if (known := kept.find(key)) is None:
        lines = list[str]()
        is_well = work(lines.append)
        known = {"is_well": is_well, "lines": lines}
        kept.add(key, known)
    print(*known["lines"], sep="\n", flush=True)
    return bool(known["is_well"])


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
    parser.add_argument("--minutes", type=float, default=math.inf, help="then no claim begins")
    parser.add_argument("--thorough", action="store_true", help="as the page's switch does")
    parser.add_argument("--results", type=Path, default=ROOT / "build/verdicts.jsonl")
    parser.add_argument("--power", action="store_true", help="with faults of several sizes")
    options = parser.parse_args()
    lm, claims = load_model(options.model), options.claims or quickest_first()
    print(describe_machine(), f"{lm.name}, {lm.where}", sep="\n", flush=True)
    scale = THOROUGH if options.thorough else 1.0
    kept = Kept(options.results)
    code = hash_of(sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("model/**/*.py")))
    asked = f"{lm.name} {lm.where} {code}, {options.sets} sets"
    are_well, end = list[bool](), time.monotonic() + 60 * options.minutes
    for n_done, claim_id in enumerate(claims):
        if time.monotonic() > end:
            sys.exit(f"{len(claims) - n_done} claims are left: the next call goes on.")
        if not options.power:
            work = partial(say_verdict, lm, claim_id, options.sets, scale)
            are_well.append(show(kept, f"{claim_id} {asked} of {scale:g}", work))
        for power in POWER if options.power else ():
            if claim_id in power.claims:
                work = partial(say_power, lm, power, claim_id, options.sets)
                are_well.append(show(kept, f"{claim_id} {asked} of {power.fault}", work))
    sys.exit(not all(are_well))


if __name__ == "__main__":
    main()

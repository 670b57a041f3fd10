"""Changes of one operator or number, each against the quick tests of its topic: how many are seen.

    python -m benchmarks.mutants [--seed 1] [--count 60] [--topic masks] [--only draw.py:35]

Works on a copy, and writes each result down: what was interrupted is gone on with. A mutant that
every test passes either does nothing that could be seen, or shows what no test asks: its line is
printed, to be read by a person. One whose tests take several times as long as without it was seen
too. Fewer than 57 of 60 fail.
"""

import argparse
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.changes import Mutant, mutants_of
from benchmarks.kept import ResultsFile, hash_of
from tests.driving.harness import ROOT

AIM = 0.95  # of the mutants are seen
KILLED, OVERTIME, LIVES = "killed", "overtime", "LIVES"
MAX_SECONDS = 300  # of a topic's tests without a change
SPARE, SPARE_SECONDS = 3, 30  # times that, and seconds more: with a change
SCRIPTS = (
    "tests/frame/test_masks_js.py tests/in_page/test_generation.py tests/stopping/test_in_page.py"
)
SAMPLING = " ".join(f"tests/core/test_{name}.py" for name in (
    "sampling", "sampling_oracle", "sampling_properties", "mirostat",
)) + " tests/sampling/test_sampling_lab.py"  # fmt: skip
WRITING = "tests/core/test_generation.py tests/core/test_generation_properties.py"
# by topic: the files that are changed, and the tests that must see it
TOPICS = {
    "draw": ("model/draw.py", f"{SAMPLING} {WRITING}"),
    "masks": ("model/masks.py model/sampling/__init__.py", f"{SAMPLING} {WRITING}"),
    "loop": (
        "model/generation.py model/passes.py",
        f"{WRITING} tests/core/test_passes.py tests/core/test_batch.py"
        " tests/stopping/test_generation.py",
    ),
    "batch": ("model/batch.py", "tests/core/test_batch.py tests/beam_search/test_beam_search.py"),
    "cache": (
        "model/kv_cache/__init__.py",
        "tests/core/test_kv_cache.py tests/kv_cache/test_prefix.py tests/core/test_passes.py"
        " tests/kv_cache/test_cache_experiments.py",
    ),
    "blocks": ("model/kv_cache/block_cache.py", "tests/kv_cache/test_block_cache.py"),
    "bits": ("model/kv_cache/fewer_bits.py", "tests/kv_cache/test_fewer_bits.py"),
    "plan": ("model/kv_cache/plan.py", "tests/kv_cache/test_plan.py"),
    "speculative": (
        "model/speculative/decoding.py model/speculative/drafting.py model/speculative/proof.py"
        " model/speculative/timing.py",
        "tests/speculative/test_speculative.py tests/speculative/test_speculative_charts.py",
    ),
    "beam": (
        "model/beam_search/__init__.py model/beam_search/best_first.py",
        "tests/beam_search/test_beam_search.py",
    ),
    "futures": ("model/futures/continuations.py", "tests/futures/test_continuations.py"),
    "tokens": (
        "model/tokenizing.py model/token_bytes.py model/chat_template.py",
        "tests/core/test_tokenizing.py tests/core/test_added_tokens.py",
    ),
    "page": (
        "pages/frame/live/masks.js pages/frame/live/memory.js pages/frame/live/pointer.js"
        " pages/home/in_page/generation.js pages/home/in_page/kv_cache.js",
        f"{SCRIPTS} tests/home/test_texts.py tests/home/test_golden_sessions.py",
    ),
}


def copy_project(folder: Path) -> None:
    """Copies what git knows, with the environment beside it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    if (ROOT / ".venv").exists():
        (folder / ".venv").symlink_to((ROOT / ".venv").resolve())


def chosen(seed: int, count: int, topic: str | None) -> list[tuple[str, Mutant]]:
    """Returns mutants at random, each with its topic, one topic after another."""
    all_of_them = [
        (name, mutant)
        for name, (files, _) in TOPICS.items()
        for file in (files.split() if topic in (None, name) else ())
        for mutant in mutants_of(file, (ROOT / file).read_text("utf-8"))
    ]
    sample = random.Random(seed).sample(all_of_them, min(count, len(all_of_them)))
    return sorted(sample, key=lambda found: list(TOPICS).index(found[0]))


def line_of(mutant: Mutant) -> str:
    """Returns where a mutant is, and the line as it is there."""
    changed = mutant.change((ROOT / mutant.file).read_text("utf-8"))
    return f"{mutant.file}:{mutant.line}: {changed.splitlines()[mutant.line - 1].strip()}"


def keys_of(topic: str, mutant: Mutant) -> tuple[str, str]:
    """Returns by what a result is kept: until a mutant's file changes, or its tests do as well.

    Whoever was killed stays so as long as its file is the same; whoever lived is tried again once
    there are other tests.
    """
    one = f"{mutant.file} {hash_of([mutant.file])} {mutant.start} {mutant.text!r}"
    return one, f"{one} {hash_of(TOPICS[topic][1].split())}"


class MutantTrial:
    """A copy of the project in which one mutant after another is tried."""

    def __init__(self, folder: Path) -> None:
        """Makes the copy, and starts the process whose forks run the tests."""
        copy_project(folder)
        self._folder, self._limits = folder, dict[str, float]()
        forks = subprocess.Popen(
            [sys.executable, "benchmarks/in_forks.py"],
            cwd=folder,
            # a change that leaves a file's size as it was must not meet old bytecode
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_PROFILE": "mutants"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert forks.stdin is not None
        assert forks.stdout is not None
        self._asks, self._answers, self._wait = forks.stdin, forks.stdout, forks.wait

    def _run_tests(self, topic: str, limit: float) -> str:
        """Runs a topic's tests as far as the first that fails; a browser's are the page's alone."""
        which = "" if topic == "page" else "-m not\\ browser"
        line = f"{limit} -q -x {which} -p no:cacheprovider {TOPICS[topic][1]}"
        print(line, file=self._asks, flush=True)
        code = int(self._answers.readline())
        if code >= 4:  # no test, or a wrong command
            raise RuntimeError(f"pytest ended with {code} on {line}")
        return {0: LIVES, -1: OVERTIME}.get(code, KILLED)

    def _limit(self, topic: str) -> float:
        """Returns how long a topic's tests may take: measured once, without any change."""
        if topic not in self._limits:
            began = time.monotonic()
            if self._run_tests(topic, MAX_SECONDS) != LIVES:
                sys.exit(f"The tests of {topic} fail without any change: mend them first.")
            self._limits[topic] = SPARE_SECONDS + SPARE * (time.monotonic() - began)
        return self._limits[topic]

    def run(self, topic: str, mutant: Mutant) -> str:
        """Returns what becomes of a mutant."""
        limit, path = self._limit(topic), self._folder / mutant.file
        source = path.read_text("utf-8")
        path.write_text(mutant.change(source), "utf-8")
        try:
            return self._run_tests(topic, limit)
        finally:
            path.write_text(source, "utf-8")

    def close(self) -> None:
        """Ends the process."""
        self._asks.close()
        self._wait()


def main() -> None:
    """Prints a line for each mutant, and how many were seen."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--topic", choices=TOPICS)
    parser.add_argument("--only", action="append", help="of these, whose lines as listed hold it")
    parser.add_argument("--minutes", type=float, default=math.inf, help="then no mutant begins")
    parser.add_argument("--results", type=Path, default=ROOT / "build/mutants.jsonl")
    parser.add_argument("--list", action="store_true", help="name them, and run nothing")
    options = parser.parse_args()
    mutants = [
        (topic, mutant)
        for topic, mutant in chosen(options.seed, options.count, options.topic)
        if options.only is None or any(part in line_of(mutant) for part in options.only)
    ]
    kept, counted = ResultsFile(options.results), Counter[str]()
    end = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory() as name:
        trial: MutantTrial | None = None
        for topic, mutant in mutants:
            keys = keys_of(topic, mutant)
            result = "listed" if options.list else kept.find(*keys)
            if result is None:
                if time.monotonic() > end:
                    sys.exit("Not all are tried: the next call goes on.")
                trial = trial or MutantTrial(Path(name))
                result = trial.run(topic, mutant)
                kept.add(keys[result == LIVES], result)
            counted[result] += 1
            print(f"{result:8}  {line_of(mutant)}", flush=True)
        if trial:
            trial.close()
    print(*(f"{n} {result}" for result, n in counted.items()), sep=", ")
    sys.exit(counted[LIVES] > (1 - AIM) * len(mutants))


if __name__ == "__main__":
    main()

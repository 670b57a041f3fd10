"""Changes of one operator or number, each against the quick tests of its topic: how many are seen.

    python -m benchmarks.mutants [--seed 1] [--count 60] [--topic masks] [--list]

Works on a copy. A mutant that every test passes either does nothing that could be seen, or shows
what no test asks: its line is printed, to be read by a person. Fewer than 57 of 60 fail.
"""

import argparse
import ast
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import ROOT

KILLED = 0.95  # of the mutants
MAX_SECONDS = 300  # of the tests of one; whoever loops forever was seen
SCRIPTS = "tests/frame/test_masks_js.py tests/in_page/test_generation.py"
SAMPLING = " ".join(f"tests/core/test_{name}.py" for name in (
    "sampling", "sampling_oracle", "sampling_properties", "mirostat",
))  # fmt: skip
WRITING = "tests/core/test_generation.py tests/core/test_generation_properties.py"
# by topic: the files that are changed, and the tests that must see it
TOPICS = {
    "draw": ("model/draw.py", f"{SAMPLING} {WRITING}"),
    "masks": ("model/masks.py model/sampling/__init__.py", f"{SAMPLING} {WRITING}"),
    "loop": ("model/generation.py model/passes.py", f"{WRITING} tests/core/test_passes.py"),
    "batch": ("model/batch.py", "tests/core/test_batch.py tests/beam_search/test_beam_search.py"),
    "cache": (
        "model/kv_cache/__init__.py model/kv_cache/block_cache.py model/kv_cache/fewer_bits.py"
        " model/kv_cache/plan.py",
        "tests/core/test_kv_cache.py tests/core/test_passes.py tests/kv_cache/test_block_cache.py"
        " tests/kv_cache/test_fewer_bits.py tests/kv_cache/test_plan.py"
        " tests/kv_cache/test_cache_experiments.py",
    ),
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
SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "and": "or", "or": "and",
    "&&": "||", "||": "&&", "is": "is not", "is not": "is", "in": "not in", "not in": "in",
    "+=": "-=", "-=": "+=", "&": "|", "|": "&",
}  # fmt: skip
OPERATORS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Add: "+",
    ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.And: "and",
    ast.Or: "or", ast.BitAnd: "&", ast.BitOr: "|",
}  # fmt: skip
IN_SCRIPTS = re.compile(r" (<=?|>=?|===|!==|\+=?|-=?|\*|/|&&|\|\|) |(?<![\w.$])(\d+|true|false)\b")


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    file: str
    line: int
    start: int  # characters of the file
    end: int
    text: str  # that stands there instead

    def change(self, source: str) -> str:
        """Returns the file with the change in it."""
        return source[: self.start] + self.text + source[self.end :]


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    """Yields every change of a file that is tried."""
    changes = in_script(source) if file.endswith(".js") else in_python(source)
    for start, end, text in changes:
        yield Mutant(file, source.count("\n", 0, start) + 1, start, end, text)


def in_script(source: str) -> Iterator[tuple[int, int, str]]:
    """Yields what can be changed in JavaScript: where, and into what."""
    at = 0
    for line in source.splitlines(keepends=True):
        code = "" if re.match(r" *(//|/?\*|import )", line) else line.partition(" // ")[0]
        for found in IN_SCRIPTS.finditer(code):
            if any(found.string[: found.start()].count(quote) % 2 for quote in "\"'`"):
                continue
            group = found.lastindex or 1
            old = found[group]
            new = SWAPS.get(old) or {"true": "false", "false": "true"}.get(old) or str(int(old) + 1)
            yield at + found.start(group), at + found.end(group), new
        at += len(line)


class PythonChanges:
    """What can be changed in a Python file, node by node."""

    def __init__(self, source: str) -> None:
        """Notes where the lines begin: the tree counts bytes of a line."""
        self.source, self.lines, self.starts = source, source.splitlines(), [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Returns where an expression begins and ends, in characters."""
        ends = (node.lineno, node.col_offset), (node.end_lineno or 1, node.end_col_offset or 0)
        first, last = (
            self.starts[row - 1] + len(self.lines[row - 1].encode()[:column].decode())
            for row, column in ends
        )
        return first, last

    def swap(
        self, left: ast.expr, right: ast.expr, kind: ast.AST
    ) -> Iterator[tuple[int, int, str]]:
        """Yields the other operator between two expressions."""
        operator = OPERATORS.get(type(kind))
        at = -1
        if operator:
            at = self.source.find(operator, self.span(left)[1], self.span(right)[0])
        if operator and at >= 0:
            yield at, at + len(operator), SWAPS[operator]

    def operators(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Yields the changes of an operator."""
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                yield from self.swap(left, right, op)
            case ast.BinOp(left=left, op=op, right=right):
                yield from self.swap(left, right, op)
            case ast.BoolOp(op=op, values=[left, right]):
                yield from self.swap(left, right, op)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self.span(node)[0], self.span(operand)[0], ""

    def constants(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Yields the changes of a number."""
        match node:
            case ast.Constant(value=bool() as value):
                yield *self.span(node), str(not value)
            case ast.Constant(value=int() | float() as value):
                yield *self.span(node), repr(value + 1)


def in_python(source: str) -> Iterator[tuple[int, int, str]]:
    """Yields what can be changed in Python: where, and into what."""
    changes = PythonChanges(source)
    for node in seen(ast.parse(source)):
        yield from changes.operators(node)
        yield from changes.constants(node)


def seen(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes below one, without annotations, sentences and what is raised."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Raise | ast.JoinedStr):
                yield child
                yield from seen(child)


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


def passes(folder: Path, tests: str) -> bool:
    """Runs tests in a copy, without a browser; returns whether all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not browser", "-p",
               "no:cacheprovider", *tests.split()]  # fmt: skip
    try:
        ran = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=MAX_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    if ran.returncode >= 4:  # no test, or a wrong command
        raise RuntimeError(ran.stdout.decode()[-500:])
    return ran.returncode == 0


def chosen(seed: int, count: int, topic: str | None) -> list[tuple[str, Mutant]]:
    """Returns mutants at random, each with its topic."""
    all_of_them = [
        (name, mutant)
        for name, (files, _) in TOPICS.items()
        for file in (files.split() if topic in (None, name) else ())
        for mutant in mutants_of(file, (ROOT / file).read_text("utf-8"))
    ]
    return random.Random(seed).sample(all_of_them, min(count, len(all_of_them)))


def main() -> None:
    """Prints a line for each mutant, and how many were seen."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--topic", choices=TOPICS)
    parser.add_argument("--list", action="store_true", help="name them, and run nothing")
    options = parser.parse_args()
    mutants = chosen(options.seed, options.count, options.topic)
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not options.list:
            copy_project(folder)
            for topic in dict.fromkeys(topic for topic, _ in mutants):
                if not passes(folder, TOPICS[topic][1]):
                    sys.exit(f"The tests of {topic} fail without any change: mend them first.")
        for topic, mutant in mutants:
            path, source = folder / mutant.file, (ROOT / mutant.file).read_text("utf-8")
            changed = mutant.change(source)
            result = "listed"
            if not options.list:
                path.write_text(changed, "utf-8")
                result = "LIVES" if passes(folder, TOPICS[topic][1]) else "killed"
                path.write_text(source, "utf-8")
            counted[result] += 1
            line = changed.splitlines()[mutant.line - 1].strip()
            print(f"{result:6}  {mutant.file}:{mutant.line}: {line}", flush=True)
    print(*(f"{n} {result}" for result, n in counted.items()), sep=", ")
    sys.exit(counted["LIVES"] > (1 - KILLED) * len(mutants))


if __name__ == "__main__":
    main()

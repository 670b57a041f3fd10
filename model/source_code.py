"""The code that ran, as lines to show beside its numbers.

A function's stages are the comments of the form `# Cut: ...` in its body, in JavaScript
`// Cut: ...`: a key word, a colon, what is done. The page lights the lines of the stage that runs,
so what is shown is never a copy.
"""

import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_STAGE = re.compile(r"(?:#|//) ([A-Za-z]+): ")
_HOME = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Source:
    """The lines of one function and where they stand."""

    name: str  # qualified, as in "Generation.step"
    file: str  # path from the project's folder, with forward slashes
    first_line: int  # number of lines[0] in that file
    lines: tuple[str, ...]  # without their common indent, decorators left out
    stages: dict[str, tuple[int, int]]  # key word -> first and last index into lines


@cache  # a page asks in every run, and what runs stays as it was imported
def source_of(function: Callable[..., Any]) -> Source:
    """Returns the lines of a function, from its `def` to its end, with its stages."""
    inner = inspect.unwrap(function)
    block, first_line = inspect.getsourcelines(inner)
    n_decorators = next(i for i, line in enumerate(block) if line.lstrip().startswith("def "))
    lines = textwrap.dedent("".join(block[n_decorators:])).rstrip().split("\n")
    return Source(
        name=inner.__qualname__,
        file=Path(inspect.getfile(inner)).resolve().relative_to(_HOME).as_posix(),
        first_line=first_line + n_decorators,
        lines=tuple(lines),
        stages=stages_of(lines),
    )


def stages_of(lines: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Returns the stages of some lines: of each its first and its last index."""
    marks = [
        (i, mark[1].lower())
        for i, line in enumerate(lines)
        if (mark := _STAGE.match(line.lstrip()))
    ]
    ends = [i for i, _ in marks[1:]] + [len(lines)] * bool(marks)  # a function may have no stages
    return {
        name: (first, max(i for i in range(first, end) if lines[i].strip()))
        for (first, name), end in zip(marks, ends, strict=True)
    }

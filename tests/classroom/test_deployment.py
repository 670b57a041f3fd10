"""docs/deployment.md: its table of bounds is the code's, and untested commands are marked."""

import re

import pytest

from benchmarks.harness import ROOT
from model.classroom.limits import BOUNDS

TEXT = (ROOT / "docs/deployment.md").read_text("utf-8")
MARK = "*No test runs this"
# commands that a test runs as they stand
TESTED = {"make run HOST=0.0.0.0 PORT=8501": "tests/architecture/test_make.py"}


def section(text: str, title: str) -> str:
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def differences(text: str) -> set[tuple[str, ...]]:
    """The rows of rooms and phones that stand only in the table, or only in the code."""
    lines = re.findall(r"^\| (.+) \|$", section(text, "Every way in and its bound"), re.MULTILINE)
    rows = {tuple(line.split(" | ")) for line in lines}
    own = {tuple(bound) for bound in BOUNDS}
    ways = re.compile(r"\b(room|rooms|phone|desk|question|QR)\b")
    return {row for row in rows if ways.search(row[0])} ^ own


def test_the_table_of_bounds_is_the_code_s() -> None:
    assert differences(TEXT) == set()
    limits = [bound.limit for bound in BOUNDS]
    assert all(re.search(r"\d", limit) for limit in limits)


@pytest.mark.parametrize("row", [" | ".join(bound) for bound in BOUNDS])
def test_a_row_that_is_old_missing_or_too_many_is_seen(row: str) -> None:
    changed = re.sub(r"\d", "7", row, count=1) if "7" not in row else row.replace("7", "8")
    assert TEXT.count(row) == 1
    assert differences(TEXT.replace(row, changed))
    assert differences(TEXT.replace(f"| {row} |\n", ""))
    assert differences(TEXT.replace(f"| {row} |\n", f"| {row} |\n| another {row} |\n"))


def unmarked(text: str) -> list[str]:
    """The blocks of commands that neither a test runs nor a mark follows."""
    blocks = re.findall(r"^```\n(.*?)^```\n\n(.*?)\n", text, re.MULTILINE | re.DOTALL)
    return [
        block
        for block, after in blocks
        if not after.startswith(MARK) and block.strip() not in TESTED
    ]


def test_a_command_that_no_test_runs_is_marked() -> None:
    assert unmarked(TEXT) == []
    for command, test in TESTED.items():
        assert command in TEXT
        assert "HOST=0.0.0.0" in (ROOT / test).read_text("utf-8")
    assert TEXT.count(MARK) == TEXT.count("\n```\n\n") - len(TESTED)
    assert len(unmarked(TEXT.replace(MARK, ""))) == TEXT.count(MARK)

"""The documents: the table of bounds is the code's, and commands are there, tested or marked."""

import re

import pytest

from model.classroom.limits import BOUNDS
from tests.driving.harness import ROOT

TEXT = (ROOT / "docs/deployment.md").read_text("utf-8")
MARK = "*No test runs th"
# commands that a test runs as they stand, and a word of the test
TESTED = {
    "make run HOST=0.0.0.0 PORT=8501": ("tests/architecture/test_make.py", "HOST=0.0.0.0"),
    "make page               # or, where it is installed: one-token page": (
        "tests/one_token/test_command.py",
        'main(["page"])',
    ),
    "python run.py COMMAND ARGUMENT...": ("tests/conformance/test_cases.py", '"run.py"'),
}
DOCUMENTS = {
    path: path.read_text("utf-8")
    for folder in (".", "docs", "benchmarks", "conformance")
    for path in sorted((ROOT / folder).glob("*.md"))
}


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
    blocks = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [
        block[2]
        for block in blocks
        if block[1] in ("", "sh", "bash")
        and not text[block.end() :].lstrip().startswith(MARK)
        and block[2].strip() not in TESTED
    ]


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=[path.name for path in DOCUMENTS])
def test_a_command_that_no_test_runs_is_marked(text: str) -> None:
    assert unmarked(text) == []
    assert len(unmarked(text.replace(MARK, ""))) == text.count(MARK)


def test_a_command_that_is_said_to_be_tested_is() -> None:
    for command, (test, word) in TESTED.items():
        assert sum(command in text for text in DOCUMENTS.values()) == 1
        assert word in (ROOT / test).read_text("utf-8")


def missing(text: str) -> list[str]:
    """The modules and targets that a document tells to run and that are not there."""
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    called = " ".join(re.findall(r"`make ([^`A-Z]+)[`A-Z]", text)).split()
    lacking = [name for name in called if name not in targets]
    for name in re.findall(r"python -m ([a-z_][\w.]*)", text):
        place = ROOT / name.replace(".", "/")
        if not (place.with_suffix(".py").is_file() or (place / "__main__.py").is_file()):
            lacking.append(name)
    return lacking


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=[path.name for path in DOCUMENTS])
def test_what_a_document_tells_to_run_is_there(text: str) -> None:
    assert missing(text) == []
    more = f"{text} `python -m benchmarks.none` `make nothing run`"
    assert missing(more) == ["nothing", "benchmarks.none"]

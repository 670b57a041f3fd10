"""The documents: the table of bounds is the code's, and commands are there, tested or marked."""

import re

import pytest

from model.classroom import limits
from tests.driving.harness import ROOT

TEXT = (ROOT / "docs/deployment.md").read_text("utf-8")
NUMBER = re.compile(r"\d[\d,.]*\d|\d")
BOUNDS = {  # the numbers of a row, as they follow one another
    "rooms of a process": (limits.MAX_ROOMS, limits.IN_USE, limits.HERE_SECONDS),
    "rooms opened from one tab": (limits.MAX_OF_READER,),
    "phones of a room": (limits.MAX_PHONES,),
    "room codes": (
        len(limits.LETTERS) ** limits.N_LETTERS,
        limits.WRONG_RATE,
        limits.MAX_WRONG_AT_ONCE,
        limits.WRONG_SECONDS,
    ),
    "a room that nobody touches": (limits.IDLE_SECONDS / 3600,),
    "a room without phones and without its desk": (limits.ALONE_SECONDS / 60,),
    "a request of a phone": (limits.MAX_PHONE_BODY, limits.MAX_BODY_SECONDS),
    "a press of a desk": (limits.MAX_DESK_BODY, limits.MAX_BODY_SECONDS),
    "answers of a phone": (limits.MIN_SECONDS_BETWEEN,),
    "words of a phone": (limits.MAX_NAME, limits.MAX_WORD),
    "words of a question": (limits.MAX_WORDS, limits.MAX_OPTIONS, limits.MAX_OPTION),
    "an address drawn as a QR code": (limits.MAX_ADDRESS,),
}
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
    """Way and numbers of rows of rooms and phones that only the table or only the code has."""
    lines = re.findall(r"^\| (.+) \|$", section(text, "Every way in and its bound"), re.MULTILINE)
    rows = [line.split(" | ") for line in lines]
    ways = re.compile(r"\b(room|rooms|phone|desk|question|QR)\b")
    written = {(row[0], *NUMBER.findall(" ".join(row[1:]))) for row in rows if ways.search(row[0])}
    return written ^ {(way, *(f"{n:,.10g}" for n in numbers)) for way, numbers in BOUNDS.items()}


def test_the_table_of_bounds_has_the_code_s_numbers() -> None:
    assert differences(TEXT) == set()


@pytest.mark.parametrize("way", BOUNDS)
def test_a_row_that_is_old_missing_or_too_many_is_seen(way: str) -> None:
    (row,) = re.findall(rf"^\| {way} \|.*\n", TEXT, re.MULTILINE)
    for number in NUMBER.finditer(row):
        assert differences(TEXT.replace(row, f"{row[: number.start()]}7{row[number.start() :]}"))
    assert differences(TEXT.replace(row, ""))
    assert differences(TEXT.replace(row, f"{row}| another {row[2:]}"))


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

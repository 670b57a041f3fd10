"""The README is short, the tree is the house, what the guides name exists, and their code runs."""

import doctest
import re
from pathlib import PurePosixPath

import pytest

from tests.architecture.sources import ROOT, TOPICS, committed, read

MAX_LINES = 90
TREE = "docs/architecture.md"
AT_THE_ROOT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
GUIDES = sorted(path for path in committed() if re.fullmatch(r"docs/[\w-]+\.md", path))
PAGES = [*AT_THE_ROOT, "benchmarks/README.md", "conformance/README.md", *GUIDES]
CLOSED = ("model/pretrained/",)  # a folder for each model


def tree() -> dict[str, str]:
    """Path -> caption of every line of the tree: two spaces per level."""
    found = re.search(r"```text\n(app\.py .*?)\n```", read(TREE), re.DOTALL)
    assert found, f"{TREE} has no tree that begins with app.py"
    paths: dict[str, str] = {}
    above: list[str] = []
    for line in found[1].splitlines():
        name, _, caption = line.strip().partition(" ")
        depth = (len(line) - len(line.lstrip())) // 2
        above[depth:] = [name.rstrip("/")]
        paths["/".join(above)] = caption.strip()
    return paths


def folders() -> set[str]:
    """All committed folders but hidden ones, a topic's written as `<topic>`."""
    paths = [path for path in committed() if not path.startswith((".", *CLOSED))]
    parents = {parent for path in paths for parent in PurePosixPath(path).parents if parent.name}
    return {
        "/".join("<topic>" if part in TOPICS else part for part in folder.parts)
        for folder in parents
    }


def test_the_readme_is_short() -> None:
    assert read("README.md").count("\n") <= MAX_LINES


def test_the_tree_names_every_folder_and_no_other() -> None:
    assert {path for path in tree() if path != "app.py"} == folders() | {"model/pretrained"}


def test_every_line_of_the_tree_says_what_is_there() -> None:
    assert not [path for path, caption in tree().items() if len(caption.split()) < 2]


def test_every_topic_stands_in_the_table() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", read(TREE), re.MULTILINE)) == TOPICS


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pictures_exist(page: str) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", read(page))
    assert not [target for target in targets if not (ROOT / page).parent.joinpath(target).exists()]


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_targets_of_make(page: str) -> None:
    named = set(re.findall(r"`\n?(?:\w+=\S+ )*make (\w+)", read(page)))
    assert named <= set(re.findall(r"^(\w+):", read("Makefile"), re.MULTILINE))


def test_every_guide_is_linked() -> None:
    assert GUIDES
    linked = [guide for guide in GUIDES if f"]({guide}" in read("README.md")]
    further = " ".join(map(read, linked))  # one more step
    assert not [
        guide for guide in GUIDES if guide not in linked and f"]({guide[5:]}" not in further
    ]
    assert not [path for path in AT_THE_ROOT[1:] if f"]({path})" not in read("README.md")]


def test_the_program_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", read("README.md"), re.DOTALL)
    assert found
    exec(compile(found[1], "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("The cat sat on the")


def test_the_names_to_build_on_run_as_documented() -> None:
    found = doctest.testfile(str(ROOT / "docs" / "api.md"), module_relative=False, encoding="utf-8")
    assert found.attempted > 20
    assert found.failed == 0


@pytest.mark.parametrize("name", ["load_model", "Generation", "Settings", "process"])
def test_each_name_to_build_on_has_ten_lines_that_run(name: str) -> None:
    section = re.search(
        rf"^## `{name}`.*?(?=^## |\Z)", read("docs/api.md"), re.DOTALL | re.MULTILINE
    )
    assert section
    assert 5 <= len(re.findall(r"^>>> ", section[0], re.MULTILINE)) <= 15

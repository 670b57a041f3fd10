"""The README's tree is the tree, and what it says exists does."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest

from tests.architecture.sources import ROOT, committed, read

OPEN = (
    "",
    "pages",
    "pages/frame",
    "pages/home",
    "pages/lessons",
    "model",
    "model/pretrained",
    "viz",
    "tests",
    "benchmarks",
)


def tree_lines() -> list[str]:
    """Lines of the README's tree: two spaces per level, a name, a comment."""
    found = re.search(r"```text\n(app\.py .*?)\n```", read("README.md"), re.DOTALL)
    assert found, "README.md has no tree that begins with app.py"
    return found[1].splitlines()


def listed() -> dict[str, str]:
    """Path -> comment of every line of the tree."""
    paths: dict[str, str] = {}
    above: list[str] = []
    for line in tree_lines():
        name, _, comment = line.strip().partition(" ")
        depth = (len(line) - len(line.lstrip())) // 2
        above[depth:] = [name.rstrip("/")]
        paths["/".join(above)] = comment.strip()
    return paths


def children(folder: str) -> set[str]:
    """Committed files and folders right below one, but for hidden ones and package markers."""
    depth = len(PurePosixPath(folder).parts)
    parts = [PurePosixPath(path).parts for path in committed()]
    below = {p[: depth + 1] for p in parts if p[:depth] == PurePosixPath(folder).parts}
    names = {"/".join(p) for p in below if len(p) > depth}
    return {name for name in names if not name.rpartition("/")[2].startswith((".", "__init__"))}


def test_everything_in_the_tree_exists() -> None:
    existing = {
        *committed(),
        *(str(up) for path in committed() for up in PurePosixPath(path).parents),
    }
    assert not set(listed()) - existing


def test_a_folder_that_the_tree_opens_is_there_whole() -> None:
    missing = {folder: children(folder) - set(listed()) for folder in OPEN}
    assert not {folder: sorted(names) for folder, names in missing.items() if names}


def test_every_line_says_what_the_file_is_for() -> None:
    assert not [path for path, comment in listed().items() if len(comment.split()) < 2]


def test_links_and_pictures_of_the_readme_exist() -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", read("README.md"))
    assert not [target for target in targets if not (ROOT / target).exists()]


def test_commands_of_the_readme_are_targets_of_make() -> None:
    named = set(re.findall(r"^make (\w+)|`make (\w+)", read("README.md"), re.MULTILINE))
    targets = set(re.findall(r"^(\w+):", read("Makefile"), re.MULTILINE))
    assert {one or other for one, other in named} <= targets


def test_the_program_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", read("README.md"), re.DOTALL)
    assert found
    exec(compile(found[1], "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("The cat sat on the")

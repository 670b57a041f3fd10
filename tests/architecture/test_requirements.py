"""What is installed is pinned, used, and no more than that."""

import re
from importlib import metadata

import pytest

from tests.architecture.sources import python_files, read, third_party

# packages that one of ours brings along, at a version that it chooses
BROUGHT_ALONG = {"packaging", "starlette", "tokenizers", "tqdm", "uvicorn", "yaml"}
IMPORTED_AS = {"nvidia-ml-py": "pynvml"}  # where the name is another
RUN_BY_NAME = {"brotli", "deno", "ruff", "mypy", "pytest-cov", "pytest-timeout", "pytest-xdist"}


def pins(path: str) -> dict[str, str]:
    lines = [line.partition("#")[0].strip() for line in read(path).splitlines()]
    matches = {line: re.fullmatch(r"([\w.-]+)==([\w.]+)", line) for line in lines if line}
    assert all(matches.values()), f"{path} has lines that pin nothing"
    return {match[1]: match[2] for match in matches.values() if match}


def imported_by_app() -> set[str]:
    return {IMPORTED_AS.get(name, name) for name in pins("requirements.txt")}


@pytest.mark.parametrize("path", ["requirements.txt", "requirements-dev.txt"])
def test_what_is_installed_is_what_is_pinned(path: str) -> None:
    installed = {name: metadata.version(name).partition("+")[0] for name in pins(path)}
    assert installed == pins(path)


def test_the_app_pins_what_it_imports_and_nothing_else() -> None:
    used = {
        name
        for path in python_files("app.py", "one_token", "pages", "model", "viz", "training")
        for name in third_party(path)
    }
    assert used - BROUGHT_ALONG == imported_by_app()


def test_tests_and_benchmarks_pin_what_they_import_and_nothing_else() -> None:
    used = {
        name
        for path in python_files("tests", "benchmarks", "conformance")
        for name in third_party(path)
    }
    own = used - BROUGHT_ALONG - imported_by_app()
    assert own == set(pins("requirements-dev.txt")) - RUN_BY_NAME

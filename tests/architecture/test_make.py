"""The two commands: the first run installs, the second neither installs nor asks anybody."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

# stands for Python: notes down how it is called and, asked for an environment, puts itself there
RECORDER = """#!/bin/sh
echo "$*" >> calls
case "$*" in *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;; esac
"""

# what the make that runs these tests hands down, and this one must not take
SETTABLE = {"HOST", "PORT", "WORKERS", "PYTEST_ARGS", "PYTHON", "CI", "MFLAGS"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with what `make` reads, and a Python that only notes down its calls."""
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "recorder").write_text(RECORDER)
    (tmp_path / "recorder").chmod(0o755)
    return tmp_path


def make(clone: Path, *arguments: str, python: str = "./recorder") -> tuple[list[str], str]:
    """Run make there as a person would; returns how Python was called, and what make complains."""
    (clone / "calls").write_text("")
    env = {k: v for k, v in os.environ.items() if k not in SETTABLE and "MAKE" not in k}
    command = ["make", *arguments, f"PYTHON={python}"]
    run = subprocess.run(command, cwd=clone, env=env, capture_output=True, text=True, check=False)
    assert (run.returncode == 0) == (python == "./recorder"), run.stderr
    return (clone / "calls").read_text().splitlines(), run.stderr


def installs(calls: list[str]) -> list[str]:
    return [call.split()[-1] for call in calls if "pip install" in call]


def test_the_first_run_installs_the_second_only_opens_and_what_changed_is_installed(
    clone: Path,
) -> None:
    calls, _ = make(clone, "run")
    assert installs(calls) == ["requirements.txt"]
    assert calls[-1].startswith("-m streamlit run app.py --server.address 127.0.0.1")
    # a class reaches it when it is asked for
    (call,), _ = make(clone, "run", "HOST=0.0.0.0", "PORT=80")
    assert call.startswith("-m streamlit run app.py --server.address 0.0.0.0 --server.port 80")
    with (clone / "requirements.txt").open("a") as requirements:
        requirements.write("# changed\n")
    assert installs(make(clone, "run")[0]) == ["requirements.txt"]
    assert not installs(make(clone, "run")[0])


def test_checking_installs_what_tests_need_and_runs_all_of_them(clone: Path) -> None:
    calls, _ = make(clone, "check")
    assert installs(calls) == ["requirements.txt", "requirements-dev.txt"]
    modules = [call.split()[1] for call in calls if call.startswith("-m ")]
    tools = [module for module in modules if module not in {"venv", "pip"}]
    assert tools == ["ruff", "ruff", "deno", "deno", "deno", "mypy", "pytest"]
    assert calls[-1] == "-m pytest -n 2 --dist loadfile --no-loadscope-reorder"
    assert make(clone, "test")[0] == calls[-1:]


def test_without_a_python_one_sentence_says_what_to_do(clone: Path) -> None:
    _, said = make(clone, "run", python="no-such-python")
    assert "Install one" in said
    assert "make run PYTHON=" in said
    assert not (clone / ".venv").exists()

"""The two commands: the first run installs, the second neither installs nor asks anybody."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

# stands for Python: notes down how it is called and, asked for an environment, puts itself there
RECORDER = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;; esac
"""

# what the make that runs these tests hands down, and this one must not take
SETTABLE = {"HOST", "PORT", "WORKERS", "PYTEST_ARGS", "PYTHON", "CI", "MFLAGS"}


class Clone:
    """A folder with what `make` reads, and a Python that only notes down its calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls_path = folder / "calls"
        self.python = folder / "recorder"
        for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
            shutil.copy(ROOT / name, folder)
        self.python.write_text(RECORDER)
        self.python.chmod(0o755)

    def make(self, *arguments: str, python: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run make here, quite as a person would."""
        own = {k: v for k, v in os.environ.items() if k not in SETTABLE and "MAKE" not in k}
        return subprocess.run(
            ["make", *arguments, f"PYTHON={python or self.python}"],
            cwd=self.folder,
            env={**own, "CALLS": str(self.calls_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self) -> list[str]:
        """How Python was called since this was last asked."""
        calls = self.calls_path.read_text().splitlines() if self.calls_path.exists() else []
        self.calls_path.unlink(missing_ok=True)
        return calls


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def installs(calls: list[str]) -> list[str]:
    return [call.split()[-1] for call in calls if "pip install" in call]


def test_the_first_run_installs_the_second_only_opens_and_what_changed_is_installed(
    clone: Clone,
) -> None:
    assert clone.make("run").returncode == 0
    calls = clone.calls()
    assert installs(calls) == ["requirements.txt"]
    assert calls[-1].startswith("-m streamlit run app.py --server.address 127.0.0.1")
    clone.make("run", "HOST=0.0.0.0", "PORT=80")  # a class reaches it when it is asked for
    (call,) = clone.calls()
    assert call.startswith("-m streamlit run app.py --server.address 0.0.0.0 --server.port 80")
    with (clone.folder / "requirements.txt").open("a") as requirements:
        requirements.write("# changed\n")
    clone.make("run")
    assert installs(clone.calls()) == ["requirements.txt"]
    clone.make("run")
    assert not installs(clone.calls())


def test_tests_install_what_tests_need_and_run_all_of_them(clone: Clone) -> None:
    assert clone.make("test").returncode == 0
    calls = clone.calls()
    assert installs(calls) == ["requirements.txt", "requirements-dev.txt"]
    assert calls[-1] == "-m pytest -n 2 --dist loadfile --no-loadscope-reorder"
    clone.make("test")
    assert not installs(clone.calls())


def test_checking_includes_the_tests(clone: Clone) -> None:
    assert clone.make("check").returncode == 0
    modules = [call.split()[1] for call in clone.calls() if call.startswith("-m ")]
    tools = [module for module in modules if module not in {"venv", "pip"}]
    assert tools == ["ruff", "ruff", "deno", "deno", "deno", "mypy", "pytest"]


def test_without_a_python_one_sentence_says_what_to_do(clone: Clone) -> None:
    run = clone.make("run", python="no-such-python")
    assert run.returncode != 0
    assert "Install one" in run.stderr
    assert "make run PYTHON=" in run.stderr
    assert not (clone.folder / ".venv").exists()

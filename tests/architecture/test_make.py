"""The two commands: the first run installs, the second neither installs nor asks anybody.

Without an NVIDIA GPU the first one takes PyTorch's CPU build, if its index can be reached.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

# stands for Python, and for uv: notes down how it is called; asked for an environment or for uv,
# it puts itself there. As uv it fails if there is no index.
RECORDER = """#!/bin/sh
echo "$*" >> calls
case "$*" in
*"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
*"--target .venv/.uv uv") mkdir -p .venv/.uv/bin && cp "$0" .venv/.uv/bin/uv ;;
"pip install --python"*) [ -e index ] ;;
esac
"""

# what the make that runs these tests hands down, and this one must not take
SETTABLE = {"HOST", "PORT", "WORKERS", "PYTEST_ARGS", "PYTHON", "CI", "TORCH", "MFLAGS"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with what `make` reads, and a Python that only notes down its calls."""
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "recorder").write_text(RECORDER)
    (tmp_path / "recorder").chmod(0o755)
    put_command(tmp_path, "uname", "echo Linux")
    put_command(tmp_path, "nvidia-smi", "exit 9")  # no driver answers
    return tmp_path


def put_command(clone: Path, name: str, body: str) -> None:
    """Makes a command that stands before this machine's own."""
    (clone / "bin").mkdir(exist_ok=True)
    (clone / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
    (clone / "bin" / name).chmod(0o755)


def make(clone: Path, *arguments: str, python: str = "./recorder") -> tuple[list[str], str]:
    """Run make there as a person would; returns how Python was called, and what make complains."""
    (clone / "calls").write_text("")
    env = {k: v for k, v in os.environ.items() if k not in SETTABLE and "MAKE" not in k}
    env["PATH"] = f"{clone / 'bin'}{os.pathsep}{env['PATH']}"
    command = ["make", *arguments, f"PYTHON={python}"]
    run = subprocess.run(command, cwd=clone, env=env, capture_output=True, text=True, check=False)
    assert (run.returncode == 0) == (python == "./recorder"), run.stderr
    return (clone / "calls").read_text().splitlines(), run.stderr


def installs(calls: list[str]) -> list[str]:
    """The requirements that pip was told to install, or uv ("uv requirements.txt")."""
    return [
        f"{'uv ' if call.startswith('pip') else ''}{call.split()[-1]}"
        for call in calls
        if "pip install" in call and " -r " in call
    ]


def test_the_first_run_installs_the_second_only_opens_and_what_changed_is_installed(
    clone: Path,
) -> None:
    (clone / "index").touch()
    calls, _ = make(clone, "run")
    assert installs(calls) == ["uv requirements.txt"]
    assert calls[-1] == "-m one_token --host 127.0.0.1 --port 8501"
    # a class reaches it when it is asked for
    (call,), _ = make(clone, "run", "HOST=0.0.0.0", "PORT=80")
    assert call == "-m one_token --host 0.0.0.0 --port 80"
    with (clone / "requirements.txt").open("a") as requirements:
        requirements.write("# changed\n")
    assert installs(make(clone, "run")[0]) == ["uv requirements.txt"]
    assert not installs(make(clone, "run")[0])


def test_checking_installs_what_tests_need_and_runs_all_of_them(clone: Path) -> None:
    (clone / "index").touch()
    calls, _ = make(clone, "check")
    assert installs(calls) == ["uv requirements.txt", "uv requirements-dev.txt"]
    modules = [call.split()[1] for call in calls if call.startswith("-m ")]
    tools = [module for module in modules if module not in {"venv", "pip"}]
    assert tools == ["ruff", "ruff", "deno", "deno", "deno", "mypy", "pytest"]
    assert calls[-1] == "-m pytest -n auto --dist loadfile --no-loadscope-reorder"
    assert make(clone, "test")[0] == calls[-1:]
    assert make(clone, "test-all")[0] == [f"{calls[-1]} -m "]


@pytest.mark.parametrize(
    ("has_gpu", "has_index", "system", "said", "wants_cpu"),
    [
        (False, True, "Linux", "", True),
        (False, False, "Linux", "", True),
        (True, True, "Linux", "", False),
        (True, True, "Linux", "cpu", True),
        (False, True, "Linux", "cuda", False),
        (False, True, "Darwin", "", False),  # PyTorch has one build there
    ],
)
def test_cuda_is_installed_only_beside_an_nvidia_gpu(
    clone: Path, has_gpu: bool, has_index: bool, system: str, said: str, wants_cpu: bool
) -> None:
    """PyTorch is pip's but for the CPU build from its index; the rest is uv's, or else pip's."""
    put_command(clone, "uname", f"echo {system}")
    if has_gpu:
        put_command(clone, "nvidia-smi", "echo GPU 0: one of theirs")
    if has_index:
        (clone / "index").touch()
    chosen = [f"TORCH={said}"] if said else []
    calls, _ = make(clone, "page", *chosen)
    by = ["uv requirements.txt", "requirements.txt"][: 2 - has_index]
    assert installs(calls) == by
    tried = [call for call in calls if "--dry-run" in call]
    assert len(tried) == wants_cpu
    assert all(re.search(r"--torch-backend=cpu .* torch==[\d.]+$", call) for call in tried)
    by_uv = [call for call in calls if "--torch-backend=cpu" in call and " -r " in call]
    by_pip = [call for call in calls if re.match(r"-m pip install.* torch==[\d.]+$", call)]
    assert (len(by_uv), len(by_pip)) == ((1, 0) if wants_cpu and has_index else (0, 1))
    assert not (clone / ".venv" / ".uv").exists()
    assert not installs(make(clone, "page")[0])
    tools = [name.replace(".txt", "-dev.txt") for name in by]
    assert installs(make(clone, "install", *chosen)[0]) == tools
    assert not (clone / ".venv" / ".uv").exists()


def test_what_is_no_build_of_pytorch_is_refused_before_anything_is_made(clone: Path) -> None:
    with pytest.raises(AssertionError, match="TORCH=gpu is no build: say TORCH=cpu or TORCH=cuda"):
        make(clone, "run", "TORCH=gpu")
    assert not (clone / ".venv").exists()


def test_without_a_python_one_sentence_says_what_to_do(clone: Path) -> None:
    _, said = make(clone, "run", python="no-such-python")
    assert "Install one" in said
    assert "make run PYTHON=" in said
    assert not (clone / ".venv").exists()

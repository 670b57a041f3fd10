"""The command `one-token`, from this checkout and from the files of a built wheel."""

import os
import re
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from importlib import metadata
from pathlib import Path
from unittest.mock import Mock

import pytest
from packaging.requirements import Requirement
from streamlit.web import cli

from one_token import FILES, __version__
from one_token.__main__ import main
from pages.home import in_page_file
from tests.architecture.sources import ROOT, committed, read
from tests.architecture.test_requirements import pins
from tests.driving.harness import free_port

SHIPPED = ("app.py", "lessons/", "model/", "pages/", "viz/", ".streamlit/")
BUILD = "from setuptools import setup; setup()"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel puts into an environment, in a folder whose name is hard to quote."""
    folder = tmp_path_factory.mktemp("l'été à l'école 100 %")
    command = [sys.executable, "-c", BUILD, "-q", "egg_info", "--egg-base", str(folder)]
    command += ["build_py", "--build-lib", str(folder / "lib")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder / "lib"


def run(*arguments: str, cwd: Path, path: Path = ROOT, **env: str) -> subprocess.Popen[str]:
    """Starts the command as a program, in a folder that is not the app's."""
    return subprocess.Popen(
        [sys.executable, "-m", "one_token", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1", **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )


def test_a_wheel_has_the_app_s_committed_files_and_no_other(built: Path) -> None:
    files = {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
    app = {path for path in committed() if path.startswith(SHIPPED)}
    entry = {path for path in committed() if path.startswith("one_token/")}
    assert files == {f"one_token/files/{path}" for path in app} | entry


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    assert "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"]["attr"] == "one_token.__version__"
    # a release takes its notes and its tag from these, which are for people to read
    assert re.findall(r"^## \[(\d\S*)\]", read("CHANGELOG.md"), re.MULTILINE)[0] == __version__
    assert re.findall(r"^version: (.+)$", read("CITATION.cff"), re.MULTILINE) == [__version__]


def test_the_version_is_printed_without_torch_or_streamlit(built: Path, tmp_path: Path) -> None:
    for path in (ROOT, built):
        started = run("--version", cwd=tmp_path, path=path, PYTHONPROFILEIMPORTTIME="1")
        said, _ = started.communicate(timeout=30)
        assert said.splitlines()[-1] == f"one-token {__version__}"
        imported = {line.rpartition("|")[2].strip() for line in said.splitlines()}
        assert "one_token" in imported
        assert not imported & {"torch", "streamlit", "numpy"}


def test_each_range_begins_at_the_pinned_version_and_holds_no_other_package() -> None:
    listed = tomllib.loads(read("pyproject.toml"))["project"]["dependencies"]
    ranges = {found.name: found.specifier for found in map(Requirement, listed)}
    assert ranges.keys() == pins("requirements.txt").keys()
    for name, version in pins("requirements.txt").items():
        assert f">={version}" in str(ranges[name]), name
        assert metadata.version(name).partition("+")[0] in ranges[name]


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ([], []),
        (["--host"], ["--server.address=0.0.0.0"]),
        (["--host", "::1", "--port", "80"], ["--server.address=::1", "--server.port=80"]),
        (["--server.headless=true", "--port=81"], ["--server.port=81", "--server.headless=true"]),
        (["--server.port", "80", "--host"], ["--server.address=0.0.0.0", "--server.port=80"]),
        (["--theme.base", "page", "--ui.x=a b"], ["--theme.base=page", "--ui.x=a b"]),
        (["--server.port", "-1"], ["--server.port=-1"]),
        (["--server.headless"], ["--server.headless"]),
    ],
)
def test_options_reach_streamlit(
    arguments: list[str], passed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "main", called := Mock())
    main(arguments)
    assert called.call_args.args[0] == ["run", str(FILES / "app.py"), *passed]


@pytest.mark.parametrize("port", ["0", "65536", "-1", "8501x", "٨", ""])
def test_what_is_no_port_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([f"--port={port}"])
    assert stopped.value.code == 2
    assert "from 1 to 65535" in capsys.readouterr().err


def test_the_page_is_written_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(in_page_file, "live_page", lambda _: "the page ␣")
    main(["page"])
    main(["page", "é à/b.html"])
    for path in ("one-token.html", "é à/b.html"):
        assert Path(path).read_text("utf-8") == "the page ␣"


@pytest.mark.parametrize("name", ["folder", "file/below.html"])
def test_a_page_that_cannot_be_written_is_refused_in_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=r"cannot be written .* one-token page "):
        main(["page", name])


def test_the_built_app_starts_without_a_home_and_is_reached_from_this_machine_alone(
    built: Path, tmp_path: Path
) -> None:
    port, nowhere = free_port(), str(tmp_path / "no" / "home")
    app = run(
        *(f"--port={port}", "--server.headless=true"),
        cwd=tmp_path,
        path=built,
        HOME=nowhere,
        USERPROFILE=nowhere,
    )
    try:
        until = time.monotonic() + 60
        while not is_healthy(port):
            assert app.poll() is None, app.communicate()[0]
            assert time.monotonic() < until
            time.sleep(0.1)
        # an option of the app's own config.toml, which Streamlit has to find
        with pytest.raises(OSError, match=r"refused|timed out|reach|assign"):
            socket.create_connection((other_address(), port), timeout=5)
    finally:
        app.terminate()
        said, _ = app.communicate(timeout=20)
    assert "Traceback" not in said
    assert not (tmp_path / "no").exists()


def is_healthy(port: int) -> bool:
    try:
        address = f"http://127.0.0.1:{port}/_stcore/health"
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def other_address() -> str:
    """Another address of this machine's loopback, which listening everywhere would include."""
    return "127.0.0.2"


def test_importing_it_makes_the_contract_importable(built: Path, tmp_path: Path) -> None:
    program = "import one_token, model.settings, sys; print(model.settings.__file__)"
    env = {**os.environ, "PYTHONPATH": str(built), "PYTHONDONTWRITEBYTECODE": "1"}
    said = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=env,
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert Path(said.stdout.strip()) == built / "one_token" / "files" / "model" / "settings.py"

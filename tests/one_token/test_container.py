"""The container's file: what of it can be read and run without Docker."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.driving.harness import OFFLINE, ROOT, Server, free_port

# of Docker's reference, those that name no build of several stages
INSTRUCTIONS = {"FROM", "RUN", "USER", "ENV", "WORKDIR", "COPY", "EXPOSE", "HEALTHCHECK", "CMD"}
PATIENCE_SECONDS = 120


def instructions(text: str) -> list[tuple[str, str]]:
    """The file line by line, where a backslash goes on with the next one."""
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [
        (word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line)
    ]


FILE = instructions((ROOT / "Dockerfile").read_text("utf-8"))
VARIABLES = dict(
    pair.split("=", 1) for word, rest in FILE if word == "ENV" for pair in rest.split()
)


def said(wanted: str) -> list[str]:
    return [rest for word, rest in FILE if word == wanted]


def test_what_the_container_is_made_of_is_there() -> None:
    assert {word for word, _ in FILE} == INSTRUCTIONS
    assert FILE[0][0] == "FROM"
    version = re.fullmatch(r"python:(3\.\d+)-slim", FILE[0][1])
    assert version
    assert f"Programming Language :: Python :: {version[1]}" in (ROOT / "pyproject.toml").read_text(
        "utf-8"
    )
    for copied in said("COPY"):
        *sources, _ = copied.removeprefix("--chown=user ").split()
        assert all((ROOT / source).exists() for source in sources)
    words = [word for word, _ in FILE]
    assert said("USER") == ["user"]
    assert words.index("USER") < words.index("COPY"), "nothing is root's but the system"
    assert said("EXPOSE") == [VARIABLES["PORT"]]


def test_its_check_finds_a_server_that_answers_healthy_and_none_ill(server: Server) -> None:
    (check,) = said("HEALTHCHECK")
    for port, status in ((server.url.rpartition(":")[2], 0), (str(free_port()), 1)):
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        env = os.environ | {"PORT": port, "PATH": path}
        command = ["sh", "-c", check.partition("CMD ")[2]]
        assert subprocess.run(command, env=env, capture_output=True).returncode == status


@pytest.mark.nightly  # by day test_command.py: the built app starts, and is reached
def test_its_commands_serve_the_app_and_find_it_healthy(tmp_path: Path) -> None:
    (command,), (check,) = said("CMD"), said("HEALTHCHECK")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    port = free_port()
    host = {"HOST": "127.0.0.1", "PORT": str(port), "HOME": str(tmp_path), "PATH": path}
    env = os.environ | OFFLINE | VARIABLES | host
    check = check.partition("CMD ")[2]

    def status() -> int:
        return subprocess.run(["sh", "-c", check], env=env, capture_output=True).returncode

    log = tmp_path / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(["sh", "-c", command], cwd=ROOT, env=env, stdout=out)
    server = Server(f"http://127.0.0.1:{port}", process, log, 0.0)
    try:
        server.wait_until_healthy(PATIENCE_SECONDS)
        assert status() == 0
    finally:
        server.stop()
    assert status() == 1

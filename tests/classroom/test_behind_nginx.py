"""Two copies of the app behind Debian's nginx, with docs/nginx.conf as it is shipped.

Without nginx there is no parameter, and pytest says that these tests were left out;
tests/install_nginx.sh installs it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchmarks.soak_reader import Teacher
from model.classroom.limits import N_LETTERS
from tests.driving.harness import ROOT, Server, free_port, serve
from tests.frame.asgi import run_apart

NAME = "tokens.school.example"
SHIPPED = (ROOT / "docs/nginx.conf").read_text("utf-8")
PORTS = re.findall(r"^    server 127\.0\.0\.1:(\d+);", SHIPPED, re.MULTILINE)
FOUND = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")  # that nginx writes to
TEACHER, STRANGER, PUPIL = "127.0.0.3", "127.0.0.2", "127.0.0.4"  # each has an address
FORGED = "198.51.100.9"
PRESS = {"do": "append", "how": "draw", "n_presses": 0}

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    said: Any  # JSON, or None


@dataclass(frozen=True)
class Proxy:
    """nginx, with the shipped file."""

    port: int

    def ask(self, path: str, source: str = PUPIL, body: Any = None, **headers: str) -> Reply:
        """Asks one thing from an address of this machine, under the name that readers open."""
        (answered,) = self.ask_all([path], source, body, **headers)
        return answered

    def ask_all(
        self, paths: list[str], source: str = PUPIL, body: Any = None, **headers: str
    ) -> list[Reply]:
        """Asks one thing after another on one connection."""
        connection = HTTPConnection("127.0.0.1", self.port, 30, source_address=(source, 0))
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent, answered = None if body is None else json.dumps(body), []
        for path in paths:
            connection.request("POST" if sent else "GET", path, sent, {"Host": NAME} | named)
            answer = connection.getresponse()
            text, is_json = answer.read(), "json" in answer.headers.get_content_type()
            said = json.loads(text) if is_json else None
            answered.append(Reply(answer.status, dict(answer.headers), said))
        connection.close()
        return answered


@contextmanager
def nginx(program: str, folder: Path, ports: list[int]) -> Iterator[Proxy]:
    """Runs nginx with the shipped file, whose ports alone are others."""
    port, given = free_port(), SHIPPED
    for shipped, other in zip(PORTS, ports, strict=True):
        given = given.replace(f"127.0.0.1:{shipped};", f"127.0.0.1:{other};")
    given, n_changed = re.subn(
        r"^    listen 80;", f"    listen 127.0.0.1:{port};", given, flags=re.M
    )
    assert n_changed == 1
    (folder / "one-token.conf").write_text(given)
    written = "".join(f"  {name}_temp_path {folder}/{name};\n" for name in FOLDERS)
    main = folder / "nginx.conf"
    main.write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;\n"
        "events {}\n"
        f"http {{\n  access_log off;\n{written}  include {folder}/one-token.conf;\n}}\n"
    )
    with subprocess.Popen([program, "-c", main, "-e", folder / "error.log"]) as process:
        proxy = Proxy(port)
        try:
            while process.poll() is None:
                try:
                    proxy.ask("/_stcore/health")
                    break
                except OSError:
                    pass
            assert process.poll() is None, (folder / "error.log").read_text()
            yield proxy
        finally:
            process.terminate()


# What the file does, with servers behind it that repeat what they were asked


class Repeating(BaseHTTPRequestHandler):
    """Answers with the headers that it got, and which server it is."""

    def do_GET(self) -> None:
        body = json.dumps({"port": self.server.server_address[1], **self.headers}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(params=[FOUND] if FOUND else [])
def repeating(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Proxy, list[ThreadingHTTPServer]]]:
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Repeating) for _ in PORTS]
    for server in servers:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    with nginx(request.param, tmp_path, [server.server_port for server in servers]) as proxy:
        yield proxy, servers
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_copy_is_told_the_name_and_the_address_and_nothing_that_a_reader_made_up(
    repeating: tuple[Proxy, list[ThreadingHTTPServer]],
) -> None:
    proxy, _ = repeating
    forged = {"X_Forwarded_For": f"{FORGED}, 127.0.0.1", "X_Forwarded_Proto": "https"}
    told = proxy.ask("/", STRANGER, **forged, X_Phone="a token", X_Desk="a key").said
    assert told["X-Forwarded-For"] == STRANGER
    assert told["X-Forwarded-Proto"] == "http"
    assert (told["Host"], told["X-Phone"], told["X-Desk"]) == (NAME, "a token", "a key")
    opened = proxy.ask("/_stcore/stream", Upgrade="websocket", Connection="Upgrade").said
    assert (opened["Upgrade"], opened["Connection"]) == ("websocket", "upgrade")


def test_a_reader_stays_on_a_copy_a_room_s_code_leads_to_its_own_and_one_that_is_gone_is_left(
    repeating: tuple[Proxy, list[ThreadingHTTPServer]],
) -> None:
    proxy, (first, second) = repeating
    new = proxy.ask("/")
    cookie = new.headers["Set-Cookie"].partition(";")[0]
    assert {proxy.ask("/", source, Cookie=cookie).said["port"] for source in (PUPIL, STRANGER)} == {
        new.said["port"]
    }
    ports = {proxy.ask("/", Cookie=f"one_token_copy={i}").said["port"] for i in range(20)}
    assert ports == {first.server_port, second.server_port}
    for letter, server in (("A", first), ("b", second)):
        for end in ("", "/state", "/desk/press", "/projector/qr.svg"):
            asked = proxy.ask(f"/room/{letter}cdfghj{end}", Cookie=cookie)
            assert asked.said["port"] == server.server_port
    second.shutdown()
    second.server_close()
    for i in range(20):
        assert proxy.ask("/", Cookie=f"one_token_copy={i}").said["port"] == first.server_port


# What strangers do, with two copies of the app behind it


class TeacherBehind(Teacher):
    """A teacher's browser, behind nginx: it has a copy by its cookie."""

    def __init__(self, proxy: Proxy, cookie: str) -> None:
        super().__init__(f"http://{NAME}")
        self.proxy, self.cookie = proxy, cookie

    async def connect(self, *protocols: str) -> ClientConnection:
        return await connect(
            self.address,
            host="127.0.0.1",
            port=self.proxy.port,
            local_addr=(TEACHER, 0),
            subprotocols=[Subprotocol(name) for name in protocols],
            additional_headers={"Cookie": f"one_token_copy={self.cookie}"},
            max_size=None,
            ping_interval=None,
        )


async def open_rooms(proxy: Proxy) -> dict[str, tuple[str, str]]:
    """Opens rooms until each copy has one; returns code and key by the copy's letter."""
    opened: dict[str, tuple[str, str]] = {}
    for number in range(30):
        async with TeacherBehind(proxy, str(number)) as teacher:
            code, key = await teacher.open_room()
            assert teacher.exceptions == []
            opened[code[0]] = code, key
        if len(opened) == len(PORTS):
            break
    return opened


@pytest.fixture(scope="module", params=[FOUND] if FOUND else [])
def copies(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Proxy, list[Server]]]:
    """Two copies, started as the file says."""
    said = dict(re.findall(r"((?:STREAMLIT|FORWARDED)\w+)=(\S+\w)", SHIPPED))
    said["STREAMLIT_SERVER_ALLOWED_HOSTS"] += " 127.0.0.1"  # by which the harness asks for health
    with ExitStack() as stack, ThreadPoolExecutor(len(PORTS)) as pool:
        starting = [serve(env=said | {"ONE_TOKEN_COPY": letter}) for letter in "AB"]
        servers = list(pool.map(stack.enter_context, starting))
        ports = [int(server.url.rpartition(":")[2]) for server in servers]
        folder = tmp_path_factory.mktemp("nginx")
        yield stack.enter_context(nginx(request.param, folder, ports)), servers


@pytest.mark.nightly  # by day test_attack.py: a stranger at the class's own address, on one copy
def test_a_class_gets_in_whatever_a_stranger_does(copies: tuple[Proxy, list[Server]]) -> None:
    proxy, servers = copies
    assert proxy.ask("/_stcore/health").status == 200
    assert proxy.ask("/_stcore/health", Host="evil.example").status == 421
    opened = run_apart(open_rooms(proxy))
    assert set(opened) == {"A", "B"}
    for i in range(11):  # networks, from which a stranger tries codes of both copies
        wrong = [f"/room/{'AB'[n % 2]}{n:06}/state" for n in range(36)]
        assert {one.status for one in proxy.ask_all(wrong, f"127.0.1.{i + 1}")} == {409}
    for code, key in opened.values():
        assert len(code) == N_LETTERS + 1
        room = f"/room/{code.lower()}"
        joined = [f"{room}/join"] * 100
        forged = {"X_Forwarded_For": FORGED}
        assert {one.status for one in proxy.ask_all(joined, STRANGER, {}, **forged)} == {200}
        pupils = [proxy.ask(f"{room}/join", PUPIL, {"name": f"p{i}"}).said for i in range(30)]
        for pupil in pupils:
            assert proxy.ask(f"{room}/state", X_Phone=pupil["token"]).status == 200
        desk = f"{room}/desk"
        before = proxy.ask(f"{desk}/state", TEACHER, X_Desk=key).said["text"]
        with ThreadPoolExecutor(6) as pool:
            pressing = [
                pool.submit(proxy.ask, f"{desk}/press", TEACHER, PRESS, X_Desk=key)
                for _ in range(6)
            ]
            pressed = [answer.result().said for answer in pressing]
        assert sorted(answer["is_late"] for answer in pressed) == [False] + [True] * 5
        assert len({answer["text"] for answer in pressed} - {before}) == 1
    assert not any("Traceback" in server.log() for server in servers)

"""A small Hugging Face hub on this machine: repositories out of folders, and all that can go wrong.

It answers what `huggingface_hub` asks: who a model is, its files, and each of them with the headers
of the real one; large files by a second address, any file from any byte on.
"""

import hashlib
import json
import re
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import prod
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

import huggingface_hub
import pytest
from huggingface_hub import constants

TOKEN = "hf_of_this_test"
PIECE = 1 << 14  # bytes that are sent at once
LARGE = (".safetensors", ".gguf", ".bin")  # what the hub keeps elsewhere


@dataclass
class Repository:
    """A model on the hub."""

    folder: Path
    gated: bool = False
    base: str | None = None  # the model that it was quantised from
    breaks_after: list[int] = field(default_factory=list)  # bytes, of one answer after the other
    status: int = 200  # of every answer, where it is no success
    has_counts: bool = True  # whether the hub has looked into its safetensors
    spoiled: list[Callable[[bytes], bytes]] = field(default_factory=list)  # of one answer each

    @property
    def sha(self) -> str:
        """The commit: another for other files."""
        listed = sorted(f"{path.name} {path.stat().st_size}" for path in self.folder.iterdir())
        return hashlib.sha1("\n".join(listed).encode()).hexdigest()


class LoopbackHub:
    """The server, its repositories, and what it was asked."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.renamed: dict[str, str] = {}  # the names that repositories had, and have
        self.asked: list[tuple[str, str, str | None]] = []  # method, path, range
        self.flowing = threading.Event()  # cleared, large files wait half-way
        self.flowing.set()
        self._server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_port}"

    def add(self, repo_id: str, folder: Path, **more: Any) -> Repository:
        """Puts a folder on the hub."""
        self.repositories[repo_id] = Repository(folder, **more)
        return self.repositories[repo_id]

    def fetched(self, repo_id: str) -> list[str]:
        """The files of a repository whose bytes were asked for, one after another."""
        found = (
            re.match(rf"/(?:cdn/)?{repo_id}/(?:resolve/)?\w+/(.+)", p) for _, p, _ in self.gets()
        )
        return [match[1] for match in found if match]

    def gets(self) -> Iterator[tuple[str, str, str | None]]:
        """What was asked for, and not only about."""
        return (asked for asked in self.asked if asked[0] == "GET")

    def start(self) -> None:
        """Begins to answer."""
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Is gone: whoever comes finds nobody."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        self.flowing.set()


class _Handler(BaseHTTPRequestHandler):
    hub: ClassVar[LoopbackHub]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers one request as the hub does."""
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append((self.command, path, self.headers.get("Range")))
        about = re.fullmatch(r"/api/models/(.+?)(?:/revision/(.+))?", path)
        file = re.fullmatch(r"/(.+/.+?)/resolve/([^/]+)/(.+)", path)
        stored = re.fullmatch(r"/cdn/(.+/.+?)/(\w+)/(.+)", path)
        found = about or file or stored
        if found and (new := self.hub.renamed.get(found[1])):
            self.send(307, {"Location": self.path.replace(found[1], new, 1)})
            return
        repository = self.hub.repositories.get(found[1]) if found else None
        if found is None or repository is None:
            self.refuse(404, "RepoNotFound")
        elif repository.status != 200:
            self.refuse(repository.status)
        elif found[2] not in (None, "main", repository.sha):
            self.refuse(404, "RevisionNotFound")
        elif about:
            body = json.dumps(describe(found[1], repository)).encode()
            self.send(200, {"Content-Type": "application/json"}, body)
        else:
            self.give_file(found[1], repository, found[3], is_stored=stored is not None)

    do_HEAD = do_GET  # noqa: N815  named by the library

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def send(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.begin(status, {"Content-Length": str(len(body)), **headers})
        if self.command == "GET":
            self.wfile.write(body)

    def begin(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def refuse(self, status: int, code: str = "") -> None:
        self.send(status, {"X-Error-Code": code} if code else {})

    def give_file(self, name: str, repository: Repository, file: str, *, is_stored: bool) -> None:
        """Sends a file, or the address where it is stored."""
        path, token = repository.folder / file, self.headers.get("Authorization")
        if repository.gated and token != f"Bearer {TOKEN}":
            self.refuse(403 if token else 401, "GatedRepo")
            return
        if not path.is_file():
            self.refuse(404, "EntryNotFound")
            return
        content = path.read_bytes()
        etag = f'"{hashlib.sha256(content).hexdigest()}"'
        headers = {"X-Repo-Commit": repository.sha, "ETag": etag, "Accept-Ranges": "bytes"}
        if file.endswith(LARGE) and not is_stored:
            headers["Location"] = f"/cdn/{name}/{repository.sha}/{file}"
            size = str(len(content))
            self.send(302, headers | {"X-Linked-ETag": etag, "X-Linked-Size": size})
        else:
            self.give_bytes(repository, content, headers)

    def give_bytes(self, repository: Repository, content: bytes, headers: dict[str, str]) -> None:
        """Sends a file from where it is wanted, as far as its repository lets it."""
        first = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if len(content) > PIECE and repository.spoiled and self.command == "GET":
            content = repository.spoiled.pop()(content)
        start, size = int(first[1]) if first else 0, len(content)
        headers["Content-Length"] = str(size - start)
        if first:
            headers["Content-Range"] = f"bytes {start}-{size - 1}/{size}"
        self.begin(206 if first else 200, headers)
        if self.command != "GET":
            return
        is_large = size > PIECE
        breaks = is_large and repository.breaks_after
        end = start + repository.breaks_after.pop(0) if breaks else size
        for place in range(start, size, PIECE):
            if place >= end:
                self.close_connection = True
                return
            if is_large and place >= size // 2:
                self.hub.flowing.wait()
            try:
                self.wfile.write(content[place : place + PIECE])
            except OSError:  # the other side has gone
                return


def describe(name: str, repository: Repository) -> dict[str, Any]:
    """What the hub says of a model, with the sizes of its files."""
    paths = sorted(path for path in repository.folder.iterdir() if path.is_file())
    config = repository.folder / "config.json"
    config = json.loads(config.read_text("utf-8")) if config.is_file() else {}
    said: dict[str, Any] = {
        "id": name,
        "modelId": name,
        "sha": repository.sha,
        "private": False,
        "gated": "manual" if repository.gated else False,
        "config": {key: config[key] for key in ("architectures", "model_type") if key in config},
        "tags": ["license:apache-2.0"],
        "cardData": {"license": "apache-2.0"},
        "siblings": [{"rfilename": path.name, "size": path.stat().st_size} for path in paths],
    }
    if repository.base:
        said["tags"] += [f"base_model:{repository.base}", f"base_model:quantized:{repository.base}"]
        said["cardData"]["base_model"] = repository.base
    counts = count_numbers(path for path in paths if path.match("model*.safetensors"))
    if counts and repository.has_counts:
        said["safetensors"] = {"parameters": counts, "total": sum(counts.values())}
    return said


def count_numbers(paths: Iterator[Path]) -> dict[str, int]:
    """How many numbers of each kind these files hold, by their headers."""
    counts: dict[str, int] = {}
    for path in paths:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            header = json.loads(file.read(length))
        for name, tensor in header.items():
            if name != "__metadata__":
                dtype = tensor["dtype"]
                counts[dtype] = counts.get(dtype, 0) + prod(tensor["shape"])
    return counts


@contextmanager
def running() -> Iterator[LoopbackHub]:
    """A hub that answers until the block ends."""
    hub = LoopbackHub()
    hub.start()
    try:
        yield hub
    finally:
        hub.stop()


def reach(hub: LoopbackHub, cache: Path, patch: pytest.MonkeyPatch, *, offline: bool) -> None:
    """Lets this process's `huggingface_hub` know this hub alone, and an empty cache."""
    patch.setattr(constants, "HF_HUB_OFFLINE", offline)
    patch.setattr(constants, "ENDPOINT", hub.url)
    template = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
    patch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    patch.setattr(constants, "HF_HUB_CACHE", str(cache))
    patch.delenv("HF_TOKEN", raising=False)
    patch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", str(cache.parent / "no-token"))


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    """The only hub that this process knows; its cache is empty."""
    with running() as hub:
        reach(hub, tmp_path / "cache", monkeypatch, offline=False)
        yield hub

"""A name becomes a folder: shipped, local, downloaded before, or fetched from the hub."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub import errors

from model.loading import load_model
from model.weights import locate
from model.weights.check import INDEX
from tests.tiny_models import bare_model, load_error, save


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save(tmp_path / "model", bare_model("gpt2"))


@pytest.mark.parametrize("name", ["", "   ", "\n"])
def test_no_name_is_answered_with_the_choices(name: str) -> None:
    said = load_error(name)
    assert "choose one of" in said
    assert "storyteller, " in said
    assert ", a folder, a hub id" in said


@pytest.mark.parametrize(
    "name",
    ["../../no-such", "/no/such/folder", "a/b/c", "gpt2\x00", "\ud800", "..a", "a--b", "-x", "é"],
)
def test_a_name_that_is_neither_folder_nor_hub_id_is_refused(name: str) -> None:
    assert "neither a folder on this machine nor a hub id" in load_error(name)


def test_a_file_is_refused_for_its_folder(folder: Path) -> None:
    assert "is a file: give the folder" in load_error(folder / "model.safetensors")


class FakeHub:
    """A repository on the hub: its files, and what goes wrong on the way."""

    def __init__(self, folder: Path, error: Exception | None = None, n_numbers: int = 10) -> None:
        self.folder, self.error, self.n_numbers = folder, error, n_numbers
        self.downloaded: list[str] = []

    def model_info(self, repo_id: str, **_: object) -> SimpleNamespace:
        assert repo_id == "someone/tiny"
        if self.error is not None:
            raise self.error
        files = [
            SimpleNamespace(rfilename=path.name, size=path.stat().st_size)
            for path in sorted(self.folder.iterdir())
        ]
        count = SimpleNamespace(total=self.n_numbers)
        return SimpleNamespace(siblings=files, safetensors=count, sha="abc")

    def download(self, repo_id: str, file: str, revision: str) -> str:
        assert (repo_id, revision) == ("someone/tiny", "abc")
        self.downloaded.append(file)
        return str(self.folder / file)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeHub]:
    """Puts a repository in the place of the hub; nothing is in the cache."""

    def put(*arguments: Any, **more: Any) -> FakeHub:
        hub = FakeHub(*arguments, **more)
        monkeypatch.setattr(huggingface_hub, "HfApi", lambda: hub)
        monkeypatch.setattr(huggingface_hub, "hf_hub_download", hub.download)
        monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *_: None)
        return hub

    return put


def test_a_hub_id_fetches_what_the_model_needs_and_no_more(
    folder: Path, serve: Callable[..., FakeHub]
) -> None:
    for extra in ("pytorch_model.bin", "consolidated.safetensors", "evil.py", "README.md"):
        (folder / extra).write_text("x")
    hub, said = serve(folder), list[str]()
    assert load_model("someone/tiny", progress=said.append).kind == "causal"
    assert set(hub.downloaded) == {
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    assert said[0] == "Asking huggingface.co for someone/tiny"
    assert any(re.search(r"Downloading model.safetensors .* MB", line) for line in said)


def test_what_was_downloaded_before_needs_no_network(
    folder: Path, serve: Callable[..., FakeHub], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = serve(folder, error=AssertionError("asked the network"))
    cached = str(folder / "config.json")
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *_: cached)
    assert load_model("someone/tiny").name == "someone/tiny"
    assert hub.downloaded == []


@pytest.mark.parametrize("missing", ["model.safetensors", "tokenizer*"])
def test_a_download_that_was_broken_off_is_taken_up_again(
    folder: Path, serve: Callable[..., FakeHub], monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """What is cached counts only when it is complete."""
    half = shutil.copytree(folder, folder.parent / "half")
    for path in half.glob(missing):
        path.unlink()
    hub = serve(folder)
    cached = str(half / "config.json")
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *_: cached)
    load_model("someone/tiny")
    assert "model.safetensors" in hub.downloaded


def hub_error(kind: type[errors.HfHubHTTPError], status: int = 404) -> Exception:
    """An error as the hub's client raises it."""
    error = kind.__new__(kind)
    Exception.__init__(error, f"{status} Client Error.\nmore lines")
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (hub_error(errors.RepositoryNotFoundError), "no public model .*: check the spelling"),
        (hub_error(errors.GatedRepoError), "is gated: accept its terms on https://.*hf auth login"),
        (hub_error(errors.HfHubHTTPError, 500), "refused .*500 Client Error.*: try again"),
        (errors.OfflineModeIsEnabled("offline"), "HF_HUB_OFFLINE forbids the network: unset it"),
        (ConnectionError("no route"), "cannot be reached: connect to the network, or choose"),
        (TimeoutError("slow"), "cannot be reached: connect to the network, or choose"),
        (OSError(28, "No space left on device", "/x"), "cannot be written .*: free some space"),
    ],
)
def test_each_trouble_with_the_hub_has_its_own_sentence(
    folder: Path, serve: Callable[..., FakeHub], error: Exception, expected: str
) -> None:
    serve(folder, error=error)
    assert re.search(expected, load_error("someone/tiny"))


@pytest.mark.parametrize(
    ("gone", "instead", "expected"),
    [
        ("model.safetensors", "pytorch_model.bin", "as pickles only"),
        ("model.safetensors", "notes.txt", "no safetensors weights"),
        ("config.json", "notes.txt", "no config.json and is no model"),
    ],
)
def test_a_repository_that_will_not_do_is_refused_before_the_download(
    folder: Path, serve: Callable[..., FakeHub], gone: str, instead: str, expected: str
) -> None:
    (folder / gone).rename(folder / instead)
    hub = serve(folder)
    assert expected in load_error("someone/tiny")
    assert hub.downloaded == []


def test_a_repository_too_large_for_the_memory_is_not_downloaded(
    folder: Path, serve: Callable[..., FakeHub]
) -> None:
    hub = serve(folder, n_numbers=10**15)
    assert "GB of memory" in load_error("someone/tiny")
    assert hub.downloaded == []


def test_shards_are_fetched_with_their_index() -> None:
    first, second = (f"model-0000{n}-of-00002.safetensors" for n in (1, 2))
    sizes = {
        first: 9,
        second: 8,
        INDEX: 3,
        "config.json": 1,
        "original/consolidated.00.safetensors": 99,
        "tokenizer.model": 2,
    }
    wanted = locate._wanted(sizes, "someone/tiny")
    assert wanted == ["config.json", "tokenizer.model", INDEX, second, first]

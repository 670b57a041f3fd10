"""A name becomes a folder on this disk, or is refused."""

from pathlib import Path

import pytest

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
    [
        "../../no-such",
        "/no/such/folder",
        "a/b/c",
        "gpt2\x00",
        "\ud800",
        "..a",
        "a--b",
        "-x",
        "é",
        "a/b@../x",
    ],
)
def test_a_name_that_is_neither_folder_nor_hub_id_is_refused(name: str) -> None:
    assert "neither a folder on this machine nor a hub id" in load_error(name)


def test_a_file_is_refused_for_its_folder(folder: Path) -> None:
    assert "is a file: give the folder" in load_error(folder / "model.safetensors")

"""A trial in another process takes seconds: files that have passed theirs are not tried again."""

import os
from pathlib import Path

import pytest

from model.weights import check
from model.weights.check import LoadError, try_first
from tests.tiny_models import bare_model, save


def test_files_are_tried_once_and_again_where_one_of_them_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save(tmp_path / "model", bare_model("gpt2"))
    try_first(folder, "model")
    monkeypatch.setattr(check, "Child", None)  # whoever tries them now fails
    (folder / "model.safetensors").touch()
    try_first(folder, "model")
    os.utime(folder / "tokenizer.json", ns=(0, 0))
    with pytest.raises(TypeError):
        try_first(folder, "model")


def test_files_that_did_not_pass_are_tried_again(tmp_path: Path) -> None:
    folder = save(tmp_path / "model", bare_model("gpt2"))
    whole = (folder / "tokenizer.json").read_text("utf-8")
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    for _ in range(2):
        with pytest.raises(LoadError, match="cannot read"):
            try_first(folder, "model")
    (folder / "tokenizer.json").write_text(whole, "utf-8")
    try_first(folder, "model")

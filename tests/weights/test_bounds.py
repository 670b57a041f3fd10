"""How large the files of a model may be before any of it is read, and what is said of it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from model import passes
from model.loading import _context_length
from model.sentences import name_of
from model.weights import check
from model.weights.check import INDEX, LoadError
from model.weights.trial import MAX_ADDED, MAX_GROWTH, try_words


def test_an_index_of_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / INDEX).open("wb") as file:
        file.truncate(3 * 10**9)
    with pytest.raises(LoadError, match="more than 20 MB"):
        check.find_weights(tmp_path, "model")
    with (tmp_path / "config.json").open("wb") as file:
        file.truncate(check.MAX_SETTINGS + 1)
    with pytest.raises(LoadError, match="more than 1 MB"):
        check.read_json(tmp_path / "config.json", "model")


def test_a_tokenizer_of_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    for name in ("tokenizer.json", "merges.txt", "model.safetensors"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(60_000_000)
    with pytest.raises(LoadError, match="120 MB"):
        check.check_tokenizer(tmp_path, "model")
    (tmp_path / "merges.txt").unlink()
    check.check_tokenizer(tmp_path, "model")


def test_tensors_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / f"{i}.safetensors" for i in range(2)]
    for path in paths:
        save_file({f"w{i}": np.zeros(2, np.float32) for i in range(3)}, path)
    assert check.count_numbers(paths, "model") == {"F32": 12}
    monkeypatch.setattr(check, "MAX_TENSORS", 5)
    with pytest.raises(LoadError, match="6 tensors or more"):
        check.count_numbers(paths, "model")


def words(per_character: int, n_added: int = 0) -> Any:
    """A tokenizer that makes so many tokens of each character."""

    class Words:
        def __call__(self, text: str, **_: object) -> dict[str, list[int]]:
            return {"input_ids": [0] * per_character * len(text)}

        def decode(self, ids: list[int]) -> str:
            return "a" * len(ids)

        def get_added_vocab(self) -> range:
            return range(n_added)

    return Words()


def test_a_tokenizer_that_grows_a_text_out_of_proportion_is_refused() -> None:
    try_words(words(1, MAX_ADDED), "model")
    with pytest.raises(LoadError, match="tokens of"):
        try_words(words(4 * MAX_GROWTH), "model")
    with pytest.raises(LoadError, match="to its vocabulary"):
        try_words(words(1, MAX_ADDED + 1), "model")


@pytest.mark.parametrize(
    ("config", "first", "length"),
    [
        ({"max_position_embeddings": 512}, 0, 512),
        ({"max_position_embeddings": 514}, 2, 512),
        ({"n_positions": 1}, 0, 1),
        ({"max_position_embeddings": -1}, 0, None),
        ({"max_position_embeddings": None}, 0, None),
        ({}, 0, None),
        ({"max_position_embeddings": 0}, 0, "refused"),
        ({"n_positions": 2}, 2, "refused"),
    ],
)
def test_a_context_without_room_is_refused(
    config: dict[str, Any], first: int, length: int | str | None
) -> None:
    given: Any = SimpleNamespace(**config), SimpleNamespace(first_position=first)
    if length == "refused":
        with pytest.raises(LoadError, match="room for no token"):
            _context_length(*given, "model")
    else:
        assert _context_length(*given, "model") == length


@pytest.mark.parametrize(("dtype", "helps"), [(torch.float16, True), (torch.float32, False)])
def test_another_format_is_no_remedy_where_there_is_none(dtype: torch.dtype, helps: bool) -> None:
    lm: Any = SimpleNamespace(shown="model", dtype=dtype)
    assert ("float32" in passes._overflow(lm)) is helps


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("/srv/my models/llama", "llama"),
        ("/srv/models/llama/", "llama"),
        ("~/llama", "llama"),
        ("../models/llama", "llama"),
        (r"C:\models\llama", "llama"),
        ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B"),
        ("storyteller", "storyteller"),
    ],
)
def test_no_sentence_says_where_a_model_lies(name: str, shown: str) -> None:
    assert name_of(name) == shown

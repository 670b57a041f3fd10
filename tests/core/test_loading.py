"""A name becomes a model, or one sentence that says what to do."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import GPT2Model

from model.loading import LanguageModel, load_model
from model.weights import device
from model.weights.locate import SHIPPED
from pages.frame.offers import offered_models
from tests.tiny_models import (
    CONTEXT,
    END,
    VOCAB_SIZE,
    bare_model,
    config,
    load_error,
    save,
    tokenizer,
)


@pytest.fixture(scope="module")
def llama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("llama"), bare_model("llama"))


@pytest.fixture
def folder(llama_folder: Path, tmp_path: Path) -> Path:
    """A model's folder that a test may spoil."""
    return shutil.copytree(llama_folder, tmp_path / "model")


def edit_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_folder_becomes_a_language_model(llama_folder: Path) -> None:
    said: list[str] = []
    lm = load_model(str(llama_folder), device="cpu", progress=said.append)
    assert (lm.name, lm.kind) == (str(llama_folder), "causal")
    assert (lm.device, lm.dtype) == (torch.device("cpu"), torch.float32)
    assert (lm.vocab_size, lm.context_length) == (VOCAB_SIZE, CONTEXT)
    assert lm.n_parameters == sum(p.numel() for p in lm.model.parameters())
    assert (lm.bos_id, lm.end_ids) == (lm.tokenizer.bos_token_id, {lm.tokenizer.eos_token_id})
    assert lm.cache_shape.bytes_per_token == 2 * 2 * 2 * 8 * 4
    assert not lm.model.training
    assert not lm.has_chat_template
    assert [line.split()[0] for line in said] == ["Reading", "Reading"]


@pytest.mark.parametrize(
    ("device", "dtype", "expected"),
    [("auto", "auto", torch.float32), ("cpu", "bfloat16", torch.bfloat16)],
)
def test_numbers_are_float32_on_a_cpu_unless_asked_otherwise(
    llama_folder: Path, device: str, dtype: str, expected: torch.dtype, monkeypatch: Any
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    lm = load_model(str(llama_folder), device, dtype)
    assert lm.device.type == "cpu"
    assert lm.dtype == expected == lm.model.dtype
    assert lm.cache_shape.bytes_per_number == expected.itemsize


@pytest.mark.parametrize("name", SHIPPED)
def test_each_of_the_family_is_loaded_by_its_name_and_has_the_same_tokens(
    name: str, storyteller: LanguageModel, refused_connections: list[str]
) -> None:
    n_before = len(refused_connections)
    kind = {"unmasker": "masked", "gapfiller": "seq2seq"}.get(name, "causal")
    lm = load_model(name, "cpu")
    assert len(refused_connections) == n_before
    assert (lm.kind, lm.dtype) == (kind, torch.float32)
    assert (name in offered_models()) == (kind == "causal")
    assert lm.vocab_size == storyteller.vocab_size == 4096
    assert lm.end_ids == {lm.bos_id}
    assert lm.tokenizer.get_vocab() == storyteller.tokenizer.get_vocab()
    assert lm.n_parameters < 14_000_000
    assert lm.tokenizer.mask_token_id is not None or kind != "masked"
    assert (lm.cache_shape.bytes_per_token > 0) == (kind != "masked")


@pytest.mark.parametrize(
    ("generation", "config_ends", "expected"),
    [
        ({"eos_token_id": [6, 7]}, 5, {6, 7}),  # chat models end a turn and a text differently
        ({}, [5, 6], {5, 6}),  # the config's own serve where no others are named
        ({"eos_token_id": VOCAB_SIZE}, 5, set()),  # beyond the vocabulary
        ({"eos_token_id": -1}, 5, set()),  # some write it for none
        ({"eos_token_id": True}, 5, set()),  # a truth is no number
        ({"eos_token_id": [6, True, False, "7", 8.0, None]}, 5, {6}),
    ],
)
def test_every_end_token_ends_a_text(
    folder: Path, generation: dict[str, Any], config_ends: Any, expected: set[int]
) -> None:
    (folder / "generation_config.json").write_text(json.dumps(generation))
    edit_config(folder, eos_token_id=config_ends)
    assert load_model(str(folder)).end_ids == {*expected, tokenizer().convert_tokens_to_ids(END)}


def test_a_chat_template_is_seen(folder: Path) -> None:
    tokenizer(chat_template="{{ messages[0].content }}").save_pretrained(folder)
    assert load_model(str(folder)).has_chat_template


def test_weights_in_several_files_are_one_model(tmp_path: Path) -> None:
    model = bare_model("gpt2")
    tokenizer().save_pretrained(tmp_path)
    model.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 1
    assert load_model(str(tmp_path)).n_parameters == sum(p.numel() for p in model.parameters())


def test_a_model_saved_without_its_tied_head_still_has_it(tmp_path: Path) -> None:
    headless = GPT2Model(config("gpt2", tie_word_embeddings=True))
    assert load_model(str(save(tmp_path, headless))).vocab_size == VOCAB_SIZE


def test_code_beside_a_known_model_is_never_run(folder: Path) -> None:
    """A config may name code of its own for a type that transformers has: the library's is used."""
    (folder / "evil.py").write_text("raise SystemExit('ran')\nclass M: pass\n")
    edit_config(folder, auto_map={"AutoModelForCausalLM": "evil.M", "AutoConfig": "evil.M"})
    assert type(load_model(str(folder)).model).__name__ == "LlamaForCausalLM"


def test_a_device_that_is_not_here_and_an_unknown_dtype_are_refused_with_those_there_are(
    llama_folder: Path,
) -> None:
    for place in ("tpu", "cuda:99", "cpu:1", "cuda:x", ""):
        assert "choose auto or one of cpu" in load_error(llama_folder, device=place)
    assert "choose auto, float32, bfloat16, float16" in load_error(llama_folder, dtype="int3")


def test_a_model_larger_than_the_free_memory_is_not_begun_and_memory_may_run_out_halfway(
    llama_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_out(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate 2 GiB")

    # the first thing that is read
    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", run_out)
    assert "memory ran out while" in load_error(llama_folder)
    monkeypatch.setattr(device, "free_bytes", lambda _: 10_000)
    message = load_error(llama_folder)
    assert re.search(r"needs about .* GB of memory and .* GB is free on cpu: choose a", message)

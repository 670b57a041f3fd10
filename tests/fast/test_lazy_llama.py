"""A shipped Llama that writes before its model is read: the same facts, the same text."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM, PreTrainedModel

from model import loading
from model.fast import lazy_llama
from model.fast.lazy_llama import LazyModel
from model.generation import Generation
from model.loading import SHIPPED, LanguageModel, load_model

QUICK = ("storyteller", "scribbler", "scribbler_plain")
NOT_ABOUT_THE_MODEL = {"config", "tokenizer"}


@pytest.fixture
def read_at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], LanguageModel]:
    """Loads a model as one is loaded that is not shipped."""

    def load(name: str) -> LanguageModel:
        monkeypatch.setattr(loading, "read_lazily", lambda *_: None)
        found = load_model(name, device="cpu")
        monkeypatch.undo()
        return found

    return load


def facts(lm: LanguageModel) -> dict[str, object]:
    """All that is known of a model; of the fast pass, whether there is one."""
    known = {field.name: getattr(lm, field.name) for field in dataclasses.fields(lm)}
    weights = lm.weights
    known |= {"local": (weights.device, weights.dtype, weights.cache_argument)}
    known["fast_decode"] = weights.fast_decode is not None
    return {name: value for name, value in known.items() if name not in NOT_ABOUT_THE_MODEL}


@pytest.mark.parametrize("name", QUICK)
def test_it_knows_of_itself_what_the_model_would_have_said(
    name: str, read_at_once: Callable[[str], LanguageModel]
) -> None:
    quick, whole = load_model(name, device="cpu"), read_at_once(name)
    assert isinstance(quick.weights.source, LazyModel)
    assert not isinstance(whole.weights.source, LazyModel)
    assert facts(quick) == facts(whole)
    written = json.loads((SHIPPED[name] / "config.json").read_text("utf-8"))
    for key in set(written) - {"transformers_version", "use_cache"}:  # these are not of its shape
        assert getattr(quick.config, key) == getattr(whole.config, key), key


def test_it_writes_what_transformers_writes(read_at_once: Callable[[str], LanguageModel]) -> None:
    quick, whole = load_model("storyteller", device="cpu"), read_at_once("storyteller")
    fresh = LlamaForCausalLM.from_pretrained(SHIPPED["storyteller"], dtype=torch.float32)
    for prompt in ("The cat sat on the", "Once upon a time there was a little girl. " * 12):
        ours, theirs = Generation(quick, prompt, seed=5), Generation(whole, prompt, seed=5)
        for _ in range(8):
            ours.step()
            theirs.step()
        assert ours.ids == theirs.ids
        with torch.inference_mode():
            wanted = fresh(torch.tensor([ours.ids])).logits[0, -1].numpy()
        assert ours.logits == pytest.approx(wanted, abs=1e-4)


def test_every_shipped_tokenizer_is_the_one_that_transformers_would_choose() -> None:
    for name, folder in SHIPPED.items():
        wanted = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        found = load_model(name, device="cpu").tokenizer
        assert type(found) is type(wanted), name
        assert found.get_vocab() == wanted.get_vocab()
        assert found.special_tokens_map == wanted.special_tokens_map


def test_the_model_is_read_once_however_many_ask_and_can_be_trained() -> None:
    n_read = 0

    def read() -> PreTrainedModel:
        nonlocal n_read
        n_read += 1
        time.sleep(0.05)
        model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(SHIPPED["scribbler"])
        return model

    later, found = LazyModel(read), list[PreTrainedModel]()

    def ask() -> None:
        with torch.inference_mode():  # as in the middle of a pass
            found.append(later())

    readers = [threading.Thread(target=ask) for _ in range(5)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert n_read == 1
    assert len({id(model) for model in found}) == 1
    assert not any(weight.is_inference() for weight in found[0].parameters())


def test_what_is_no_small_plain_llama_in_plain_numbers_is_left_to_transformers() -> None:
    def not_yet() -> PreTrainedModel:
        raise AssertionError

    assert lazy_llama.read_lazily(SHIPPED["unmasker"], "unmasker", not_yet) is None
    early = "storyteller_early"  # its weights are in 8 bits
    assert lazy_llama.read_lazily(SHIPPED[early], early, not_yet) is None


def test_a_folder_of_somebody_elses_is_read_whole(tmp_path: Path) -> None:
    for path in SHIPPED["scribbler"].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    lm = load_model(str(tmp_path), device="cpu")
    assert not isinstance(lm.weights.source, LazyModel)
    assert lm.weights.fast_decode is not None

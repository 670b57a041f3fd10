"""A shipped Llama that writes before its model is read: the same facts, read once, when asked for.

That it writes the same text is in the test of the pass written by hand.
"""

import dataclasses
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from model.fast.lazy_llama import LazyModel, read_lazily
from model.loading import SHIPPED, LanguageModel, load_model

QUICK = ("storyteller", "scribbler", "scribbler_taught", "scribbler_plain")
NOT_ABOUT_THE_MODEL = {"name", "config", "tokenizer"}


def facts(lm: LanguageModel) -> dict[str, object]:
    """All that is known of a model; of the fast pass, whether there is one."""
    known = {field.name: getattr(lm, field.name) for field in dataclasses.fields(lm)}
    weights = lm.weights
    known |= {"local": (weights.device, weights.dtype, weights.cache_argument)}
    known["fast_decode"] = weights.quick is not None
    return {name: value for name, value in known.items() if name not in NOT_ABOUT_THE_MODEL}


@pytest.mark.parametrize("name", QUICK)
def test_it_knows_of_itself_what_the_model_would_have_said(name: str) -> None:
    quick, whole = load_model(name, device="cpu"), load_model(str(SHIPPED[name]), device="cpu")
    assert isinstance(quick.weights.source, LazyModel)
    assert not isinstance(whole.weights.source, LazyModel), "a folder may be anybody's"
    assert facts(quick) == facts(whole)
    written = json.loads((SHIPPED[name] / "config.json").read_text("utf-8"))
    for key in set(written) - {"transformers_version", "use_cache"}:  # these are not of its shape
        assert getattr(quick.config, key) == getattr(whole.config, key), key


def test_every_shipped_tokenizer_is_the_one_that_transformers_would_choose() -> None:
    for name, folder in SHIPPED.items():
        wanted = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        found = load_model(name, device="cpu").tokenizer
        assert type(found) is type(wanted), name
        assert found.get_vocab() == wanted.get_vocab()
        assert found.special_tokens_map == wanted.special_tokens_map


def test_the_model_is_read_once_however_many_ask_and_can_be_trained() -> None:
    read = []

    def read_it() -> PreTrainedModel:
        time.sleep(0.05)
        read.append(AutoModelForCausalLM.from_pretrained(SHIPPED["scribbler"]))
        return read[-1]

    later = LazyModel(read_it)

    def ask(_: int) -> PreTrainedModel:
        with torch.inference_mode():  # as in the middle of a pass
            return later()

    with ThreadPoolExecutor(5) as readers:
        found = list(readers.map(ask, range(5)))
    assert len(read) == 1
    assert all(model is read[0] for model in found)
    assert not any(weight.is_inference() for weight in read[0].parameters())


@pytest.mark.parametrize("name", ["unmasker", "storyteller_early"])  # no Llama; weights in 8 bits
def test_what_is_no_small_plain_llama_in_plain_numbers_is_left_to_transformers(name: str) -> None:
    def not_yet() -> PreTrainedModel:
        raise AssertionError

    assert read_lazily(SHIPPED[name], name, not_yet) is None

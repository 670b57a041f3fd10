"""Names of the hub: what is fetched, what is refused before the weights, what opens offline."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from huggingface_hub import constants
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForImageTextToText,
    Qwen3_5Config,
    Qwen3_5ForConditionalGeneration,
)

from model.job import Job
from model.loading import load_model
from model.weights import device, fetch
from model.weights import download as download_module
from model.weights import hub as hub_names
from model.weights.check import INDEX, kind_of
from model.weights.hub import is_whole
from tests.loopback_hub import TOKEN, LoopbackHub, reach
from tests.tiny_models import VOCAB_SIZE, bare_model, fresh_logits, load_error, save, tokenizer

NAME = "someone/tiny"
SMALL = ["generation_config.json", "tokenizer_config.json", "config.json", "tokenizer.json"]
IDS = [5, 80, 7, 9]


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("gpt2"), bare_model("gpt2"))


@pytest.fixture
def folder(gpt2: Path, tmp_path: Path) -> Path:
    """A model's folder that a test may spoil."""
    return shutil.copytree(gpt2, tmp_path / "model")


def set_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


# Layouts of the real ones


def bare_keys(folder: Path) -> None:
    """As GPT-2 was uploaded: keys without the model's own name, masks among the weights."""
    weights = load_file(folder / "model.safetensors")
    bare = {key.removeprefix("transformer."): value for key, value in weights.items()}
    mask = torch.ones(96, 96).tril().view(1, 1, 96, 96)
    bare |= {f"h.{layer}.attn.bias": mask.clone() for layer in range(2)}
    save_file(bare, folder / "model.safetensors", {"format": "pt"})


def sharded(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    bare_model("gpt2").save_pretrained(folder, max_shard_size="40KB")
    assert len(list(folder.glob("model-*-of-*.safetensors"))) > 2


def with_much_besides(folder: Path) -> None:
    for extra in ("pytorch_model.bin", "consolidated.safetensors", "evil.py", "README.md"):
        (folder / extra).write_text("x")
    (folder / "original").mkdir()


@pytest.mark.parametrize("lay_out", [bare_keys, sharded, with_much_besides])
def test_a_model_is_fetched_once_and_opens_again_by_its_name_without_a_network(
    hub: LoopbackHub,
    gpt2: Path,
    folder: Path,
    lay_out: Callable[[Path], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lay_out(folder)
    hub.add(NAME, folder)
    said: list[str] = []
    online = load_model(NAME, progress=said.append)
    weights = sorted(path.name for path in folder.glob("model*.safetensors"))
    index = [INDEX] if len(weights) > 1 else []
    assert sorted(hub.fetched(NAME)) == sorted([*SMALL, *index, *weights])
    assert any(" of " in line and NAME in line for line in said)
    n_asked = len(hub.asked)
    load_model(NAME)
    assert len(hub.asked) == n_asked, "what is here is not asked for again"

    hub.stop()
    reach(hub, tmp_path / "cache", monkeypatch, offline=True)
    truth = fresh_logits(load_model(str(gpt2)), IDS)
    for name in (NAME, f"{NAME}@main", f"{NAME}@{hub.repositories[NAME].sha}"):
        offline = load_model(name)
        assert offline.name == name
        np.testing.assert_allclose(fresh_logits(offline, IDS), truth, atol=1e-6)
    assert online.config.tie_word_embeddings
    assert set(hub_names.cached_models()) == {NAME}


def test_a_model_that_was_renamed_is_kept_once(
    hub: LoopbackHub, gpt2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("openai-community/gpt2", gpt2)
    hub.renamed["openai/gpt-2"] = "openai-community/gpt2"
    load_model("openai/gpt-2")
    assert set(hub_names.cached_models()) == {"openai-community/gpt2"}
    n_fetched = len(hub.fetched("openai-community/gpt2"))
    load_model("openai/gpt-2")
    assert len(hub.fetched("openai-community/gpt2")) == n_fetched
    reach(hub, tmp_path / "cache", monkeypatch, offline=True)
    assert load_model("GPT-2").n_parameters == load_model("openai-community/gpt2").n_parameters


@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("GPT-2", "openai-community/gpt2"),
        ("gpt2@main", "openai-community/gpt2@main"),
        ("qwen3 0.6b base", "Qwen/Qwen3-0.6B-Base"),
        ("qwen3", "qwen3"),  # there are several
        ("someone/gpt2", "someone/gpt2"),
        ("of-tomorrow", "of-tomorrow"),
    ],
)
def test_a_name_without_its_owner_is_found_in_the_list(name: str, meant: str) -> None:
    assert hub_names.full_id(name) == meant


def test_a_model_that_sees_as_well_is_read_by_its_text_half(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    text = {
        "vocab_size": VOCAB_SIZE,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "layer_types": ["linear_attention", "full_attention"],
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 2,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
        "eos_token_id": tokenizer().eos_token_id,
    }
    eye = {"depth": 1, "hidden_size": 16, "intermediate_size": 16, "num_heads": 2}
    torch.manual_seed(0)
    whole = Qwen3_5ForConditionalGeneration(
        Qwen3_5Config(text_config=text, vision_config=eye | {"out_hidden_size": 32})
    )
    hub.add(NAME, save(tmp_path / "seeing", whole.eval()))
    lm = load_model(NAME)
    assert lm.kind == "causal"
    with torch.inference_mode():
        truth = whole(torch.tensor([IDS])).logits[0, -1].numpy()
    np.testing.assert_allclose(fresh_logits(lm, IDS), truth, atol=1e-5)
    seeing = AutoModelForImageTextToText.from_pretrained(tmp_path / "seeing")
    assert lm.n_parameters < sum(p.numel() for p in seeing.parameters())


# What is refused before the weights

BITS_AND_BYTES = {"quant_method": "bitsandbytes", "load_in_4bit": True, "_load_in_4bit": True}
TENSORS = {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {}}


@pytest.mark.parametrize(
    ("said", "missing", "base"),
    [
        ({"quant_method": "gptq", "bits": 4}, "optimum", "someone/whole"),
        ({"quant_method": "awq", "bits": 4}, "gptqmodel", "someone/whole"),
        (BITS_AND_BYTES, "accelerate", "someone/whole"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "accelerate", "someone/whole"),
        ({"quant_method": "mxfp4"}, "accelerate", "someone/whole"),
        (TENSORS, "compressed-tensors", None),
        ({"quant_method": "of_tomorrow"}, "does not know this method", None),
    ],
)
def test_quantised_weights_are_refused_with_what_they_need_and_what_to_choose(
    hub: LoopbackHub, folder: Path, said: dict[str, Any], missing: str, base: str | None
) -> None:
    set_config(folder, quantization_config=said)
    hub.add(NAME, folder, base=base)
    error = load_error(NAME)
    assert said["quant_method"] in error
    assert missing in error
    assert (base or "the model that it was quantised from") in error
    assert "model.safetensors" not in hub.fetched(NAME)


WEIGHTS, CONFIG = "model.safetensors", "config.json"


@pytest.mark.parametrize(
    ("moved", "said", "expected"),
    [
        ({WEIGHTS: "pytorch_model.bin"}, {}, "as pickles only"),
        ({WEIGHTS: "notes.txt"}, {}, "no safetensors weights"),
        ({CONFIG: "notes.txt"}, {}, "no config.json and is no model"),
        ({CONFIG: "adapter_config.json"}, {}, "choose someone/whole"),
        ({CONFIG: "notes.txt", WEIGHTS: "tiny-Q4_K_M.gguf"}, {}, "GGUF.* choose someone/whole"),
        ({"tokenizer.json": "a", "tokenizer_config.json": "b"}, {}, "no tokenizer files"),
        ({}, {"model_type": "of_tomorrow"}, "upgrade transformers"),
        ({}, {"model_type": "own", "auto_map": {"AutoModel": "a.B"}}, "of its own, .* never exec"),
        ({}, {"model_type": "emu3_text_model", "architectures": ["Emu3ForCausalLM"]}, "whole one"),
        ({}, {"architectures": ["GPT2ForSequenceClassification"]}, "no language model"),
    ],
)
def test_a_repository_that_will_not_do_is_refused_before_its_weights(
    hub: LoopbackHub, folder: Path, moved: dict[str, str], said: dict[str, Any], expected: str
) -> None:
    set_config(folder, **said)
    for name, other in moved.items():
        (folder / name).rename(folder / other)
    hub.add(NAME, folder, base="someone/whole")
    assert re.search(expected, load_error(NAME))
    assert not [file for file in hub.fetched(NAME) if file.endswith((".safetensors", ".gguf"))]


@pytest.mark.parametrize(
    ("model_type", "classes", "more", "kind"),
    [
        ("bert", ["BertForMaskedLM"], {}, "masked"),
        ("bert", ["BertModel"], {}, "masked"),  # a sentence encoder
        ("roberta", ["RobertaForCausalLM"], {}, "masked"),  # which reads both sides all the same
        ("bert", ["BertLMHeadModel"], {"is_decoder": True}, "causal"),
        ("t5", ["T5ForConditionalGeneration"], {}, "seq2seq"),
        ("bart", ["BartModel"], {"is_encoder_decoder": True}, "seq2seq"),
        ("gpt_neox", ["GPTNeoXForCausalLM"], {"is_decoder": False}, "causal"),
        ("gpt2", ["GPT2Model"], {}, "causal"),
        ("qwen3_5", ["Qwen3_5ForConditionalGeneration"], {}, "causal"),
    ],
)
def test_a_config_tells_what_a_model_does(
    model_type: str, classes: list[str], more: dict[str, Any], kind: str
) -> None:
    assert kind_of({"model_type": model_type, "architectures": classes} | more, "it") == kind


def test_a_shard_that_is_missing_is_named_before_others_are_fetched(
    hub: LoopbackHub, folder: Path
) -> None:
    sharded(folder)
    next(folder.glob("model-00002-of-*.safetensors")).unlink()
    hub.add(NAME, folder)
    assert "lacks model-00002-of-" in load_error(NAME)
    assert not [file for file in hub.fetched(NAME) if file.endswith(".safetensors")]


@pytest.mark.parametrize(
    ("has_counts", "gigabytes", "place"),
    [(True, (5e-5, 9), "of memory"), (False, (5e-5, 9), "of memory"), (True, (9, 1e-5), "on disk")],
)
def test_a_model_too_large_for_the_memory_or_the_disk_is_not_fetched(
    hub: LoopbackHub,
    gpt2: Path,
    monkeypatch: pytest.MonkeyPatch,
    has_counts: bool,
    gigabytes: tuple[float, float],
    place: str,
) -> None:
    hub.add(NAME, gpt2, has_counts=has_counts)
    memory, disk = (int(1e9 * n) for n in gigabytes)
    monkeypatch.setattr(device, "free_bytes", lambda _: memory)
    monkeypatch.setattr(fetch.shutil, "disk_usage", lambda _: SimpleNamespace(free=disk))
    assert f"GB {place}" in load_error(NAME)
    assert WEIGHTS not in hub.fetched(NAME)


@pytest.mark.parametrize("token", [None, "hf_of_another", TOKEN])
def test_a_gated_model_says_how_to_give_a_token_and_opens_with_it(
    hub: LoopbackHub, gpt2: Path, token: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add(NAME, gpt2, gated=True)
    if token is not None:
        monkeypatch.setenv("HF_TOKEN", token)
    assert hub_names.ask(NAME).is_gated
    if token == TOKEN:
        assert load_model(NAME).name == NAME
        return
    said = load_error(NAME)
    assert f"{hub.url}/{NAME}" in said
    assert "hf auth login" in said
    assert "HF_TOKEN" in said


@pytest.mark.parametrize(
    ("name", "status", "expected"),
    [
        ("no/such", 200, "no public model no/such: check the spelling"),
        (f"{NAME}@of-tomorrow", 200, "no revision of-tomorrow"),
        (NAME, 403, r"refused .*403"),
    ],
)
def test_each_answer_of_the_hub_that_is_no_model_has_its_own_sentence(
    hub: LoopbackHub, gpt2: Path, name: str, status: int, expected: str
) -> None:
    hub.add(NAME, gpt2, status=status)
    assert re.search(expected, load_error(name))


def test_a_hub_that_is_gone_and_one_that_is_forbidden_are_told_apart(
    hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.stop()
    assert "cannot be reached" in load_error(NAME)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE forbids the network: unset it" in load_error(NAME)


# A download as it goes


@pytest.fixture
def slow(hub: LoopbackHub, tmp_path: Path) -> Path:
    """A model on the hub whose weights stop half-way until they are let flow."""
    folder = save(tmp_path / "slow", bare_model("gpt2", n_embd=256, n_layer=2))
    hub.add(NAME, folder)
    hub.flowing.clear()
    return folder


def opening() -> Job[Path]:
    return Job(fetch.fetch(NAME, [torch.device("cpu")], torch.float32))


def run_until(job: Job[Path], is_reached: Callable[[], bool]) -> None:
    while job.is_running and not is_reached():
        job.run_for(0.05)
    assert is_reached(), job.notice


def starts(hub: LoopbackHub) -> list[int]:
    """From which byte on the weights were asked for, each time."""
    ranges = [part for _, path, part in hub.gets() if path.endswith("model.safetensors")]
    return [int(part[len("bytes=") : -1]) if part else 0 for part in ranges]


def test_a_download_is_counted_stopped_and_goes_on_where_it_was(
    hub: LoopbackHub, slow: Path
) -> None:
    job = opening()
    run_until(job, lambda: 0.3 < job.fraction < 0.6)
    n_bytes = sum(path.stat().st_size for path in slow.iterdir())
    assert (job.progress.n_total, job.progress.unit) == (round(n_bytes / 1e3), "kB")
    job.stop()
    (download,) = [one for one in download_module._under_way.values() if one.is_running]
    hub.flowing.set()
    n_done = download.n_done
    assert n_done < n_bytes

    again = opening()
    run_until(again, lambda: again.is_done)
    assert (again.result / "model.safetensors").stat().st_size == max(
        path.stat().st_size for path in slow.iterdir()
    )
    first, *rest = starts(hub)
    assert first == 0
    assert all(start > 0 for start in rest), "what had come is not fetched again"
    assert load_model(NAME).name == NAME


@pytest.mark.usefixtures("slow")
def test_who_asks_for_the_same_model_waits_for_the_same_download(hub: LoopbackHub) -> None:
    one, other = opening(), opening()
    for job in (one, other):
        run_until(job, lambda job=job: job.fraction > 0.45)
    assert one.progress.n_done == other.progress.n_done
    one.stop()
    hub.flowing.set()
    run_until(other, lambda: other.is_done)
    assert starts(hub) == [0], "the other still wanted it"
    assert (other.result / "model.safetensors").stat().st_size > 10**6


@pytest.mark.usefixtures("slow")
def test_a_connection_that_breaks_is_taken_up_again(hub: LoopbackHub) -> None:
    hub.flowing.set()
    hub.repositories[NAME].breaks_after = [10**6, 10**6]
    job = opening()
    run_until(job, lambda: job.is_done)
    first, second, third = starts(hub)
    assert first == 0 < second < third


def flipped(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


def longer(content: bytes) -> bytes:
    return content + b"more"


@pytest.mark.parametrize("spoil", [flipped, longer])
def test_a_file_that_came_damaged_is_thrown_away_and_fetched_anew(
    hub: LoopbackHub, slow: Path, spoil: Callable[[bytes], bytes]
) -> None:
    hub.flowing.set()
    hub.repositories[NAME].spoiled = [spoil]
    job = opening()
    run_until(job, lambda: job.notice is not None)
    assert "model.safetensors of" in str(job.notice)
    assert "try again" in str(job.notice)
    again = opening()
    run_until(again, lambda: again.is_done)
    assert is_whole(again.result)
    assert starts(hub) == [0, 0]
    weights = (again.result / "model.safetensors").read_bytes()
    assert weights == (slow / "model.safetensors").read_bytes()


def test_a_file_that_was_cut_short_on_this_disk_is_fetched_anew(
    hub: LoopbackHub, slow: Path
) -> None:
    hub.flowing.set()
    job = opening()
    run_until(job, lambda: job.is_done)
    path = (job.result / "model.safetensors").resolve()
    path.write_bytes(path.read_bytes()[:-100])
    assert hub_names.cached_folder(NAME) is None
    assert hub_names.cached_models() == {}
    assert load_model(NAME).name == NAME
    assert path.stat().st_size == (slow / "model.safetensors").stat().st_size


def test_a_hub_that_goes_away_says_so_and_whole_files_stay(hub: LoopbackHub, slow: Path) -> None:
    (slow / "model.safetensors").unlink()
    bare_model("gpt2", n_embd=256, n_layer=2).save_pretrained(slow, max_shard_size="2MB")
    hub.flowing.set()
    hub.repositories[NAME].breaks_after = [10**9] * 2 + [1] * 99
    job = opening()
    run_until(job, lambda: job.notice is not None)
    assert "broke at" in str(job.notice)

    hub.repositories[NAME].breaks_after = []
    again = opening()
    run_until(again, lambda: again.is_done)
    n_times = Counter(file for file in hub.fetched(NAME) if file.startswith("model-"))
    assert sorted(n_times.values())[:2] == [1, 1]
    assert max(n_times.values()) > 2
    assert is_whole(again.result)

"""A name becomes a language model: files, device, number format, tokenizer, safe weights.

safetensors only, and never code that comes with a model. Every way in which this can fail is one
sentence with the remedy, and nothing that is loaded already is touched. This module knows how to
load and what every page asks of a model; it writes no text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from transformers import PreTrainedConfig

from model import kv_cache
from model.fast.layout import lay_out
from model.fast.lazy_llama import read_lazily
from model.fast.llama_decode import fast_decode
from model.first_look import look_at
from model.language_model import Backend, LanguageModel, ModelParts, Weights
from model.local import LOCAL
from model.machine.device import lock_of
from model.records import ModelKind
from model.sentences import Sentence
from model.weights.check import (
    LoadError,
    bytes_of,
    count_numbers,
    find_weights,
    tokenizer_bytes,
)
from model.weights.device import check_memory, choose_devices, choose_dtype, host_bytes
from model.weights.fetch import fetch_now
from model.weights.locate import SHIPPED, find_folder, shown_name
from model.weights.reading import (
    Place,
    Say,
    check_readable,
    load_tokenizer,
    load_weights,
    reading,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

__all__ = ["SHIPPED", "LanguageModel", "LoadError", "load_model"]


LARGE_TOKENIZER = 5.0  # megabytes: a quarter of a million tokens have some 30
_CONTEXT = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_seq_length")


def load_model(
    name: str,
    device: str = "auto",
    dtype: str = "auto",
    progress: Say | None = None,
    *,
    is_guarded: bool = False,
) -> LanguageModel:
    """Loads a model by the name of a shipped one, a folder, or a Hugging Face hub id.

    Args:
        name: what is on this machine is used without asking the network.
        device: "auto" takes CUDA, then MPS unless the model is small, then the CPU; or "cpu",
            "mps", "cuda", "cuda:1".
        dtype: "auto" is bfloat16 on CUDA and float32 elsewhere; or "float32", "bfloat16",
            "float16".
        progress: is told, in words, what is being done.
        is_guarded: try the files in another process first, which may hang or end over them.

    Raises:
        LoadError: one sentence with the remedy.
    """
    say = progress or (lambda _: None)
    places = choose_devices(device, 0 if name in SHIPPED else None)
    numbers = choose_dtype(dtype, places[0])
    with reading(shown_name(name)):
        return _load(name, device, places, numbers, say, is_guarded)


def _load(
    name: str,
    device: str,
    places: list[torch.device],
    numbers: torch.dtype,
    say: Say,
    is_guarded: bool,
) -> LanguageModel:
    # a shipped Llama on the CPU needs little to begin with
    is_quick = name in SHIPPED and places == [torch.device("cpu")] and numbers == torch.float32
    if is_quick:
        read = partial(load_weights, SHIPPED[name], name, "causal", places[0], numbers)
        if (quick := read_lazily(SHIPPED[name], name, read)) is not None:
            return describe(name, "causal", quick, load_tokenizer(SHIPPED[name], name))

    # find the files, and refuse what cannot work before anything large happens
    shown = shown_name(name)
    folder = find_folder(name)
    if folder is None:
        folder, is_guarded = fetch_now(name, places, numbers, say, is_guarded=is_guarded), False
    megabytes = tokenizer_bytes(folder) / 1e6
    is_large = megabytes > LARGE_TOKENIZER
    say(
        Sentence(
            "Reading the config and the tokenizer of {model}, whose {size} MB take a while",
            model=shown,
            size=format(megabytes, ".0f"),
        )
        if is_large
        else Sentence("Reading the config and the tokenizer of {model}", model=shown)
    )
    kind = check_readable(folder, shown, is_guarded=is_guarded and name not in SHIPPED)
    counts = count_numbers(find_weights(folder, shown), shown)
    n_bytes = bytes_of(counts, numbers.itemsize)
    places = choose_devices(device, n_bytes)
    has_to_spread = check_memory(shown, n_bytes, places, host_bytes(counts, numbers))
    place: Place = "auto" if has_to_spread else places[0]

    # read them, in words first, then in numbers
    tokenizer = load_tokenizer(folder, shown)
    say(
        Sentence(
            "Reading {size} MB of weights into {device}",
            size=format(n_bytes / 1e6, ",.0f"),
            device=places[0].type,
        )
    )
    model = load_weights(folder, shown, kind, place, numbers)
    lm = describe(name, kind, parts_of(model, numbers), tokenizer)
    return lm if kind != "causal" or name in SHIPPED else look_at(lm, shown)


def parts_of(model: PreTrainedModel, dtype: torch.dtype) -> ModelParts:
    """Asks a model that was read."""
    fast = fast_decode(model)
    if fast is None:
        lay_out(model)
    return ModelParts(
        config=model.config,
        vocab_size=_vocab_size(model),
        n_parameters=sum(parameter.numel() for parameter in model.parameters()),
        end_ids=getattr(getattr(model, "generation_config", None), "eos_token_id", None),
        weights=Weights(
            source=lambda: model,
            device=model.device,
            dtype=dtype,
            cache_argument=kv_cache.cache_argument(model),
            quick=fast,
            first_position=_first_position(model),
            lock=lock_of(model.device),
        ),
    )


def describe(
    name: str, kind: ModelKind, parts: ModelParts, tokenizer: Any, backend: Backend = LOCAL
) -> LanguageModel:
    """Writes down what the pages ask of a model."""
    text_config = parts.config.get_text_config(decoder=True)
    weights = parts.weights
    dtype = parts.config.dtype if weights is None else weights.dtype
    shape = kv_cache.cache_shape(parts.config, getattr(dtype, "itemsize", 2))
    if weights is not None and weights.cache_argument is None:
        shape = shape.emptied
    ends = _end_ids(text_config, parts.end_ids, tokenizer)
    bos_ids = [i for i in kv_cache.whole_numbers(tokenizer.bos_token_id) if i < parts.vocab_size]
    return LanguageModel(
        name=name,
        kind=kind,
        config=parts.config,
        tokenizer=tokenizer,
        vocab_size=parts.vocab_size,
        context_length=_context_length(text_config, weights, shown_name(name)),
        n_parameters=parts.n_parameters,
        end_ids=frozenset(end for end in ends if 0 <= end < parts.vocab_size),
        bos_id=bos_ids[0] if bos_ids else None,
        cache_shape=shape,
        has_chat_template=getattr(tokenizer, "chat_template", None) is not None,
        local=weights,
        backend=backend,
    )


def _vocab_size(model: PreTrainedModel) -> int:
    """Returns the width of the logits, which the head decides."""
    find_head: Callable[[], torch.nn.Module | None] = model.get_output_embeddings
    weight = getattr(find_head(), "weight", None)
    if isinstance(weight, torch.Tensor):
        return int(weight.shape[0])
    return int(model.config.get_text_config(decoder=True).vocab_size)


def _first_position(model: PreTrainedModel) -> int:
    """Returns what a model calls its first position: those after RoBERTa begin behind a padding."""
    modules: Iterator[Any] = model.modules()
    counting = (m for m in modules if hasattr(m, "create_position_ids_from_input_ids"))
    return next((int(m.padding_idx) + 1 for m in counting), 0)


def _context_length(config: PreTrainedConfig, weights: Weights | None, shown: str) -> int | None:
    """Returns the longest text that the model can read; None where its config sets no limit.

    Raises:
        LoadError: where it can read none; a number below 0 stands for no limit.
    """
    n_before = (weights.first_position or 0) if weights is not None else 0
    lengths = (getattr(config, name, None) for name in _CONTEXT)
    limits = [n for n in lengths if type(n) is int and n >= 0]
    if not limits:
        return None
    if limits[0] <= n_before:
        raise LoadError(
            Sentence(
                "The config.json of {model} gives it room for no token: choose another model.",
                model=shown,
            )
        )
    return limits[0] - n_before


def _end_ids(config: Any, said: Any, tokenizer: Any) -> set[int]:
    """Collects every token that ends a text: chat models have several.

    Those that the generation config said stand before the config's own, which may be a default of
    its class.
    """
    said = getattr(config, "eos_token_id", None) if said is None else said
    return {*kv_cache.whole_numbers(tokenizer.eos_token_id), *kv_cache.whole_numbers(said)}

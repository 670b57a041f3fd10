"""What is done with a model's files in another process, before they are read in this one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig
from transformers.initialization import no_init_weights

from model.machine.child import answer
from model.weights.check import LoadError, kind_of, read_config
from model.weights.locate import SHIPPED
from model.weights.reading import SAFELY, auto_class, load_tokenizer, reading

_TEXTS = (
    "",
    "The cat sat.",
    " \u00e9\u0301 \n\t",
    "\u4e2d\u6587 \U0001f680",
    "\0\ufffd",
    "a" * 64 + "!",
)
MAX_GROWTH = 64  # tokens of one character: some are 18 letters, and 33 bytes, in another writing
MAX_ADDED = 20_000  # tokens beside the vocabulary: each is looked for in every text
MAX_RULES = 2_000  # strings of a tokenizer's rules, and their characters, that are tried
_N_REPEATED = (16, 256, 4_096)  # characters of a text that repeats one of them
_RULES = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def read_all_but_weights(folder: str, name: str) -> None:
    """Reads config and tokenizer, and lays the model out, all empty.

    Raises:
        LoadError: where that fails.
    """
    path = Path(folder)
    with reading(name):
        words = load_tokenizer(path, name)
        try_words(words, name)
        kind = kind_of(read_config(path, name), name)
        config = AutoConfig.from_pretrained(path, **SAFELY)
        with no_init_weights(), torch.device("meta"):
            auto_class(kind).from_config(config)


def try_words(words: Any, name: str) -> None:
    """Reads texts, those among them that a tokenizer's own rules speak of.

    A rule may replace a letter by a hundred, and the next each of these by a hundred: what a reader
    writes would take all memory. Here that ends this process, or is refused.

    Raises:
        LoadError: where a text becomes far more tokens than it has characters.
    """
    n_added = len(words.get_added_vocab())
    if n_added > MAX_ADDED:
        raise LoadError(
            f"{name} adds {n_added:,} tokens to its vocabulary, more than the {MAX_ADDED:,} that "
            "are read: choose another model."
        )
    for text in (*_TEXTS, *_texts_of_rules(words)):
        ids = words(text, verbose=False)["input_ids"]
        if len(ids) > MAX_GROWTH * (len(text) + 1):
            raise LoadError(
                f"The tokenizer of {name} makes {len(ids):,} tokens of {len(text):,} characters: "
                "choose another model."
            )
        words.decode(ids)


def _texts_of_rules(words: Any) -> Iterator[str]:
    """Yields the strings of a tokenizer's rules and their characters, and each again and again."""
    backend = getattr(words, "backend_tokenizer", None)
    rules = json.loads(backend.to_str()) if backend is not None else {}
    found = dict.fromkeys(text for part in _RULES for text in _strings(rules.get(part)) if text)
    parts = dict.fromkeys(part for text in found for part in (*text[:MAX_RULES], text[:MAX_RULES]))
    tried = list(parts)[:MAX_RULES]
    yield from tried
    for n in _N_REPEATED:
        yield from (part * (n // len(part)) + "!" for part in tried if len(part) < n)


def _strings(rule: Any) -> Iterator[str]:
    """Yields what a rule looks for and what it writes instead."""
    if isinstance(rule, dict):
        for name, value in rule.items():
            if isinstance(value, str) and name in ("String", "Regex", "content", "prepend"):
                yield value
            yield from _strings(value)
    elif isinstance(rule, list):
        for each in rule:
            yield from _strings(each)


if __name__ == "__main__":
    answer(read_all_but_weights, folder=str(SHIPPED["storyteller"]), name="storyteller")

"""What is done with a model's files in another process, before they are read in this one."""

from pathlib import Path

import torch
from transformers import AutoConfig
from transformers.initialization import no_init_weights

from model.machine.child import answer
from model.weights.check import kind_of, read_config
from model.weights.reading import SAFELY, auto_class, load_tokenizer, reading

_TEXTS = (
    "",
    "The cat sat.",
    " \u00e9\u0301 \n\t",
    "\u4e2d\u6587 \U0001f680",
    "\0\ufffd",
    "a" * 64 + "!",
)


def read_all_but_weights(folder: str, name: str) -> None:
    """Reads config and tokenizer, and lays the model out, all empty.

    Raises:
        LoadError: where that fails.
    """
    path = Path(folder)
    with reading(name):
        words = load_tokenizer(path, name)
        for text in _TEXTS:
            words.decode(words(text)["input_ids"])
        kind = kind_of(read_config(path, name), name)
        config = AutoConfig.from_pretrained(path, **SAFELY)
        with no_init_weights(), torch.device("meta"):
            auto_class(kind).from_config(config)


if __name__ == "__main__":
    answer(read_all_but_weights)

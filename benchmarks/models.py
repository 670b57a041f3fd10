"""Models to time beside the shipped one."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel

from model.weights.locate import SHIPPED


@contextmanager
def gpt2_sized() -> Iterator[Path]:
    """Gives a folder with a model of GPT-2's shape (124M parameters, 50,257 tokens) until it ends.

    Its weights are random, for time does not depend on them, and its tokenizer is the shipped one,
    which knows only the first 4,096 of its tokens.
    """
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(bos_token_id=0, eos_token_id=0, dtype="float32"))
    tokenizer = AutoTokenizer.from_pretrained(SHIPPED["storyteller"], local_files_only=True)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, "gpt2-sized")
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        yield folder

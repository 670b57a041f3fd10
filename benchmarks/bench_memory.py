"""What one reader's session costs beside its KV cache, after a text of 500 tokens.

    python -m benchmarks.bench_memory [--tokens 500]

Counted are all Python and numpy memory that the session holds (tracemalloc) and all torch storage
that was not there before, less the cache's own. A vocabulary of 150,000 is compared with 4,096.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from benchmarks.figures import describe_machine
from benchmarks.harness import ROOT
from model.loading import LanguageModel, load_model
from pages.home.payload import build_payload
from pages.home.session import Session

LARGE_VOCABULARY = 150_000
MAX_MEGABYTES = 25  # what a session may hold beside its cache
MEGABYTE = 1e6


@dataclass(frozen=True)
class Footprint:
    """The bytes that a session holds."""

    python: int  # objects and numpy arrays
    torch: int  # storage of tensors, the cache's included
    cache: int  # storage of the KV cache
    payload: int  # bytes that the last step sent to the page

    @property
    def beside_cache(self) -> int:
        """All but the cache."""
        return self.python + self.torch - self.cache


@contextmanager
def wide_model() -> Iterator[Path]:
    """Gives a folder with a small random Llama whose vocabulary is large, until it ends."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=LARGE_VOCABULARY,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=0,
    )
    tokenizer = AutoTokenizer.from_pretrained(
        ROOT / "model" / "pretrained" / "storyteller", local_files_only=True
    )
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, "wide")
        LlamaForCausalLM(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        yield folder


def torch_bytes() -> int:
    """Returns the bytes of all tensors' storage, each counted once."""
    gc.collect()
    storages = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
        for tensor in gc.get_objects()
        if issubclass(type(tensor), torch.Tensor)  # isinstance would wake lazy attributes
    }
    return sum(storages.values())


def measure(lm: LanguageModel, n_tokens: int) -> Footprint:
    """Writes a text, one press at a time, and weighs what is left."""
    write(lm, 2)  # what is made once per process, or once per model, is there before we weigh
    tensors_before = torch_bytes()
    tracemalloc.start()
    session, n_payload = write(lm, n_tokens)
    tensors = torch_bytes() - tensors_before
    python, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Footprint(python, tensors, session.generation.bytes_held, n_payload)


def write(lm: LanguageModel, n_tokens: int) -> tuple[Session, int]:
    """Writes a text as a reader would; returns its session and the size of its last message."""
    session = Session(lm, "Once upon a time")
    for number in range(n_tokens):
        session.handle({"n": number, "kind": "next"})
        payload = build_payload(session, presenter=False, hide_bars=False)
    assert len(session.active.choices) == n_tokens
    return session, len(payload)


def report(lm: LanguageModel, found: Footprint, n_tokens: int) -> None:
    """Prints one model's figures beside the aim."""
    beside = found.beside_cache / MEGABYTE
    verdict = "met" if beside <= MAX_MEGABYTES else "MISSED"
    print(f"{lm.vocab_size:,} tokens of vocabulary, a text of {n_tokens} tokens:")
    print(f"  beside the KV cache  {beside:8.2f} MB  (aim: {MAX_MEGABYTES} MB, {verdict})")
    print(f"  Python and numpy     {found.python / MEGABYTE:8.2f} MB")
    print(f"  torch, cache apart   {(found.torch - found.cache) / MEGABYTE:8.2f} MB")
    print(f"  the KV cache itself  {found.cache / MEGABYTE:8.2f} MB held")
    print(f"  last message to the page {found.payload / 1e3:.0f} kB")


def main() -> None:
    """Weighs a session on the shipped model and on one with a large vocabulary."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, default=500)
    n_tokens = parser.parse_args().tokens
    print(describe_machine(), end="\n\n")
    found = []
    with wide_model() as folder:
        for name in ("storyteller", str(folder)):
            # no token ends the text before it is long enough
            lm = replace(load_model(name), end_ids=frozenset())
            found.append(measure(lm, n_tokens))
            report(lm, found[-1], n_tokens)
    ratio = found[1].beside_cache / found[0].beside_cache
    print(f"the large vocabulary holds {ratio:.2f}x of the small one")


if __name__ == "__main__":
    main()

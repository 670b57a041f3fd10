"""What one reader's session costs, and whether a second class makes a server any larger.

    python -m benchmarks.bench_memory [--tokens 500] [--sessions 300]

Of a session after a text of 500 tokens all Python and numpy memory is counted (tracemalloc) and all
torch storage that was not there before, less the cache's own; a vocabulary of 150,000 is compared
with 4,096. A server then shows what idle and active sessions add to its process, and how much it
grows when a class comes twice, 300 sessions, 2,000 presses and 50 changes of model each time: what
the collector does not look at, because it is frozen, counts as well.
"""

import argparse
import asyncio
import gc
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # ships no types
import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from benchmarks.bench_class import STORY
from benchmarks.figures import describe_machine, record
from benchmarks.soak_reader import SoakReader
from model.loading import LanguageModel, load_model
from model.records import Memory
from model.tokenizing import encode
from pages.frame.component import encode_payload
from pages.home.controls import Controls
from pages.home.tab import Tab
from tests.driving.harness import ROOT, Server, serve

MODELS = ("scribbler", "storyteller_early", "scribbler_plain")
LARGE_VOCABULARY = 150_000
MAX_MEGABYTES = 25  # what a session may hold beside its cache
MEGABYTE = 1e6
AT_ONCE = 20  # sessions that are open side by side
N_PRESSES, EVERY = 7, 6  # of each session; every sixth changes the model
REST_SECONDS = 150  # a session goes two minutes after its reader
MAX_GROWTH = 0.05  # of the process, that a class may leave behind


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
    tab, n_payload = write(lm, n_tokens)
    tensors = torch_bytes() - tensors_before
    python, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Footprint(python, tensors, tab.generation.bytes_held, n_payload)


def write(lm: LanguageModel, n_tokens: int) -> tuple[Tab, int]:
    """Writes a text as a reader would; returns what the server has of it, and its last size."""
    tab, ids = Tab(lm), encode(lm, "Once upon a time")
    n_prompt = len(ids)
    step = {"kind": "step", "count": 1, "next_seed": 0, "number": 0, "n_prompt": n_prompt}
    step |= {"seed": 0, "memory": vars(Memory()), "controls": Controls().to_page()}
    for _ in range(n_tokens):
        header, arrays = tab.answer(step | {"ids": ids})
        ids = ids + header["rows"]["id"]
    assert len(tab.generation.ids) == n_prompt + n_tokens
    return tab, len(encode_payload(header, arrays))


def report(lm: LanguageModel, found: Footprint, n_tokens: int) -> None:
    """Prints one model's figures beside the aim."""
    beside = found.beside_cache / MEGABYTE
    print(f"{lm.vocab_size:,} tokens of vocabulary, a text of {n_tokens} tokens:")
    record(
        f"a session of {n_tokens} tokens beside its KV cache, a vocabulary of {lm.vocab_size:,}",
        f"{beside:.0f} MB",
        f"{MAX_MEGABYTES} MB",
        is_met=beside <= MAX_MEGABYTES,
    )
    print(f"  Python and numpy     {found.python / MEGABYTE:8.2f} MB")
    print(f"  torch, cache apart   {(found.torch - found.cache) / MEGABYTE:8.2f} MB")
    print(f"  the KV cache itself  {found.cache / MEGABYTE:8.2f} MB held")
    print(f"  last message to the page {found.payload / 1e3:.0f} kB")


# A server


def process_bytes(server: Server) -> int:
    """Returns what the server's process holds."""
    return int(psutil.Process(server.process.pid).memory_info().rss)


async def weigh_sessions(server: Server) -> tuple[float, float]:
    """Returns the bytes that a session adds once it is open, and once it has written."""
    async with AsyncExitStack() as stack:

        async def open_some(n: int) -> list[SoakReader]:
            visits = [SoakReader(server.url, **STORY) for _ in range(n)]
            return [await stack.enter_async_context(visit) for visit in visits]

        for reader in await open_some(1):  # what is made once is there before we weigh
            await press(reader)
        empty = process_bytes(server)
        readers = await open_some(AT_ONCE)
        idle = process_bytes(server)
        for reader in readers:
            await press(reader, 100)
        active = process_bytes(server)
    return (idle - empty) / AT_ONCE, (active - empty) / AT_ONCE


async def press(reader: SoakReader, n_presses: int = N_PRESSES) -> None:
    """Presses Next; where the text has ended, nothing is added."""
    for _ in range(n_presses):
        await reader.do("next")


async def come_and_go(server: Server, n_sessions: int) -> None:
    """Lets sessions come, press, and go; some change the model on the way."""

    async def visit(number: int) -> None:
        async with SoakReader(server.url, **STORY) as reader:
            await press(reader)
            if number % EVERY == 0:
                await reader.choose_model(MODELS[number // EVERY % len(MODELS)])

    for first in range(0, n_sessions, AT_ONCE):
        await asyncio.gather(*map(visit, range(first, min(first + AT_ONCE, n_sessions))))


def report_server(n_sessions: int) -> None:
    """Prints what sessions add to a server, and what a class leaves behind."""
    with serve() as server:
        idle, active = asyncio.run(weigh_sessions(server))
        record("what an idle session adds to the server", f"{idle / MEGABYTE:.1f} MB")
        record("what one of 100 tokens adds", f"{active / MEGABYTE:.1f} MB")
        asyncio.run(come_and_go(server, n_sessions))  # the process is as large as a class makes it
        time.sleep(REST_SECONDS)
        before = process_bytes(server)
        asyncio.run(come_and_go(server, n_sessions))
        busy = process_bytes(server)
        time.sleep(REST_SECONDS)
        after = process_bytes(server)
    growth = after / before - 1
    print(
        f"{before / MEGABYTE:.0f} MB before, {busy / MEGABYTE:.0f} at once, then {after / 1e6:.0f}"
    )
    n_presses, n_changes = n_sessions * N_PRESSES, n_sessions // EVERY
    record(
        f"memory, {n_sessions} sessions, {n_presses} presses, {n_changes} other models once more",
        f"{growth:+.1%}",
        f"at most {MAX_GROWTH:+.0%}",
        is_met=growth <= MAX_GROWTH,
    )


def main() -> None:
    """Weighs a session on the shipped model and on one with a large vocabulary."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, default=500)
    parser.add_argument("--sessions", type=int, default=300)
    given = parser.parse_args()
    n_tokens = given.tokens
    print(describe_machine(), end="\n\n")
    found = []
    with wide_model() as folder:
        for name in ("storyteller", str(folder)):
            # no token ends the text before it is long enough
            lm = replace(load_model(name), end_ids=frozenset())
            found.append(measure(lm, n_tokens))
            report(lm, found[-1], n_tokens)
    ratio = found[1].beside_cache / found[0].beside_cache
    print(f"the large vocabulary holds {ratio:.2f}x of the small one", end="\n\n")
    report_server(given.sessions)


if __name__ == "__main__":
    main()

"""What a press of Next costs the server, beside the model's own pass.

    python -m benchmarks.bench_press [--rounds 13] [--presses 15]

The aim is the pass and 4.5 ms of ours: processor time of the server, all of the same run, nothing
subtracted, at any length of the text. What a processor does in a millisecond changes from minute to
minute: both are measured in turn, a few presses at a time, and the median of these rounds counts.
"""

import argparse
import asyncio
import time
from contextlib import AsyncExitStack
from statistics import median

from benchmarks.bench_class import processor_seconds
from benchmarks.figures import describe_machine, record
from model.generation import Generation
from model.language_model import LanguageModel
from model.loading import load_model
from model.passes import decode_one_token
from tests.driving.harness import Server, serve
from tests.driving.visitor import Visitor

OURS = 0.0045  # seconds that a press may cost beside its pass
LENGTHS = (6, 400, 1000)  # tokens of the text at the first press
GAP = 0.08  # seconds between an answer and the next press
REST = 2.0  # seconds in which a server that is idle uses no hundredth of the processor
N_WARM = 5


async def press(server: Server, reader: Visitor, n_presses: int) -> float:
    """Presses Next in peace; returns the seconds of the server's processor that a press took."""
    before = processor_seconds(server)
    for _ in range(n_presses):
        await reader.do("next")
        await asyncio.sleep(GAP)
    return (processor_seconds(server) - before) / n_presses


def decode(lm: LanguageModel, text: Generation, n_passes: int) -> float:
    """Returns the processor's seconds that a decode pass takes, as far apart as the presses."""
    before = time.process_time()
    for _ in range(n_passes):
        decode_one_token(lm, 300, text.cache)
        time.sleep(GAP)
    return (time.process_time() - before) / n_passes


async def rest(server: Server) -> None:
    """Waits until a server is idle: behind its first visit it reads what other pages need."""
    used = REST
    while used > REST / 100:
        before = processor_seconds(server)
        await asyncio.sleep(REST)
        used = processor_seconds(server) - before


async def measure(server: Server, n_rounds: int, n_presses: int) -> None:
    """Prints what a press costs at each length, beside the aim."""
    lm = load_model("storyteller")
    story = {"prompt": "Once upon a time", "top_p": "0.5"}
    async with AsyncExitStack() as stack:
        ids = [[300 + i % 100 for i in range(n)] for n in LENGTHS]
        visits = [Visitor(server.url, **story) for _ in ids]
        for visit, some in zip(visits, ids, strict=True):
            visit.written = some
        readers = [await stack.enter_async_context(visit) for visit in visits]
        texts = [Generation(lm, some) for some in ids]
        for reader in readers:
            await press(server, reader, N_WARM)
        await rest(server)
        costs = [
            [
                (decode(lm, text, n_presses), await press(server, reader, n_presses))
                for reader, text in zip(readers, texts, strict=True)
            ]
            for _ in range(n_rounds)
        ]
    if any(reader.header["finished"] for reader in readers):
        raise SystemExit("A text came to its end, where a press costs less: take fewer rounds.")
    for n_tokens, rounds in zip(LENGTHS, zip(*costs, strict=True), strict=True):
        report(n_tokens, rounds)


def report(n_tokens: int, rounds: tuple[tuple[float, float], ...]) -> None:
    """Prints the medians of what a pass and a press cost at one length."""
    besides = median(ours - one_pass for one_pass, ours in rounds)
    one_pass, ours = (1e3 * median(each) for each in zip(*rounds, strict=True))
    record(
        f"CPU of a press at {n_tokens:,} tokens, its pass included",
        f"{ours:.1f} ms (of it {one_pass:.1f} the pass)",
        f"the pass and {1e3 * OURS:.1f} ms",
        is_met=besides <= OURS,
    )


def main() -> None:
    """Presses at several lengths."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=13)
    parser.add_argument("--presses", type=int, default=15)
    args = parser.parse_args()
    print(describe_machine(), end="\n\n")
    with serve() as server:
        asyncio.run(measure(server, args.rounds, args.presses))


if __name__ == "__main__":
    main()

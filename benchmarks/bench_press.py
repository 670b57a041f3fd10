"""What a press of Next costs the server, beside what no press can do without.

    python -m benchmarks.bench_press [--presses 60]

The aim is a bare fragment with one component, the model's own pass, and 4 ms of ours: processor
time of the server, all of the same run, with the look ahead, at any length of the text.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from benchmarks.bench_class import processor_seconds
from benchmarks.bench_home import forced
from benchmarks.figures import describe_machine, record
from benchmarks.harness import ROOT, Server, serve
from benchmarks.visitor import Visitor
from model.generation import Generation
from model.loading import LanguageModel, load_model
from model.passes import decode_one_token

OURS = 0.004  # seconds that a press may cost besides
LENGTHS = (6, 400, 1000)  # tokens of the text
GAP = 0.08  # seconds between an answer and the next press
N_WARM = 5


async def press(server: Server, n_presses: int, **params: str) -> float:
    """Presses Next in peace; returns the seconds of the server's processor that a press took."""
    async with Visitor(server.url, **params) as reader:
        reader.query = ""  # a text that no link wrote has a short address
        for _ in range(N_WARM):
            await reader.do("next")
            await asyncio.sleep(GAP)
        before = processor_seconds(server)
        for _ in range(n_presses):
            await reader.do("next")
            await asyncio.sleep(GAP)
        return (processor_seconds(server) - before) / n_presses


def decode(lm: LanguageModel, n_tokens: int, n_passes: int) -> float:
    """Returns the processor's seconds that a decode pass takes behind so many tokens."""
    text = Generation(lm, [300 + i % 100 for i in range(n_tokens)])
    started = 0.0
    for i in range(N_WARM + n_passes):
        if i == N_WARM:
            started = time.process_time()
        decode_one_token(lm, 300, text.cache)
    return (time.process_time() - started) / n_passes


def report(bare: Server, ours: Server, n_presses: int) -> None:
    """Prints what a press costs at each length, beside the aim."""
    lm = load_model("storyteller")
    asyncio.run(press(ours, N_WARM, **forced(1)))  # what is imported late is there then
    for length in LENGTHS:
        written = {"prompt": "Once upon a time", "top_p": "0.5"} | forced(length)
        least = asyncio.run(press(bare, n_presses)) + decode(lm, length, n_presses)
        cpu = asyncio.run(press(ours, n_presses, **written))
        record(
            f"CPU of a press at {length:,} tokens, a bare fragment and the pass apart",
            f"{1e3 * (cpu - least):.1f} ms (of {1e3 * cpu:.1f})",
            f"{1e3 * OURS:.0f} ms",
            is_met=cpu - least <= OURS,
        )


def main() -> None:
    """Presses in a bare app, then in ours, at several lengths."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--presses", type=int, default=60)
    n = parser.parse_args().presses
    print(describe_machine(), end="\n\n")
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, ".streamlit")
        settings.mkdir()
        for path in (ROOT / ".streamlit" / "config.toml", ROOT / "benchmarks" / "bare_app.py"):
            place = settings if path.suffix == ".toml" else Path(folder)
            Path(place, path.name).write_text(path.read_text("utf-8"), "utf-8")
        with serve(Path(folder, "bare_app.py"), cwd=Path(folder)) as bare, serve() as ours:
            report(bare, ours, n)


if __name__ == "__main__":
    main()

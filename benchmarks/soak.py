"""Lets a class work for an hour, and prints minute by minute what the server makes of it.

    python -m benchmarks.soak [--minutes 60] [--readers 30]

Every reader writes a text, changes the model, runs a lesson's job or loses the connection, and
begins again. A line has the presses of the last part of the hour, what they waited, what went
wrong, and what the server holds: memory, threads, open files, blocks that Python has allocated.
"""

import argparse
import asyncio
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # ships no types

from benchmarks.figures import describe_machine, quantile
from benchmarks.soak_reader import SoakReader
from tests.driving.harness import Server, serve

MODELS = ("storyteller", "storyteller_early", "scribbler", "scribbler_plain")
PAGES = ("beam_search", "kv_cache", "snowball", "sampling", "constraints")
MAX_TICKS = 40  # of a job's clock, until it is stopped
PAUSE = (0.5, 2.0)  # seconds between two presses of one reader
MAX_SECONDS = 600  # that one of these takes; a busy machine is slow, and what takes longer hangs
N_LINES = 12
REST_SECONDS = 150  # a session goes two minutes after its reader

# Python runs this when it starts: only inside the server can its objects be counted.
COUNTER = """
import sys, threading, time

def count():
    while True:
        time.sleep(1)
        with open({path!r}, "w") as file:
            print(sys.getallocatedblocks(), file=file)

if "streamlit" in sys.orig_argv:
    threading.Thread(target=count, daemon=True).start()
"""


@dataclass
class Notes:
    """What happened since the last line."""

    waits: list[float] = field(default_factory=list)  # seconds of each press
    errors: Counter[str] = field(default_factory=Counter)  # by what went wrong
    done: Counter[str] = field(default_factory=Counter)  # by what readers did


# What a reader does


async def write(reader: SoakReader, notes: Notes, dice: random.Random) -> None:
    """Writes some tokens, goes back, and changes the model in the middle."""
    for number in range(dice.randint(5, 15)):
        notes.waits.append(await reader.do("back" if number % 5 == 4 else "next"))
        await asyncio.sleep(dice.uniform(*PAUSE))
    in_use = reader.header["model"]["name"]
    await reader.choose_model(dice.choice([name for name in MODELS if name != in_use]))
    for _ in range(3):
        notes.waits.append(await reader.do("next"))


async def lose_the_wire(reader: SoakReader, notes: Notes, dice: random.Random) -> None:
    """Writes, loses the connection, and comes back to the same text."""
    for _ in range(3):
        notes.waits.append(await reader.do("next"))
    expected = reader.n_tokens + (not reader.header["finished"])
    await reader.reconnect(after=dice.uniform(0.1, 3.0))
    notes.waits.append(await reader.do("next"))
    if reader.n_tokens != expected:
        notes.errors["another text after a reconnect"] += 1


async def run_job(reader: SoakReader, _notes: Notes, _dice: random.Random) -> None:
    """Runs a lesson's first job to its end, or stops it."""
    key = next(key for key in reader.widgets if key.endswith("_run"))
    await reader.press_key(key)
    for _ in range(MAX_TICKS):
        if not await reader.tick():
            return
    await reader.press_key(key)


async def read(url: str, notes: Notes, end: float, number: int) -> None:
    """Comes, does something, and leaves, until the time is over."""
    dice = random.Random(number)
    acts: list[Callable[[SoakReader, Notes, random.Random], Awaitable[None]]]
    acts = [write, write, lose_the_wire, run_job]
    while time.monotonic() < end:
        act = dice.choice(acts)
        page = dice.choice(PAGES) if act is run_job else ""
        story = {"prompt": "Once upon a time", "model": dice.choice(MODELS)}
        try:
            async with SoakReader(url, page, **({} if page else story)) as reader:
                await asyncio.wait_for(act(reader, notes, dice), timeout=MAX_SECONDS)
                notes.errors.update(reader.exceptions)
            notes.done[act.__name__] += 1
        except Exception as error:  # each is counted, and the reader comes again
            notes.errors[f"{act.__name__}: {type(error).__name__} {error}"[:100]] += 1


# What the server makes of it


def line(server: Server, notes: Notes, counts: Path, minutes: float) -> str:
    """Returns what happened and what the server holds."""
    process = psutil.Process(server.process.pid)
    waits = notes.waits or [0.0]
    objects = int(counts.read_text() or 0) if counts.exists() else 0
    text = (
        f"{minutes:6.1f} min  {len(notes.waits):5} presses, "
        f"median {quantile(waits, 0.5) * 1e3:4.0f} ms, p95 {quantile(waits, 0.95) * 1e3:4.0f} ms, "
        f"max {max(waits) * 1e3:5.0f} ms  {process.memory_info().rss / 1e6:5.0f} MB  "
        f"{process.num_threads():3} threads  {process.num_fds():3} files  "
        f"{objects / 1e6:5.2f} M objects  {sum(notes.errors.values())} errors"
    )
    for what, times in notes.errors.items():
        text += f"\n           {times} x {what}"
    return text


async def soak(server: Server, n_readers: int, minutes: float, counts: Path) -> int:
    """Lets readers work side by side; returns how many errors there were."""
    notes, started = Notes(), time.monotonic()
    end, n_errors = started + 60 * minutes, 0
    readers = [
        asyncio.create_task(read(server.url, notes, end, number)) for number in range(n_readers)
    ]
    while time.monotonic() < end:
        await asyncio.sleep(60 * minutes / N_LINES)
        n_errors += sum(notes.errors.values())
        print(line(server, notes, counts, (time.monotonic() - started) / 60), flush=True)
        notes.waits.clear()
        notes.errors.clear()
    await asyncio.gather(*readers)
    n_errors += sum(notes.errors.values())
    print(f"Done: {dict(notes.done)}, and at the end: {dict(notes.errors)}")
    return n_errors


def main() -> None:
    """Soaks a server, lets it rest, and says what went wrong and what is left."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--readers", type=int, default=30)
    given = parser.parse_args()
    print(describe_machine(), end="\n\n")
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder, "counts")
        Path(folder, "sitecustomize.py").write_text(COUNTER.format(path=str(counts)))
        with serve(env={"PYTHONPATH": folder}) as server:
            n_errors = asyncio.run(soak(server, given.readers, given.minutes, counts))
            time.sleep(REST_SECONDS)
            print("after a rest:", line(server, Notes(), counts, given.minutes))
            n_errors += len(re.findall("Traceback", server.log()))
            print(f"{n_errors} errors, tracebacks in the server's log included")
            if n_errors:
                raise SystemExit(server.log()[-3000:])


if __name__ == "__main__":
    main()

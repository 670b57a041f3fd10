"""Ten readers beside twenty strangers who do their worst: what a press takes, and the memory.

    python -m benchmarks.bench_strangers [--seconds 20] [--app app.py]

The aims: 95 of 100 presses take at most twice as long as without strangers, the server takes at
most 300 MB more, and a reader and a teacher who come meanwhile get in. Strangers have machines of
their own; here they share the processor with the server, so they run at the lowest priority, and
what they used of it is printed.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # ships no types

from benchmarks.bench_class import STORY, people, press_next, processor_seconds
from benchmarks.figures import describe_machine, milliseconds, quantile, record
from benchmarks.soak_reader import Teacher
from tests.driving.harness import ROOT, Server, serve
from tests.driving.visitor import Visitor, press_in_time

N_READERS, GAP = 10, 2.0  # seconds between the presses of one reader, on average
AHEAD = 5.0  # seconds that strangers have been there before presses count
MAX_RATIO, MAX_MORE = 2.0, 300  # of the presses' p95; megabytes
PATIENCE_SECONDS = 60.0
DRAW = {"do": "append", "how": "draw"}  # what a desk sends


@dataclass
class Waits:
    """How long somebody waited, in seconds."""

    presses: list[float]  # of those who were there before
    reader: float  # from opening the page to a first press that is answered
    teacher: float  # from opening the page of rooms to a first press at the desk of a new one


async def press_beside(url: str, seconds: float) -> Waits:
    """Lets readers press, while a new reader and a new teacher come; returns what they waited."""
    async with asyncio.TaskGroup() as opening:
        visits = [Visitor(url, **STORY) for _ in range(N_READERS)]
        for visit in visits:
            opening.create_task(visit.__aenter__())
    for visit in visits:
        await press_next(visit)
    presses = [
        press_in_time(partial(press_next, visit), gaps)
        for visit, gaps in zip(visits, people(N_READERS, GAP, seconds), strict=True)
    ]
    taken, (reader, teacher) = await asyncio.gather(
        asyncio.gather(*presses), asyncio.gather(come_late(url), teach(url))
    )
    for visit in visits:
        await visit.__aexit__(None, None, None)
    return Waits(list(chain.from_iterable(taken)), reader, teacher)


def post(address: str, body: object = None, key: str = "") -> Any:
    """Asks a room and waits for its answer; without a body it asks what is there."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"X-Desk": key})
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
        return json.load(answer)


async def come_late(url: str) -> float:
    """Opens the page beside all the others; returns the seconds until a first press is answered."""
    started = time.perf_counter()
    async with asyncio.timeout(PATIENCE_SECONDS), Visitor(url, **STORY) as visitor:
        await press_next(visitor)
    return time.perf_counter() - started


async def teach(url: str) -> float:
    """Opens a room, lets a pupil join and the model write; returns the seconds that took."""
    started = time.perf_counter()
    async with asyncio.timeout(PATIENCE_SECONDS), Teacher(url) as teacher:
        code, key = await teacher.open_room()
        room = f"{url}/room/{code}"
        await asyncio.to_thread(post, f"{room}/join", {"name": "Ada"})
        before = await asyncio.to_thread(post, f"{room}/desk/state", None, key)
        body = DRAW | {"n_presses": before["n_presses"]}
        pressed = await asyncio.to_thread(post, f"{room}/desk/press", body, key)
        if pressed["text"] == before["text"]:
            raise RuntimeError("The desk’s press appended nothing.")
    return time.perf_counter() - started


@contextmanager
def watched(server: Server) -> Iterator[list[float]]:
    """Notes the server's memory every tenth of a second, in MB."""
    process, seen, is_over = psutil.Process(server.process.pid), list[float](), threading.Event()

    def watch() -> None:
        while not is_over.wait(0.1):
            seen.append(process.memory_info().rss / 1e6)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        is_over.set()
        watcher.join()


def processor_of(process: psutil.Process) -> float:
    """Returns the seconds of the processor that a process has used."""
    times = process.cpu_times()
    return float(times.user + times.system)


def bench(server: Server, seconds: float) -> None:
    """Prints what presses take with and without strangers."""
    with watched(server) as before:
        alone = asyncio.run(press_beside(server.url, seconds))
    command = [sys.executable, "-m", "benchmarks.strangers", server.url, str(seconds + 60)]
    strangers = psutil.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)
    strangers.nice(psutil.IDLE_PRIORITY_CLASS if sys.platform == "win32" else 19)
    try:
        time.sleep(AHEAD)
        used, began = [processor_seconds(server), processor_of(strangers)], time.perf_counter()
        with watched(server) as during:
            beside = asyncio.run(press_beside(server.url, seconds))
        wall = time.perf_counter() - began
        cores = [
            (now - before) / wall
            for now, before in zip(
                (processor_seconds(server), processor_of(strangers)), used, strict=True
            )
        ]
    finally:
        strangers.terminate()
        strangers.wait()
    print("cores busy beside strangers: {:.2f} the server, {:.2f} the strangers".format(*cores))
    for name, waits in (("alone", alone), ("beside strangers", beside)):
        taken = waits.presses
        shown = [f"{q:.0%} {milliseconds(quantile(taken, q))}" for q in (0.5, 0.95, 1.0)]
        print(f"{N_READERS} readers {name:<20} {'  '.join(shown)}  n {len(taken)}")
        print(
            f"  a new reader's first press {waits.reader:.1f} s, a new room {waits.teacher:.1f} s"
        )
    ratio = quantile(beside.presses, 0.95) / quantile(alone.presses, 0.95)
    more = max(during) - max(before)
    record(
        "presses beside strangers: p95, times that without",
        f"{ratio:.1f}",
        f"{MAX_RATIO:.0f}",
        is_met=ratio <= MAX_RATIO,
    )
    record(
        "memory beside strangers",
        f"{more:,.0f} MB more ({max(before):,.0f} before)",
        f"{MAX_MORE} MB",
        is_met=more <= MAX_MORE,
    )
    record("a new reader's first press beside strangers", f"{beside.reader:.1f} s")
    record("a new room's first press beside strangers", f"{beside.teacher:.1f} s")


def main() -> None:
    """Measures one server."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--app", type=Path, default=ROOT / "app.py")
    args = parser.parse_args()
    print(describe_machine(), end="\n\n")
    with serve(args.app, cwd=args.app.parent) as server:
        bench(server, args.seconds)


if __name__ == "__main__":
    main()

"""Five readers' long jobs on one server, and what a press of the others waits beside them.

    python -m benchmarks.bench_jobs [--seconds 20] [--readers 10]

Some jobs measure and some do not. Each is started again when it ends; the passes that they do are
counted, so that it shows what they cost the presses and what the presses cost them.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

from benchmarks.bench_class import STORY, attend, people, press_next, report
from benchmarks.figures import describe_machine
from benchmarks.harness import Server, serve
from benchmarks.soak_reader import SoakReader

JOBS = (
    ("claims", "claims_run"),
    ("kv_cache", "kv_race_run"),  # measures
    ("speculative", "spec_speed_run"),  # measures
    ("snowball", "snowball_long_run"),
    ("beam_search", "beam_cost_run"),  # measures
)
WARM_UP_SECONDS = 15.0  # in which models are read and passes of each size learn their threads
AIM = 0.250  # seconds that 95 of 100 presses may take beside five jobs


async def keep_running(reader: SoakReader, key: str, ends: asyncio.Event) -> int:
    """Runs a lesson's job again and again; returns how often its clock ticked."""
    n_ticks = 0
    while not ends.is_set():
        await reader.press_key(key)
        while not ends.is_set() and await reader.tick():
            n_ticks += 1
    return n_ticks


async def press_beside(server: Server, jobs: Sequence[tuple[str, str]], n: int, s: float) -> None:
    """Prints what presses take while these jobs run."""
    async with AsyncExitStack() as stack:
        ends = asyncio.Event()
        readers = [
            (await stack.enter_async_context(SoakReader(server.url, page)), key)
            for page, key in jobs
        ]
        work = [asyncio.create_task(keep_running(reader, key, ends)) for reader, key in readers]
        await asyncio.sleep(WARM_UP_SECONDS if jobs else 0.0)
        lesson = await attend(server, press_next, people(n, 2.0, s), **STORY)
        ends.set()
        n_ticks = await asyncio.gather(*work)
    report(f"{n} readers beside {len(jobs)} jobs", lesson, AIM if jobs else None)
    ticks = ", ".join(f"{page} {count}" for (page, _), count in zip(jobs, n_ticks, strict=True))
    if ticks:
        print(f"    slices: {ticks}")


def main() -> None:
    """Measures presses without jobs, beside one, and beside five."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--readers", type=int, default=10)
    args = parser.parse_args()
    print(describe_machine(), end="\n\n")
    with serve() as server:
        for n_jobs in (0, 1, len(JOBS)):
            asyncio.run(press_beside(server, JOBS[:n_jobs], args.readers, args.seconds))


if __name__ == "__main__":
    main()

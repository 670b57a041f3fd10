"""Five readers' long jobs on one server, and what a press of the others waits beside them.

    python -m benchmarks.bench_jobs [--seconds 20] [--readers 10]

The jobs are those whose passes are longest: whole contexts, training, forty texts side by side. A
press beside them is compared with one beside none, in the same run; then each of them has to end.
"""

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

from benchmarks.bench_class import STORY, attend, people, press_next, report
from benchmarks.figures import describe_machine, quantile, record
from benchmarks.soak_reader import SoakReader
from tests.driving.harness import Server, serve

JOBS = (
    ("teacher_forcing", "snowball_context_run"),
    ("causal_mask", "mask_training_run"),
    ("teacher_forcing", "snowball_long_run"),
    ("beam_search", "beam_cost_run"),  # measures
    ("kv_cache", "kv_race_run"),  # measures
)
WARM_UP_SECONDS = 15.0  # in which models are read and passes of each size learn their threads
AIM = 2.0  # times what presses take beside no job, at most, for 95 of 100
PATIENCE = 900.0  # seconds in which all jobs must have ended


async def run_to_end(reader: SoakReader, key: str) -> float:
    """Runs a lesson's job; returns the seconds until it has ended."""
    started = asyncio.get_running_loop().time()
    await reader.press_key(key)
    while await reader.tick():
        pass
    return asyncio.get_running_loop().time() - started


async def press_beside(server: Server, jobs: Sequence[tuple[str, str]], n: int, s: float) -> float:
    """Prints what presses take while these jobs run, and when each ends; returns the p95."""
    async with AsyncExitStack() as stack:
        readers = [
            (await stack.enter_async_context(SoakReader(server.url, page)), key)
            for page, key in jobs
        ]
        work = [asyncio.create_task(run_to_end(reader, key)) for reader, key in readers]
        await asyncio.sleep(WARM_UP_SECONDS if jobs else 0.0)
        lesson = await attend(server, press_next, people(n, 2.0, s), **STORY)
        n_running = sum(not task.done() for task in work)
        report(f"{n} readers beside {len(jobs)} jobs", lesson)
        if jobs:
            async with asyncio.timeout(PATIENCE):
                ends = await asyncio.gather(*work)
            each = ", ".join(f"{key} {end:.0f} s" for (_, key), end in zip(jobs, ends, strict=True))
            print(f"    {n_running} of {len(jobs)} still ran then; all have ended: {each}")
    return quantile(lesson.seconds, 0.95)


def main() -> None:
    """Measures presses without jobs and beside five."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--readers", type=int, default=10)
    args = parser.parse_args()
    print(describe_machine(), end="\n\n")
    with serve() as server:
        alone, beside = (
            asyncio.run(press_beside(server, jobs, args.readers, args.seconds))
            for jobs in ((), JOBS)
        )
    ratio = beside / alone
    label = f"{args.readers} readers beside {len(JOBS)} jobs: p95 over that beside none"
    record(label, f"{ratio:.2f}", f"{AIM:.0f}", is_met=ratio <= AIM)


if __name__ == "__main__":
    main()

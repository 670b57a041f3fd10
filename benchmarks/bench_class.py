"""A class on one server: how long a press waits for its answer when others press too.

    python -m benchmarks.bench_class [--seconds 20] [--readers 10 30 60 100]

Readers need no browser. They press at random moments, the gaps between a reader's presses
exponential as those of people are, or all at the same instant. The answer to a press counts when it
has come whole. The largest class comes twice, the second a minute after the first has gone: what
that has left behind must not make it slow.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median

import psutil  # type: ignore[import-untyped]  # ships no types

from benchmarks.figures import describe_machine, milliseconds, quantile, record
from benchmarks.models import gpt2_sized
from model.generation import Generation
from model.loading import load_model
from tests.driving.harness import Server, serve
from tests.driving.visitor import Visitor, press_in_time

PROMPT = "Once upon a time"
STORY = {"prompt": PROMPT, "top_p": "0.5"}  # so low a top-p that few texts come to their end
AIMS = {30: 0.100, 100: 0.150}  # seconds that 95 of 100 presses may take, by readers
BETWEEN_CLASSES = 60.0  # seconds
AT_ONCE_AIM = 0.600  # seconds in which the last of thirty presses of one instant is answered
GPT2_AIM = 0.400  # seconds that 95 of 100 presses of ten readers may take, a press a second each


@dataclass(frozen=True)
class ClassTiming:
    """What a class waited, and what it cost the server."""

    seconds: tuple[float, ...]  # of each press
    cpu: float  # seconds of the server's processor in all
    cores: float  # of them, that were busy while the class pressed


async def press_next(visitor: Visitor) -> float:
    """Presses Next."""
    return await visitor.do("next")


async def press_plain(visitor: Visitor) -> float:
    """Presses the plain app's button."""
    return await visitor.press()


async def attend(
    server: Server,
    press: Callable[[Visitor], Awaitable[float]],
    gaps: Sequence[Sequence[float]],
    **params: str,
) -> ClassTiming:
    """Lets readers press side by side.

    Args:
        server: On which they press.
        press: What a press is.
        gaps: Of each reader, the seconds before each of its presses.
        params: What their address says.
    """
    async with AsyncExitStack() as stack:
        readers = [await stack.enter_async_context(Visitor(server.url, **params)) for _ in gaps]
        for reader in readers:
            await press(reader)  # warms up
        before, started = processor_seconds(server), asyncio.get_running_loop().time()
        turns = [
            press_in_time(partial(press, reader), own)
            for reader, own in zip(readers, gaps, strict=True)
        ]
        seconds = tuple(chain.from_iterable(await asyncio.gather(*turns)))
        cpu = processor_seconds(server) - before
        return ClassTiming(seconds, cpu, cpu / (asyncio.get_running_loop().time() - started))


def processor_seconds(server: Server) -> float:
    """Returns what the server's process has used so far."""
    if sys.platform == "linux":  # its clock, as clock_getcpuclockid(3) names it, has no 10 ms ticks
        return time.clock_gettime(~server.process.pid << 3 | 2)
    times = psutil.Process(server.process.pid).cpu_times()
    return float(times.user + times.system)


def people(n_readers: int, interval: float, seconds: float) -> list[list[float]]:
    """Draws the gaps of people who press every so many seconds on average."""
    toss = random.Random(n_readers)
    n_presses = max(1, round(seconds / interval))
    return [[toss.expovariate(1 / interval) for _ in range(n_presses)] for _ in range(n_readers)]


def report(label: str, lesson: ClassTiming, aim: float | None = None, at: float = 0.95) -> None:
    """Prints one line, and keeps the quantile that the aim is about."""
    seconds = lesson.seconds
    shown = [f"{name} {milliseconds(quantile(seconds, q))}" for name, q in
             (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("last", 1.0))]  # fmt: skip
    cpu = lesson.cpu / len(seconds)
    cost = f"{milliseconds(cpu)} of CPU a press, {lesson.cores:.2f} cores busy"
    print(f"{label:<46} {'  '.join(shown)}  {cost}  n {len(seconds)}")
    if aim is not None:
        waited, name = quantile(seconds, at), "p95" if at < 1 else "the last"
        text = f"{waited * 1e3:.0f} ms"
        record(f"{label}: {name}", text, f"{aim * 1e3:.0f} ms", is_met=waited <= aim)
        record(f"{label}: CPU a press", f"{cpu * 1e3:.0f} ms")


def bench_storyteller(server: Server, seconds: float, sizes: Sequence[int]) -> None:
    """Prints what classes of these sizes wait, a press per reader every two seconds."""
    for n in (1, *sizes):
        lesson = asyncio.run(attend(server, press_next, people(n, 2.0, seconds), **STORY))
        report(f"{n} readers, a press per 2 s each", lesson, AIMS.get(n))
    if n := max((n for n in sizes if n in AIMS), default=0):
        time.sleep(BETWEEN_CLASSES)
        lesson = asyncio.run(attend(server, press_next, people(n, 2.0, seconds), **STORY))
        report(f"{n} readers, a press per 2 s each, a second class", lesson, AIMS[n])
    instants = [[3.0] * max(1, round(seconds / 6)) for _ in range(30)]
    lesson = asyncio.run(attend(server, press_next, instants, **STORY))
    report("30 readers at the same instant", lesson, AT_ONCE_AIM, at=1.0)


def bench_gpt2(server: Server, folder: Path, seconds: float) -> None:
    """Prints what ten readers of a GPT-2-sized model wait, beside those of a plain app.

    One pass for each press is the limit of a server that reads one text at a time: as many presses
    a second as passes. Beyond it presses queue up, and no order of them helps; vLLM, which reads
    the texts of all readers in one pass, takes over there.
    """
    gaps = people(10, 1.0, seconds)
    with tempfile.TemporaryDirectory() as elsewhere:
        script = Path(elsewhere, "plain_app.py")  # away from our own Streamlit settings
        script.write_text(Path(__file__).with_name("plain_app.py").read_text())
        env = {"PLAIN_MODEL": str(folder), "PLAIN_TOKENS": "10"}
        with serve(script, env=env, cwd=Path(elsewhere)) as plain:
            report(
                "10 readers of a plain app, GPT-2's size",
                asyncio.run(attend(plain, press_plain, gaps)),
            )
    ours = attend(server, press_next, gaps, model=str(folder), prompt=PROMPT)
    report("10 readers, a press per second, GPT-2's size", asyncio.run(ours), GPT2_AIM)
    seconds_of_pass = pass_seconds(folder)
    record(
        "passes a second, GPT-2's size: so many presses, and beyond them vLLM",
        f"{1 / seconds_of_pass:.0f} ({seconds_of_pass * 1e3:.0f} ms each)",
        "10",
        is_met=seconds_of_pass <= 1 / len(gaps),
    )


def pass_seconds(folder: Path) -> float:
    """Returns what one decode pass of a model takes here, undisturbed."""
    lm = replace(load_model(str(folder)), end_ids=frozenset())
    text = Generation(lm, PROMPT)
    return median(text.step().seconds for _ in range(20))


def main() -> None:
    """Measures classes of several sizes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--readers", type=int, nargs="*", default=[10, 30, 60, 100])
    args = parser.parse_args()
    print(describe_machine(), end="\n\n")
    with gpt2_sized() as folder, serve() as server:
        bench_storyteller(server, args.seconds, args.readers)
        bench_gpt2(server, folder, args.seconds)


if __name__ == "__main__":
    main()

"""A class on one server: how long a press waits for its answer when others press too.

    python -m benchmarks.bench_class [--seconds 20]

Readers speak Streamlit's protocol without a browser, and do what the page does: a press, and once
the hand rests they say so, and the figures are drawn anew. The answer to a press counts when it has
come whole.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from itertools import chain
from pathlib import Path

from benchmarks.figures import Timing, describe_machine, milliseconds, quantile
from benchmarks.harness import serve
from benchmarks.models import gpt2_sized
from benchmarks.visitor import Visitor, press_in_time

SETTLE_AFTER = 0.25  # seconds that the page waits before it says that the hand rests
PROMPT = "Once upon a time"


async def press_ours(visitor: Visitor) -> float:
    """Presses Next; what follows once the hand rests keeps the server busy, but is not counted."""
    seconds = await visitor.do("next")
    await asyncio.sleep(SETTLE_AFTER)
    await visitor.rest()
    return seconds


async def press_plain(visitor: Visitor) -> float:
    """Presses the plain app's button."""
    return await visitor.press()


async def attend(
    url: str,
    press: Callable[[Visitor], Awaitable[float]],
    n_readers: int,
    interval: float,
    seconds: float,
    **params: str,
) -> list[float]:
    """Lets readers press side by side, each at its own moment of the beat."""
    async with AsyncExitStack() as stack:
        readers = [
            await stack.enter_async_context(Visitor(url, **params)) for _ in range(n_readers)
        ]
        for reader in readers:
            await press(reader)  # warms up
        start = time.perf_counter() + 0.1
        turns = [
            press_in_time(
                partial(press, reader),
                start + interval * i / n_readers,
                interval,
                max(1, round(seconds / interval)),
            )
            for i, reader in enumerate(readers)
        ]
        return list(chain.from_iterable(await asyncio.gather(*turns)))


def report(label: str, seconds: list[float], baseline: Timing | None = None) -> Timing:
    """Prints one line and returns its timing."""
    timing = Timing(label, tuple(seconds))
    print(timing.line(baseline), f" p95 {milliseconds(quantile(seconds, 0.95))}")
    return timing


def bench_thirty(url: str, seconds: float) -> None:
    """Prints what thirty readers of the shipped model wait, beside one who is alone."""
    # so low a top-p that no text of the time measured comes to its end
    story = {"prompt": PROMPT, "top_p": "0.5"}
    one = asyncio.run(attend(url, press_ours, 1, 2.0, seconds, **story))
    alone = report("one reader alone, a press per 2 s", one)
    thirty = asyncio.run(attend(url, press_ours, 30, 2.0, seconds, **story))
    report("thirty readers, a press per 2 s each", thirty, alone)


def bench_ten(url: str, folder: Path, seconds: float) -> None:
    """Prints what ten readers of a GPT-2-sized model wait, beside those of a plain app."""
    with tempfile.TemporaryDirectory() as elsewhere:
        script = Path(elsewhere, "plain_app.py")  # away from our own Streamlit settings
        script.write_text(Path(__file__).with_name("plain_app.py").read_text())
        env = {"PLAIN_MODEL": str(folder), "PLAIN_TOKENS": "10"}
        with serve(script, env=env, cwd=Path(elsewhere)) as server:
            waits = asyncio.run(attend(server.url, press_plain, 10, 1.0, seconds))
    plain = report("ten readers of a plain app, GPT-2's size", waits)
    ours = attend(url, press_ours, 10, 1.0, seconds, model=str(folder), prompt=PROMPT)
    report("ten readers, a press per second, GPT-2's size", asyncio.run(ours), plain)


def main() -> None:
    """Measures both classes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    seconds = parser.parse_args().seconds
    print(describe_machine(), end="\n\n")
    with gpt2_sized() as folder, serve() as server:
        bench_thirty(server.url, seconds)
        bench_ten(server.url, folder, seconds)


if __name__ == "__main__":
    main()

"""The home page on a processor four times slower: when it can be used, and what blocks it.

    python -m benchmarks.bench_slow_machine [--rounds 5]

Chromium slows the page's processor down. A browser that knows nothing of the page opens it at
10 Mbit/s and 40 ms, and one that is faster in turn; then Play runs, and a slider is dragged.
"""

import argparse
from functools import partial
from statistics import median

from playwright.sync_api import Browser

from benchmarks.bench_home import START, sweep
from benchmarks.bench_weight import PAGES, VIEWPORT, Visit, weigh
from benchmarks.figures import Timing, brief, describe_machine, quantile, record
from tests.driving.harness import (
    CLOCK,
    EXPERT,
    LONG_TASKS,
    ONE_DISTRIBUTION,
    chromium,
    frames_during,
    long_tasks,
    serve,
    slow_down,
)
from tests.driving.home_page import Reader

TIMES_SLOWER = 4
SLOWER = f"processor {TIMES_SLOWER} times slower"
PLAY_SECONDS = 6.0
USE_SECONDS, TASK_SECONDS, DRAG_SECONDS = 5.0, 0.1, 2 / 60


def open_newly(browser: Browser, url: str, times_slower: int) -> Visit:
    """Opens home in a browser that has never been there."""
    (_, path, usable, _), *_ = PAGES
    context = browser.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]  # a mapping
    visit = weigh(context, f"{url}/{path}", usable, is_slow=True, times_slower=times_slower)
    context.close()
    return visit


def bench_opening(browser: Browser, url: str, n_rounds: int) -> None:
    """Prints when home can be used, and for how long it is blocked until then."""
    kinds = (1, TIMES_SLOWER)
    turns = [[open_newly(browser, url, kind) for kind in kinds] for _ in range(n_rounds + 1)][1:]
    plain, slow = zip(*turns, strict=True)
    fast = Timing("the processor as it is", tuple(visit.seconds_to_use for visit in plain))
    used = Timing(f"usable, {SLOWER}", tuple(visit.seconds_to_use for visit in slow))
    print(used.line(fast))
    painted = Timing("", tuple(visit.seconds_to_paint for visit in slow))
    blocked = median(visit.seconds_blocked for visit in slow)
    record(
        f"home at 10 Mbit/s, {SLOWER}: first paint; usable; blocked until then",
        f"{brief(painted)}; {brief(used)}; {blocked:.1f} s",
        f"usable in {USE_SECONDS:.0f} s",
        is_met=used.median <= USE_SECONDS,
    )


def open_slowly(browser: Browser, url: str, likes: str) -> Reader:
    """Opens home for a reader who likes one distribution, or all strategies: the most to draw."""
    context = browser.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]  # a mapping
    context.add_init_script(CLOCK + likes + LONG_TASKS)
    reader = Reader(context.new_page(), url, is_tapped=False).open(**START)
    slow_down(reader.page, TIMES_SLOWER)
    return reader


def play(reader: Reader) -> tuple[list[float], float]:
    """Plays for some seconds; returns its long tasks, and the tokens a second."""
    page = reader.page
    long_tasks(page)
    before = reader.chips.count()
    reader.button("Play").click()
    page.wait_for_timeout(PLAY_SECONDS * 1000)
    tasks = [took for _, took in long_tasks(page)]
    n_tokens = reader.chips.count() - before
    reader.button("Pause").click()
    page.wait_for_timeout(1500)  # the last press settles
    return tasks, n_tokens / PLAY_SECONDS


def bench_play(reader: Reader, what: str) -> None:
    """Prints the longest task while Play writes five tokens a second."""
    play(reader)  # warms up
    tasks, pace = play(reader)
    longest = max(tasks, default=0.0)
    record(
        f"Play, {what}, {SLOWER}: the longest task; tasks over 50 ms, tokens a second",
        f"{longest * 1e3:.0f} ms; {len(tasks)}, {pace:.1f}",
        f"no task over {TASK_SECONDS * 1e3:.0f} ms",
        is_met=longest <= TASK_SECONDS,
    )


def bench_drag(reader: Reader) -> None:
    """Prints how smoothly the bars follow a slider."""
    page = reader.page
    box = reader.slider("temperature").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    gaps = frames_during(page, partial(sweep, page, box["x"], box["width"], y)).gaps
    page.mouse.up()
    late = quantile(gaps, 0.95)
    record(
        f"temperature dragged, {SLOWER}: from frame to frame, p95",
        f"{late * 1e3:.0f} ms",
        "two frames, 33 ms",
        is_met=late <= DRAG_SECONDS + 0.001,  # frames come to a millisecond
    )


def main() -> None:
    """Prints all of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(describe_machine(), end="\n\n")
    with chromium() as browser, serve() as server:
        bench_opening(browser, server.url, rounds)
        reader = open_slowly(browser, server.url, ONE_DISTRIBUTION)
        bench_play(reader, "one distribution")
        reader.page.context.close()
        reader = open_slowly(browser, server.url, EXPERT)
        bench_play(reader, "side by side")
        bench_drag(reader)


if __name__ == "__main__":
    main()

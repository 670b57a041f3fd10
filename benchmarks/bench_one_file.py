"""The page as one file in a headless Chromium: how soon it opens, how fast it writes, its memory.

python -m benchmarks.bench_one_file [--rounds 7]
"""

import argparse
import json
import tempfile
from pathlib import Path
from statistics import median

import psutil  # type: ignore[import-untyped]  # ships no types
from playwright.sync_api import Browser, FilePayload, Page

from benchmarks.figures import Timing, brief, describe_machine, milliseconds, quantile, record
from model.loading import load_model
from pages.home.in_page_file import live_page
from tests.driving.harness import CLOCK, chromium, frames_during

LENGTHS = (6, 300)  # tokens of the text at the first press
N_STEPS = 40
N_BRANCHES, N_TOKENS = 8, 500
LARGEST, LARGEST_MEMORY = 20e6, 150e6  # bytes
OPENED = """() => {
  const paints = performance.getEntriesByType("paint").map(({ startTime }) => startTime);
  return new Promise((resolve) => {
    const look = () => document.querySelector("#live").shadowRoot?.querySelector(".bars-row")
      ? resolve([Math.min(...paints), performance.now()]) : requestAnimationFrame(look);
    look();
  });
}"""
WRITE = """async (n) => {
  const began = performance.now();
  const passes = [];
  for (let i = 0; i < n; i++) passes.push((await oneToken.step()).seconds);
  return [(performance.now() - began) / 1000, passes];
}"""


def open_page(browser: Browser, path: Path, query: str = "") -> tuple[Page, float, float]:
    """Opens the file; returns the page, and the seconds to its first paint and distribution."""
    page = browser.new_context(offline=True).new_page()
    page.add_init_script(CLOCK)
    page.goto(path.as_uri() + query)
    painted, shown = page.evaluate(OPENED)
    return page, painted / 1000, shown / 1000


def write(browser: Browser, path: Path, n_tokens: int) -> None:
    """Times steps of a text of so many tokens, pass alone and all of a step."""
    run = f"?prompt=Once&run={n_tokens - 2}&forced=" + ",".join(
        f"{i}:300" for i in range(n_tokens - 2)
    )
    page, *_ = open_page(browser, path, run)
    page.evaluate(WRITE, 10)  # warm
    seconds, passes = page.evaluate(WRITE, N_STEPS)
    print(f"  a pass at {n_tokens} tokens: {milliseconds(median(passes))}")
    rate = N_STEPS / seconds
    record(f"One file: tokens/s at {n_tokens} tokens", f"{rate:.0f}", "20", is_met=rate >= 20)
    page.context.close()


def drag(browser: Browser, path: Path) -> None:
    """Drag a slider while the model writes: the frames are the page's own."""
    page, *_ = open_page(browser, path)
    page.evaluate("() => { void (async () => { for (;;) await oneToken.step(); })(); }")
    slider = page.get_by_role("slider", name="Temperature")
    box = slider.bounding_box()
    assert box is not None

    def act() -> None:
        page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2)
        page.mouse.down()
        for i in range(60):
            page.mouse.move(box["x"] + 5 + i % 30 * box["width"] / 40, box["y"] + 5)
        page.mouse.up()

    gaps = frames_during(page, act).gaps
    late = quantile(gaps, 0.95)
    record("One file: frames while a slider is dragged, p95", f"{late * 1e3:.0f} ms")
    page.context.close()


def fill(browser: Browser, path: Path) -> None:
    """Writes eight texts of 500 tokens and weighs them, beside a page that is empty.

    What is kept is what remains once the browser has let go of what nobody needs any more.
    """
    blank = browser.new_context().new_page()
    blank.goto(path.parent.as_uri())
    before = memory_of_renderers()
    page, *_ = open_page(browser, path)
    opened = memory_of_renderers() - before
    for n in range(N_BRANCHES):
        query = f"prompt=Text {n}&run={N_TOKENS}&forced="
        saved = json.dumps({"link": query + ",".join(f"{i}:300" for i in range(N_TOKENS))})
        file = FilePayload(name="run.json", mimeType="application/json", buffer=saved.encode())
        page.locator(".files input[type=file]").set_input_files(file)
        page.wait_for_function(f"() => oneToken.text.startsWith('Text {n}')", timeout=120_000)
    taken = memory_of_renderers() - before
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    full = memory_of_renderers() - before
    print(f"  memory once it is open: {opened / 1e6:.0f} MB, with all texts {taken / 1e6:.0f} MB")
    record(
        f"One file: what {N_BRANCHES} texts of {N_TOKENS} tokens keep",
        f"{full / 1e6:.0f} MB",
        "150 MB",
        is_met=full <= LARGEST_MEMORY,
    )


def memory_of_renderers() -> int:
    """Returns the bytes that Chromium's pages have for themselves."""
    pages = [
        each
        for each in psutil.Process().children(recursive=True)
        if "--type=renderer" in each.cmdline()
    ]
    return sum(each.memory_full_info().uss for each in pages)


def main() -> None:
    """Prints what there is to know of the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = Path(folder) / "one-token.html"
        path.write_text(live_page(load_model("storyteller")), "utf-8")
        size = path.stat().st_size
        record("One file: its size", f"{size / 1e6:.1f} MB", "20 MB", is_met=size <= LARGEST)
        opened = []
        for _ in range(options.rounds + 1):
            page, *seconds = open_page(browser, path)
            opened.append(seconds)
            page.context.close()
        painted, shown = (Timing("", tuple(times)) for times in zip(*opened[1:], strict=True))
        record("One file: opened, first paint", brief(painted))
        record(
            "One file: opened, first distribution", brief(shown), "2 s", is_met=shown.median <= 2
        )
        for n_tokens in LENGTHS:
            write(browser, path, n_tokens)
        drag(browser, path)
        fill(browser, path)


if __name__ == "__main__":
    main()

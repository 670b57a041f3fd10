"""How smoothly the tree of all continuations moves while a slider is dragged over it.

    python -m benchmarks.bench_futures

Every frame weighs the whole tree anew in the page: no pass runs and nothing is sent.
"""

from functools import partial

from playwright.sync_api import Page

from benchmarks.bench_home import VIEWPORT, sweep
from benchmarks.figures import Timing, brief, describe_machine, record
from tests.driving.harness import CLOCK, by_key, chromium, frames_during, serve, visit, wait_idle

PASSES = 16
N_TEXTS = 1 + 64 * PASSES  # the prompt, and those that so many passes open
AIM = 55  # frames a second, of a screen's 60


def drag(page: Page, name: str) -> None:
    """Drags one slider to and fro and keeps how many frames were painted meanwhile."""
    slider = page.locator(f".futures-slider input[name={name}]")
    box = slider.bounding_box()
    assert box is not None
    x, y, width = box["x"], box["y"] + box["height"] / 2, box["width"]
    start = x + width * float(slider.evaluate("(s) => (s.value - s.min) / (s.max - s.min)"))
    page.mouse.move(start, y)
    page.mouse.down()
    sweep(page, x, width, y)  # warms up
    frames = frames_during(page, partial(sweep, page, x, width, y))
    page.mouse.up()
    wait_idle(page)
    gaps = Timing(name, tuple(frames.gaps))
    record(
        f"{name} dragged over {N_TEXTS:,} texts: frames a second, messages to the server",
        f"{frames.per_second:.0f} (from frame to frame {brief(gaps)}), {frames.n_messages}",
        f"{AIM} or more, none",
        is_met=frames.per_second >= AIM and not frames.n_messages,
    )


def main() -> None:
    """Opens a tree, answers its question, and drags."""
    print(describe_machine(), end="\n\n")
    with chromium() as browser, serve() as server:
        page = browser.new_page(viewport=VIEWPORT)  # type: ignore[arg-type]  # a mapping
        page.add_init_script(CLOCK)
        visit(page, f"{server.url}/futures?mass=0.95&passes={PASSES}")
        by_key(page, "futures_said").get_by_role("radio").first.click()
        page.locator(".futures-fold > summary").click()
        by_key(page, "futures_tree_run").get_by_text("Open more").wait_for()
        page.get_by_text(f"texts, {PASSES} passes").wait_for()
        page.wait_for_timeout(1500)
        for name in ("temperature", "top_p"):
            drag(page, name)


if __name__ == "__main__":
    main()

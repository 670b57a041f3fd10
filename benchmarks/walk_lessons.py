"""Follows the guided lessons as a pupil: answers, does each task, and times what is waited for.

    python -m benchmarks.walk_lessons FOLDER [--lessons NAME ...] [--width 1280] [--dark]

A line for each scene: seconds until an answer is taken, presses that its task took, seconds that
they took, how much moved by itself (layout shift), and where its bar ends on the first screen; then
what moved, from where to where (left, top, width, height). Two pictures of each scene lie in the
folder: before the answer, and when all is done.
"""

import argparse
import re
import sys
import time
from pathlib import Path
from typing import Literal

from playwright.sync_api import Locator, Page, ViewportSize

from pages.lessons.tour.scenes import GuidedLesson, Scene, lesson_names, read_lesson
from tests.driving.harness import by_key, chromium, serve, visit, wait_idle

SIZES = {1280: 800, 390: 844}
PATIENCE = 240  # seconds that a task may take
DONE = "document.querySelector('.st-key-tour .is-next')?.textContent.includes('Continue')"
LOUDEST = """() => {
  const bar = document.querySelector(".st-key-tour");
  const sizes = [...bar.querySelectorAll("p, label, a, button")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.innerText?.trim())
    .map((one) => [parseFloat(getComputedStyle(one).fontSize), one.innerText.trim().slice(0, 60)]);
  return sizes.sort(([a], [b]) => b - a)[0];
}"""
SHIFTS = """
globalThis.__shift = 0;
globalThis.__moved = [];
globalThis.__said = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources, startTime } of list.getEntries()) {
    if (hadRecentInput) continue;
    globalThis.__shift += value;
    for (const { node, previousRect, currentRect } of value < 0.01 ? [] : sources) {
      const name = node?.closest?.("[class*=st-key]") ?? node?.parentElement;
      const key = name?.className.match?.(/st-key-\\S+/)?.[0] ?? "";
      const itself = node?.className ?? node?.nodeName ?? "shadow";
      globalThis.__moved.push(`${value.toFixed(3)} ${Math.round(startTime)} ms ${key} ${itself}` +
        ` [${__said(previousRect)}] to [${__said(currentRect)}]`);
    }
  }
}).observe({ type: "layout-shift", buffered: true });
"""
END = "() => document.querySelector('.st-key-tour').getBoundingClientRect().bottom"


def shifted(page: Page) -> float:
    """Returns how much moved by itself since it was asked last."""
    page.wait_for_timeout(300)  # the observer is told late
    return float(page.evaluate("() => { const was = __shift; __shift = 0; return was; }"))


def reply(page: Page, scene: Scene) -> None:
    """Says what is right."""
    bar = by_key(page, "tour")
    if scene.choices:
        bar.get_by_role("radio", name=re.sub(r"[*`]", "", scene.right), exact=True).click()
    else:
        bar.get_by_role("textbox").fill(scene.right)
        bar.get_by_role("button", name="Say it").click()
    page.wait_for_selector(".st-key-tour_said, [class*=st-key-tour_told]")


def drag(slider: Locator, task: str) -> None:
    """Moves a slider by its keys as a task asks: to the left, or to a number."""
    slider.focus()
    wanted = re.search(r"until \S+ is ([\d.]*\d)", task)
    for _ in range(30):
        if wanted and slider.input_value() == wanted[1]:
            return
        slider.press("ArrowLeft")


def press_once(page: Page, scene: Scene) -> None:
    """Does the next press of a scene's task."""
    live, name = (
        by_key(page, "live"),
        (re.match(r"Press (.+?) (?:until|and wait)", scene.task) or ""),
    )
    if scene.task.startswith("Press on the bar"):
        bar = live.locator(".draw-bar")
        bar.evaluate("(one) => one.scrollIntoView({ block: 'center' })")  # clear of the buttons
        box = bar.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 0.37 * box["width"], box["y"] + box["height"] / 2)
    elif scene.task.startswith("Write your word"):
        live.get_by_placeholder("or your own word").fill("mat")
        live.get_by_role("button", name="Guess").click()
    elif name and scene.page == "":
        for one in re.split(r", then ", name[1].removesuffix(" again")):
            named = {"+20": "Write 20 tokens at once"}.get(one, one)
            live.get_by_role("button", name=named, exact=True).click()
            page.wait_for_timeout(700)
    elif name:
        button = page.get_by_role("button", name=name[1].partition(" or ")[0], exact=True).first
        if button.is_enabled():  # at its end there is nothing to press, and the bar is told
            button.click()
    else:
        setting = re.search(r"(Temperature|Top-p)", scene.task)
        assert setting
        box_ = live.get_by_role("checkbox", name=f"use {setting[1].lower()}")
        if scene.page == "" and box_.count() and not box_.is_checked():
            box_.check()
        place = live if scene.page == "" else page.locator(".stMain")
        slider = place.get_by_role("slider", name=setting[1]).first
        drag(slider, scene.task)


def walk_scene(page: Page, url: str, lesson: GuidedLesson, number: int, folder: Path) -> None:
    """Follows one scene, and prints its line."""
    scene = lesson.scenes[number - 1]
    started = time.monotonic()
    visit(page, url + lesson.address(number)[1:])
    page.wait_for_selector(".st-key-tour[data-ready]", timeout=60_000)
    ready = time.monotonic() - started
    page.wait_for_timeout(800)
    at = folder / f"{lesson.name}-{number:02}"
    page.screenshot(path=f"{at}-asked.png")
    loudest, shift = page.evaluate(LOUDEST), shifted(page)
    end = page.evaluate(END)
    reply(page, scene)
    started, n_presses = time.monotonic(), 0
    while scene.task and not page.evaluate(DONE):
        if time.monotonic() - started > PATIENCE:
            print(f"!! {scene.title}: the task was never done")
            break
        waits = "wait until" in scene.task or scene.task.startswith("Press Play until the text")
        if n_presses == 0 or not waits:
            press_once(page, scene)
            n_presses += 1
        page.wait_for_timeout(700)
    waited = time.monotonic() - started
    wait_idle(page)
    page.wait_for_timeout(800)
    page.screenshot(path=f"{at}-done.png")
    shift = max(shift, shifted(page))
    loud = "" if scene.question[:20] in loudest[1] else f"  !! the loudest: {loudest}"
    print(
        f"{number:2} {scene.title:36} {ready:5.1f} s {n_presses:3} presses {waited:6.1f} s"
        f"  shift {shift:.3f}  bar ends at {end:.0f}{loud}"
    )
    for moved in page.evaluate("__moved"):
        print("     ", moved)
    sys.stdout.flush()


def main() -> None:
    """Follows the lessons that are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lessons", nargs="*", default=lesson_names())
    parser.add_argument("--width", type=int, choices=SIZES, default=1280)
    parser.add_argument("--dark", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    with serve() as server, chromium() as browser:
        scheme: Literal["dark", "light"] = "dark" if args.dark else "light"
        size: ViewportSize = {"width": args.width, "height": SIZES[args.width]}
        page = browser.new_page(viewport=size, color_scheme=scheme)
        page.add_init_script(SHIFTS)
        page.set_default_timeout(20_000)
        for lesson in map(read_lesson, args.lessons):
            print(f"\n{lesson.title}")
            for number in range(1, len(lesson.scenes) + 1):
                try:
                    walk_scene(page, server.url, lesson, number, args.folder)
                except Exception as error:
                    print(f"!! {number} {lesson.scenes[number - 1].title}: {str(error)[:300]}")
            page.goto(f"{server.url}/tour?done={lesson.name}")
            wait_idle(page)
            page.screenshot(path=args.folder / f"{lesson.name}-end.png", full_page=True)


if __name__ == "__main__":
    main()

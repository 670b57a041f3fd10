"""Nobody shut out: WCAG 2.2 AA by axe-core on every page, a phone's width, targets, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import BrowserContext, Locator, Page, expect

from benchmarks.harness import by_key, visit, wait_idle
from pages.frame.contents import LESSONS, Lesson
from viz.palette import Theme

pytestmark = pytest.mark.browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RULES = ["heading-order", "empty-table-header", "landmark-unique"]  # good practice, kept too
NARROW = 320  # pixels: a window of 1280 at 400 % (WCAG 1.4.10)

# what is not mended here, and why: page, rule, part of the element's markup
EXCEPTED = {
    # 2.5.8, "equivalent": the menu of the last row forces the same tokens, each 24 px high
    ("generate", "target-size", 'class="bars-label"'),
}

ALL_RULES = {
    "runOnly": {"type": "tag", "values": TAGS},
    "rules": {rule: {"enabled": True} for rule in RULES},
}
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# While a script runs Streamlit fades what may be old: what is found then is looked at again
AXE = """async (options) => {
  for (;;) {
    const found = await axe.run({...options, resultTypes: ["violations"]});
    if (found.violations.length === 0 || !document.querySelector("[data-stale=true]")) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}"""
OVERHANG = """() => {
  const main = document.querySelector(".stMain");
  return Math.max(
    document.documentElement.scrollWidth - innerWidth, main.scrollWidth - main.clientWidth);
}"""
SMALL_TEXT = """() => {
  const found = [];
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      const box = one.getBoundingClientRect();
      const isText = [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      if (isText && box.width > 2 && parseFloat(getComputedStyle(one).fontSize) < 11.9)
        found.push(one.outerHTML.slice(0, 120));
    }
  };
  walk(document);
  return found;
}"""


def stem(lesson: Lesson) -> str:
    return Path(lesson.path).stem


def turn_to(page: Page, lesson: Lesson) -> None:
    """Go to a page by the table of contents: no script of the last one is started again."""
    page.get_by_test_id("stTopNavSection").get_by_text(lesson.section).click()
    page.get_by_role("menuitem", name=lesson.title).click()
    expect(page).to_have_title(re.compile(lesson.title, re.IGNORECASE))
    wait_idle(page)


def main_press(page: Page, lesson: Lesson) -> Locator | None:
    """What a page is there for: its first button of that kind; a list of links has none."""
    if lesson.is_home:
        return by_key(page, "live").get_by_role("button", name="Next")
    if stem(lesson) == "claims":
        return by_key(page, "run_C01").get_by_role("button")
    primary = page.locator('[data-testid^="stBaseButton-primary"]:not(:disabled)')
    return primary.first if primary.count() else None


def violations(page: Page, lesson: Lesson, rules: dict[str, Any] = ALL_RULES) -> list[str]:
    """What axe finds, bar what is excepted: rule and element."""
    found: dict[str, Any] = page.evaluate(AXE, rules)
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
        if not any(
            (stem(lesson), one["id"]) == (where, rule) and part in node["html"]
            for where, rule, part in EXCEPTED
        )
    ]


def stop(button: Locator) -> None:
    """Stop what the press began, if it still goes on: it would only slow down what follows."""
    if "Stop" in button.inner_text():
        button.click()
        expect(button).not_to_contain_text("Stop")


def change_theme(page: Page) -> None:
    """Take the other theme, and wait until Python has painted the figures for it."""
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    theme: Theme = "light" if is_dark else "dark"
    page.emulate_media(color_scheme=theme)
    expect(by_key(page, "announcer").locator(f"[data-theme={theme}]")).to_be_attached()
    wait_idle(page)


@pytest.fixture(scope="module")
def opened(window: BrowserContext, url: str) -> Iterator[Page]:
    """One reader of all pages, with axe at hand."""
    page = window.new_page()
    visit(page, url)
    expect(by_key(page, "live").get_by_role("button", name="Next")).to_be_visible()
    page.evaluate(f"{AXE_SCRIPT};0")
    yield page
    page.close()


@pytest.mark.parametrize("lesson", LESSONS, ids=stem)
def test_a_page_shuts_nobody_out(opened: Page, lesson: Lesson) -> None:
    page = opened
    page.set_viewport_size({"width": 1280, "height": 800})
    turn_to(page, lesson)
    if lesson.is_home:
        expect(by_key(page, "live").get_by_role("button", name="Next")).to_be_visible()
    expect(page.get_by_text("Loading the model…")).to_have_count(0)
    assert page.evaluate(SMALL_TEXT) == []

    # every rule before the press and after it; in the other theme only the colours change, and
    # the next page opens in it
    if button := main_press(page, lesson):
        assert violations(page, lesson) == []
        button.click()
        wait_idle(page)
        stop(button)
    assert violations(page, lesson) == []
    change_theme(page)
    assert violations(page, lesson, CONTRAST) == []
    page.set_viewport_size({"width": NARROW, "height": 800})
    page.wait_for_function(f"({OVERHANG})() <= 0")

"""Nobody shut out of any page: those that no test of their own looks at are looked at here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.harness import by_key, visit, wait_idle
from pages.frame.contents import LESSONS, Lesson
from tests.frame.accessibility import assert_accessible, assert_accessible_to_all

pytestmark = pytest.mark.browser

TESTS = Path(__file__).parents[1]


def stem(lesson: Lesson) -> str:
    return Path(lesson.path).stem


def is_looked_at_elsewhere(lesson: Lesson) -> bool:
    """Whether a test of the page's own topic asks it."""
    tests = (path.read_text("utf-8") for path in (TESTS / stem(lesson)).glob("test_*.py"))
    return any("assert_accessible_to_all(" in text for text in tests)


def turn_to(page: Page, lesson: Lesson) -> None:
    """Go to a page by the table of contents: no script of the last one is started again."""
    page.get_by_test_id("stTopNavSection").get_by_text(lesson.section).click()
    page.get_by_role("menuitem", name=lesson.title).click()
    expect(page).to_have_title(re.compile(lesson.title, re.IGNORECASE))
    wait_idle(page)


@pytest.fixture(scope="module")
def opened(window: BrowserContext, url: str) -> Iterator[Page]:
    """One reader of all pages."""
    page = window.new_page()
    visit(page, url)
    yield page
    page.evaluate("localStorage.clear()")  # who opens the app next is a newcomer again
    page.close()


@pytest.mark.parametrize(
    "lesson", [one for one in LESSONS if not is_looked_at_elsewhere(one)], ids=stem
)
def test_a_page_shuts_nobody_out(opened: Page, lesson: Lesson) -> None:
    opened.set_viewport_size({"width": 1280, "height": 800})
    turn_to(opened, lesson)
    if lesson.is_home:
        press = by_key(opened, "live").get_by_role("button", name="Next")
        expect(press).to_be_visible()
        assert_accessible(opened)
        press.click()
    assert_accessible_to_all(opened)

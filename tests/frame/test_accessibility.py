"""Nobody shut out of any page: those that no test of their own looks at are looked at here."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import by_key
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


@pytest.mark.parametrize(
    "lesson", [one for one in LESSONS if not is_looked_at_elsewhere(one)], ids=stem
)
def test_a_page_shuts_nobody_out(turn_to: Callable[[str], Page], lesson: Lesson) -> None:
    page = turn_to(stem(lesson))
    if lesson.is_home:
        press = by_key(page, "live").get_by_role("button", name="Next")
        expect(press).to_be_visible()
        assert_accessible(page)
        press.click()
    assert_accessible_to_all(page)

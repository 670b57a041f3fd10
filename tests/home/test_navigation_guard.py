"""A reader who leaves while events are on their way finds the page that was asked for.

Streamlit would take both for one and show an empty page, or an error that names a lost key.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from benchmarks.home_page import PATIENCE, Reader
from pages.frame.component import trigger_value

pytestmark = pytest.mark.browser

# presses Next, and a while later the link: a hand is too slow for that, Play is not
NEXT_THEN_LINK = """([next, link, wait]) => {
  next.click();
  setTimeout(() => link.click(), wait);
}"""


@pytest.mark.parametrize("wait", [0, 20, 35, 60])
def test_a_link_that_is_pressed_right_after_next_is_followed(reader: Reader, wait: int) -> None:
    page = reader.open(prompt="Once upon a time").page
    page.get_by_role("button", name="Reference and games").click()
    link = page.locator("a[href$='/claims']").first
    places = [reader.button("Next").element_handle(), link.element_handle(), wait]
    page.evaluate(NEXT_THEN_LINK, places)
    title = page.get_by_role("heading", level=1)
    expect(title).to_contain_text("45 claims", timeout=PATIENCE)
    page.wait_for_timeout(500)  # what came late would wipe it away
    expect(title).to_contain_text("45 claims")
    expect(page).to_have_title(re.compile("45 claims"))
    expect(page.get_by_text("encountered an error")).to_have_count(0)


def test_leaving_while_it_plays_shows_the_next_page_and_coming_back_the_text(
    reader: Reader,
) -> None:
    page = reader.open(prompt="Once upon a time").page
    reader.live.get_by_label("Speed").select_option("10")
    reader.button("Play").click()
    n_before = reader.chips.count()
    expect(reader.chips.nth(n_before + 3)).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Reference and games").click()
    page.get_by_role("link", name="Glossary").first.click()
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text("Glossary", timeout=PATIENCE)
    page.get_by_role("button", name="The loop").click()
    page.get_by_role("link", name="One token at a time").first.click()
    expect(reader.chips.nth(n_before + 3)).to_be_visible(timeout=PATIENCE)


def test_an_event_whose_page_was_left_is_none() -> None:
    assert trigger_value("live", "event") is None

"""A reader who leaves while events are on their way finds the page that was asked for.

Streamlit would take both for one and show an empty page, or an error that names a lost key.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.harness import wait_idle
from benchmarks.home_page import PATIENCE, Reader
from pages.frame.component import trigger_value
from tests.home.conftest import PROMPT

# presses Next, and a while later the link: a hand is too slow for that, Play is not
NEXT_THEN_LINK = """([next, link, wait]) => {
  next.click();
  setTimeout(() => link.click(), wait);
}"""


def link_to(page: Page, section: str, title: str) -> Locator:
    """Opens a section of the table of contents; returns its link."""
    page.get_by_role("button", name=section).click()
    return page.get_by_role("menuitem", name=title)


@pytest.mark.browser
def test_who_leaves_while_it_plays_or_right_after_next_finds_the_page_and_the_text_again(
    newcomer: Reader,
) -> None:
    reader = newcomer.open(prompt=PROMPT)
    page, title = reader.page, reader.page.get_by_role("heading", level=1)
    reader.live.get_by_label("Speed").select_option("10")
    reader.button("Play").click()
    n_before = reader.chips.count()
    expect(reader.chips.nth(n_before + 3)).to_be_visible(timeout=PATIENCE)
    link_to(page, "Reference and games", "Glossary").click()
    expect(title).to_have_text("Glossary", timeout=PATIENCE)

    for wait in (0, 35):
        link_to(page, "The loop", "One token at a time").click()
        expect(reader.chips.nth(n_before + 3)).to_be_visible(timeout=PATIENCE)
        wait_idle(page)
        link = link_to(page, "Reference and games", "45 claims")
        places = [reader.button("Next").element_handle(), link.element_handle(), wait]
        page.evaluate(NEXT_THEN_LINK, places)
        expect(title).to_contain_text("45 claims", timeout=PATIENCE)
        page.wait_for_timeout(500)  # what came late would wipe it away
        expect(title).to_contain_text("45 claims")
        expect(page).to_have_title(re.compile("45 claims"))
        expect(page.get_by_text("encountered an error")).to_have_count(0)


def test_an_event_whose_page_was_left_is_none() -> None:
    assert trigger_value("live", "event") is None

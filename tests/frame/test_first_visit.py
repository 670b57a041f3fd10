"""The home page opens by itself in the theme of the system; nothing is asked of elsewhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import by_key, visit
from benchmarks.home_page import PATIENCE

pytestmark = pytest.mark.browser


def test_the_app_opens_in_the_theme_of_the_system(page: Page, url: str) -> None:
    page.emulate_media(color_scheme="dark")
    visit(page, url)
    expect(by_key(page, "live").get_by_role("button", name="Next")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", "rgb(21, 24, 30)")
    page.emulate_media(color_scheme="light")
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.get_by_test_id("stException")).to_have_count(0)

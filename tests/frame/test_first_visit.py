"""The home page opens whole and by itself, in both themes: no error, nothing asked of elsewhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import by_key, visit

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("scheme", "ground"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(21, 24, 30)")]
)
def test_the_app_opens_in_the_theme_of_the_system(
    page: Page, url: str, scheme: str, ground: str
) -> None:
    page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
    visit(page, url)
    expect(by_key(page, "live").get_by_role("button", name="Next")).to_be_visible(timeout=30_000)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", ground)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_page_fits_a_phone(page: Page, url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, url)
    expect(by_key(page, "live").get_by_role("button", name="Next")).to_be_visible(timeout=30_000)
    overhang = page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overhang == 0

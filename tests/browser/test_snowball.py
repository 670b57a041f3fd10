"""The snowball lesson in a real browser: a token is clicked, another is forced, two texts stand."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key
from benchmarks.home_page import PATIENCE, Reader

pytestmark = pytest.mark.browser


def test_a_click_chooses_the_place_and_force_parts_the_texts(
    page: Page, url: str, witness: Witness
) -> None:
    Reader(page, url).open()
    page.goto(f"{url}/snowball")
    strip = by_key(page, "snow_strip")
    force = by_key(page, "snow_go").get_by_role("button")
    expect(force).to_be_enabled(timeout=2 * PATIENCE)
    # Streamlit's page asks below its own address first, is told 404, then asks at the root
    assert all("404" in error for error in witness.errors)
    witness.errors.clear()

    strip.locator("button").nth(6).click()
    expect(by_key(page, "snow_place").locator("input")).to_have_value("7", timeout=PATIENCE)
    expect(strip.locator("button.is-place")).to_have_attribute("data-place", "6")
    expect(force).to_be_enabled(timeout=PATIENCE)
    force.click()
    expect(strip.locator(".is-forced")).to_have_count(1, timeout=PATIENCE)
    expect(by_key(page, "snow_gap")).to_be_visible(timeout=2 * PATIENCE)
    assert strip.locator(".wrong").count() == strip.locator(".pair").count()

    fits = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate(fits)

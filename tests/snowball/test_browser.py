"""The lesson in a real browser: a token is clicked, another is forced, two texts stand."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key
from benchmarks.home_page import PATIENCE, Reader
from tests.frame.phone import fits_a_phone, forget_first_requests

pytestmark = pytest.mark.browser


def test_a_click_chooses_the_place_and_force_parts_the_texts(
    page: Page, url: str, witness: Witness
) -> None:
    Reader(page, url).open()
    page.goto(f"{url}/snowball")
    strip = by_key(page, "snowball_strip")
    force = by_key(page, "snowball_fork_run").get_by_role("button")
    expect(force).to_be_enabled(timeout=2 * PATIENCE)
    forget_first_requests(witness)

    strip.locator("button").nth(6).click()
    expect(by_key(page, "snowball_place").locator("input")).to_have_value("7", timeout=PATIENCE)
    expect(strip.locator("button.is-place")).to_have_attribute("data-place", "6", timeout=PATIENCE)
    expect(force).to_be_enabled(timeout=PATIENCE)
    force.click()
    expect(strip.locator(".is-slip")).to_have_count(1, timeout=PATIENCE)
    expect(by_key(page, "snowball_gap")).to_be_visible(timeout=2 * PATIENCE)
    assert strip.locator(".forced").count() == strip.locator(".pair").count()

    assert fits_a_phone(page)

"""The lesson of the two phases in a real browser: a run that stops, padding, no overflow."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key
from benchmarks.home_page import PATIENCE

pytestmark = pytest.mark.browser


def test_a_run_stops_and_what_it_measured_is_drawn(page: Page, url: str, witness: Witness) -> None:
    page.goto(f"{url}/prefill_decode")
    start = by_key(page, "phase_phases_start").get_by_role("button")
    expect(start).to_be_enabled(timeout=4 * PATIENCE)
    # Streamlit's page asks below its own address first, is told 404, then asks at the root
    assert all("404" in error for error in witness.errors)
    witness.errors.clear()
    start.click()
    expect(page.get_by_text("%: reading prompts")).to_be_visible(timeout=2 * PATIENCE)
    by_key(page, "phase_phases_stop").get_by_role("button").click(timeout=PATIENCE)
    expect(start).to_be_enabled(timeout=2 * PATIENCE)
    expect(page.get_by_text("Stopped: what was measured")).to_be_visible(timeout=PATIENCE)

    by_key(page, "phase_pad").get_by_role("button").click()
    expect(page.locator("[title=padding]").first).to_be_visible(timeout=2 * PATIENCE)
    fits = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate(fits)

"""The lesson of the two phases in a real browser: a run that stops, padding, no overflow."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.driving.harness import by_key
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import assert_accessible_to_all

pytestmark = pytest.mark.browser


@pytest.mark.nightly  # by day kv_cache stops a race; test_page.py what was measured
def test_a_run_stops_and_what_it_measured_is_drawn(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("prefill_decode")
    button = by_key(page, "phase_phases_run").get_by_role("button")
    expect(button).to_be_enabled(timeout=4 * PATIENCE_MS)
    button.click()
    expect(by_key(page, "phase_swap_live")).to_be_visible(timeout=2 * PATIENCE_MS)
    button.click()
    expect(button).to_contain_text("Start", timeout=2 * PATIENCE_MS)
    caption = page.get_by_test_id("stCaptionContainer")
    expect(caption.get_by_text("Stopped after")).to_be_visible(timeout=PATIENCE_MS)

    page = turn_to("roofline")
    by_key(page, "phase_padding_run").get_by_role("button").click()
    expect(page.locator("[title=padding]").first).to_be_visible(timeout=2 * PATIENCE_MS)
    assert_accessible_to_all(page)

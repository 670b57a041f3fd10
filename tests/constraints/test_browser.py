"""The lesson in a real browser: the dead end, a bad pattern, a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key
from benchmarks.home_page import PATIENCE
from tests.frame.phone import fits_a_phone, forget_first_requests

pytestmark = pytest.mark.browser


def test_two_steps_lead_to_a_dead_end_and_a_bad_pattern_is_one_sentence(
    page: Page, url: str, witness: Witness
) -> None:
    page.goto(f"{url}/constraints")
    step = by_key(page, "constraint_step").get_by_role("button")
    expect(step).to_be_enabled(timeout=3 * PATIENCE)
    forget_first_requests(witness)
    step.click()
    expect(page.get_by_text("allowed along this path")).to_be_visible(timeout=PATIENCE)
    step.click()
    expect(page.get_by_text("Dead end at token 2")).to_be_visible(timeout=PATIENCE)

    page.get_by_text("Pattern", exact=True).click()
    area = by_key(page, "constraint_constraint").locator("textarea")
    expect(area).not_to_have_value(" some bread\n her shoes", timeout=PATIENCE)
    area.fill("[0-9")
    area.press("Control+Enter")
    expect(page.get_by_text("The pattern cannot be used")).to_be_visible(timeout=PATIENCE)
    assert fits_a_phone(page)
    step.click()  # what was there before the bad pattern goes on
    expect(by_key(page, "constraint_back").get_by_role("button")).to_be_enabled(timeout=PATIENCE)

"""The beam-search lesson in a real browser: the tree grows, ranks anew, and fits a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key
from benchmarks.home_page import PATIENCE
from tests.frame.phone import fits_a_phone, forget_first_requests

pytestmark = pytest.mark.browser


def test_the_tree_grows_step_by_step_and_the_best_is_proved(
    page: Page, url: str, witness: Witness
) -> None:
    page.goto(f"{url}/beam_search")
    chips = by_key(page, "beam_tree").locator(".annotation")
    expect(page.get_by_text("Token 2 of at most 10")).to_be_visible(timeout=3 * PATIENCE)
    forget_first_requests(witness)
    expect(chips.first).to_be_visible(timeout=PATIENCE)
    n_before = chips.count()
    by_key(page, "beam_step").get_by_role("button").click()
    expect(page.get_by_text("Token 3 of at most 10")).to_be_visible(timeout=PATIENCE)
    expect(chips).not_to_have_count(n_before, timeout=PATIENCE)
    by_key(page, "beam_back").get_by_role("button").click()
    expect(chips).to_have_count(n_before, timeout=PATIENCE)

    by_key(page, "beam_exact_run").get_by_role("button").click()
    expect(page.get_by_text("Proved the best")).to_be_visible(timeout=PATIENCE)
    assert fits_a_phone(page)

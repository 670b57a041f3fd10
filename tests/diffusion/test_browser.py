"""The diffusion lesson in a real browser: a page that settles, a check, gaps that fill."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key
from tests.frame.phone import fits_a_phone, forget_first_requests

pytestmark = pytest.mark.browser

PATIENCE = 120_000  # milliseconds; a busy machine is no failure


def test_a_page_settles_pass_by_pass(page: Page, url: str, witness: Witness) -> None:
    page.goto(f"{url}/diffusion")
    cells = page.locator(".sheet").first.locator("span.cell")
    expect(cells.first).to_be_visible(timeout=PATIENCE)
    forget_first_requests(witness)
    n_open = page.locator(".sheet span.open").count()
    assert n_open > 8
    by_key(page, "diffusion_step").get_by_role("button").click()
    expect(page.locator(".sheet span.new").first).to_be_visible(timeout=PATIENCE)
    assert page.locator(".sheet span.open").count() < n_open
    assert cells.count() == n_open + page.locator(".sheet span.given").count()

    by_key(page, "diffusion_fill").get_by_role("button").click()
    expect(page.locator(".sheet span.open")).to_have_count(0, timeout=PATIENCE)
    by_key(page, "diffusion_check_run").get_by_role("button").click()
    expect(page.locator(".sheet span.checked")).to_have_count(n_open, timeout=PATIENCE)

    by_key(page, "diffusion_gap_step").get_by_role("button").click()
    expect(by_key(page, "diffusion_gap_back").get_by_role("button")).to_be_enabled(timeout=PATIENCE)
    assert fits_a_phone(page)

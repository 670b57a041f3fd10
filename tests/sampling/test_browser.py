"""The sampling lab under the hand: what a dragged slider moves, and what Python is told."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

PATIENCE = 30_000


@pytest.fixture
def lab(page: Page, url: str) -> Page:
    page.goto(url)
    page.get_by_role("link", name="Next: Sampling strategies").click(timeout=PATIENCE)
    expect(page.locator(".lab-masks .lab-row").first).to_be_visible(timeout=PATIENCE)
    page.get_by_text("Textbook", exact=True).click()
    expect(head(page, "top_p")).to_contain_text("keeps 2", timeout=PATIENCE)
    return page


def head(page: Page, mask: str) -> Locator:
    return page.locator(f".lab-masks th:has(input.slider[name={mask}])")


def reason(page: Page, mask: str) -> Locator:
    return page.locator(f".lab-reasons li[data-mask={mask}]")


def test_a_dragged_slider_moves_its_column_at_once_and_python_when_released(lab: Page) -> None:
    slider = head(lab, "top_p").locator("input.slider")
    # an "input" event is a drag: the page alone answers
    slider.evaluate("(n) => { n.value = 0.9; n.dispatchEvent(new Event('input')); }")
    expect(head(lab, "top_p")).to_contain_text("keeps 8")
    expect(head(lab, "top_p")).to_contain_text("cuts 7.0")
    expect(reason(lab, "top_p")).to_contain_text("“chair”")
    expect(head(lab, "top_k")).to_contain_text("keeps 5")  # no other column moves
    # a "change" event is the release: the figures below are Python's
    slider.evaluate("(n) => n.dispatchEvent(new Event('change'))")
    expect(lab.get_by_text("7 degrees of freedom")).to_be_visible(timeout=PATIENCE)
    lab.set_viewport_size({"width": 390, "height": 844})
    expect(head(lab, "top_k")).to_be_visible()
    assert lab.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_engines_part_where_it_is_lit_and_a_run_can_be_stopped(lab: Page) -> None:
    verdict = lab.locator(".lab-verdict")
    lit = lab.locator(".lab-orders tr[data-parted]")
    expect(verdict).to_contain_text("They part over")
    assert lit.count() >= 1
    head(lab, "temperature").locator("input[type=checkbox]").uncheck()
    expect(verdict).to_contain_text("All four keep the same tokens")
    expect(lit).to_have_count(0)
    run = lab.locator(".st-key-vote_run button")
    run.click()
    expect(run).to_have_text(re.compile("Stop"), timeout=PATIENCE)
    run.click()
    expect(run).to_have_text(re.compile("Generate"), timeout=PATIENCE)
    lab.get_by_label("Prompt", exact=True).fill("🍓" * 900)
    run.click()
    expect(lab.get_by_text("shorten the prompt")).to_be_visible(timeout=PATIENCE)

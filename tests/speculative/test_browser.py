"""The speculative lesson in a real browser: a round unfolds, a run can be stopped."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key
from benchmarks.home_page import PATIENCE, Reader
from tests.frame.phone import fits_a_phone, forget_first_requests

pytestmark = pytest.mark.browser


def test_a_round_unfolds_and_the_proof_stops(page: Page, url: str, witness: Witness) -> None:
    Reader(page, url).open()
    page.goto(f"{url}/speculative")
    expect(page.get_by_text("Both caches drop what was rejected.")).to_be_visible(timeout=PATIENCE)
    forget_first_requests(witness)
    step = by_key(page, "spec_step").get_by_role("button")
    step.click()
    expect(page.get_by_text("The draft writes ahead")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("target: has not read it yet").first).to_be_visible(timeout=PATIENCE)
    step.click()
    expect(page.get_by_text("The target reads all draft tokens")).to_be_visible(timeout=PATIENCE)

    proof = by_key(page, "spec_greedy_run").get_by_role("button")
    proof.click()
    expect(page.get_by_text("are identical")).to_be_visible(timeout=PATIENCE)
    proof.click()
    expect(page.get_by_text("Stopped after")).to_be_visible(timeout=PATIENCE)
    assert fits_a_phone(page)
